import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { failure, ok, type Result } from '../../../base/errors.ts';
import { complaint, runGit } from './git.ts';

/** A working tree of one run, on a branch of its own. */
export interface Worktree {
  /** The root of the repository it belongs to. */
  root: string;
  /** Where it lies; its folder is ours alone. */
  path: string;
  branch: string;
}

/** Makes the branch at `commit` and checks it out in a new folder. Nothing else of the repository changes. */
export async function makeWorktree(tree: Worktree, commit: string): Promise<Result<true>> {
  mkdirSync(dirname(tree.path), { recursive: true, mode: 0o700 });
  const args = ['worktree', 'add', '--quiet', '--no-track', '-b', tree.branch, tree.path, commit];
  const made = await runGit(tree.root, args);
  if (made.code === 0) return ok(true);
  await removeWorktree(tree);
  return failure('failed', `no working tree could be made: ${complaint(made)}`);
}

/**
 * Removes the folder and what git knows of it, whatever state a crash left it in. A repository that is
 * gone is no obstacle. Safe twice.
 */
export async function removeWorktree({ root, path }: Omit<Worktree, 'branch'>): Promise<void> {
  if (existsSync(root)) await runGit(root, ['worktree', 'remove', '--force', '--force', path]);
  rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  if (existsSync(root)) await runGit(root, ['worktree', 'prune']);
}

/**
 * Deletes the branch; true when it is not there afterwards. One that the owner has checked out
 * somewhere stays: it is in use.
 */
export async function removeBranch({ root, branch }: Omit<Worktree, 'path'>): Promise<boolean> {
  if (!existsSync(root)) return true;
  await runGit(root, ['branch', '--quiet', '-D', '--', branch]);
  const left = await runGit(root, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
  return left.code !== 0;
}

/** Puts the branch back at `commit`, as long as git still has it. */
export async function restoreBranch(
  { root, branch }: Omit<Worktree, 'path'>,
  commit: string,
): Promise<boolean> {
  const made = await runGit(root, ['branch', '--quiet', '--no-track', '--', branch, commit]);
  return made.code === 0;
}
