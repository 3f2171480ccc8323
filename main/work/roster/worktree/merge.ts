import { failure, ok, type Result } from '../../../base/errors.ts';
import { complaint, type GitEnd, runGit } from './git.ts';
import { identity } from './identity.ts';

export interface MergeOrder {
  /** The root of the repository. */
  root: string;
  /** The branch that takes the work in. */
  target: string;
  /** The commit that is taken in. */
  commit: string;
  /** Of the merge commit, where one is needed. */
  message: string;
}

export interface Merged {
  /** The newest commit of the target afterwards. */
  commit: string;
  how: 'fast-forward' | 'merge' | 'already';
}

/**
 * Takes a commit into a branch. The merge is worked out in git's own store first; only when there is
 * nothing to settle is the branch moved, by one fast-forward. So whatever is refused (a conflict,
 * uncommitted changes, files in the way) leaves the repository exactly as it was, and to do it again is
 * to find it done.
 */
export async function mergeInto(order: MergeOrder): Promise<Result<Merged>> {
  const { root, target, commit } = order;
  const found = await runGit(root, ['cat-file', '-e', `${commit}^{commit}`]);
  if (found.code === 127) return failure('refused', `the repository cannot be reached: ${root}`);
  if (found.code !== 0) {
    return failure('refused', `the run's commit ${short(commit)} is no longer in the repository`);
  }
  const ref = `refs/heads/${target}`;
  const tip = (await runGit(root, ['rev-parse', '--verify', '--quiet', ref])).stdout.trim();
  if (tip === '') {
    return failure('refused', `the branch ${target} is no longer there`, 'make it again first');
  }
  if (await isAncestor(root, commit, tip)) return ok({ commit: tip, how: 'already' });

  const checkout = await checkoutOf(root, ref);
  const dirty = checkout === null ? [] : await uncommitted(checkout);
  if (dirty.length > 0) {
    return failure(
      'refused',
      `there are uncommitted changes: ${named(dirty)}`,
      'commit or stash them, then approve again',
    );
  }
  const next = await nextCommit(order, tip);
  if (!next.ok) return next;
  const moved = await fastForward(root, checkout, ref, next.value);
  if (moved.code !== 0) return failure('refused', whyNotMoved(moved, target));
  return ok({ commit: next.value, how: next.value === commit ? 'fast-forward' : 'merge' });
}

/** The commit the target moves to: the work itself, or a merge of both. */
async function nextCommit(order: MergeOrder, tip: string): Promise<Result<string>> {
  const { root, target, commit, message } = order;
  if (await isAncestor(root, tip, commit)) return ok(commit);
  const merged = await runGit(root, [
    ...['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', tip, commit],
  ]);
  const [tree = '', ...files] = merged.stdout.split('\0').filter((part) => part !== '');
  if (merged.code === 1) {
    return failure(
      'refused',
      `it conflicts with ${target}: ${named([...new Set(files)])}`,
      `merge ${short(commit)} by hand, or dismiss the draft`,
    );
  }
  if (merged.code !== 0) return failure('failed', `git cannot merge: ${complaint(merged)}`);
  const made = await runGit(
    root,
    ['commit-tree', '--no-gpg-sign', tree, '-p', tip, '-p', commit, '-m', message],
    { env: await identity(root) },
  );
  return made.code === 0
    ? ok(made.stdout.trim())
    : failure('failed', `git cannot commit the merge: ${complaint(made)}`);
}

/** Where the branch is checked out it is moved with its files; git refuses before it touches one. */
function fastForward(
  root: string,
  checkout: string | null,
  ref: string,
  commit: string,
): Promise<GitEnd> {
  if (checkout === null) {
    // Refuses a branch that is in use all the same, as in the middle of a rebase.
    const name = ref.slice('refs/heads/'.length);
    return runGit(root, ['branch', '--quiet', '--force', '--', name, commit]);
  }
  const args = ['merge', '--quiet', '--ff-only', '--no-autostash', '--no-stat', commit];
  return runGit(checkout, args);
}

function whyNotMoved(end: GitEnd, target: string): string {
  const inTheWay = end.stderr.split('\n').flatMap((line) => /^\t(.+)$/.exec(line)?.[1] ?? []);
  if (inTheWay.length > 0) return `files that git does not know are in the way: ${named(inTheWay)}`;
  return `${target} could not be moved: ${complaint(end)}`;
}

async function isAncestor(root: string, older: string, newer: string): Promise<boolean> {
  return (await runGit(root, ['merge-base', '--is-ancestor', older, newer])).code === 0;
}

/** The working tree in which the branch is checked out; null where it is in none. */
async function checkoutOf(root: string, ref: string): Promise<string | null> {
  const { stdout } = await runGit(root, ['worktree', 'list', '--porcelain', '-z']);
  for (const entry of stdout.split('\0\0')) {
    const fields = entry.split('\0');
    const path = fields.find((field) => field.startsWith('worktree '))?.slice('worktree '.length);
    if (path !== undefined && fields.includes(`branch ${ref}`)) return path;
  }
  return null;
}

/** Files git knows that differ from the last commit. */
async function uncommitted(checkout: string): Promise<string[]> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=no'];
  const { stdout } = await runGit(checkout, args);
  return stdout.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)]));
}

function named(files: readonly string[]): string {
  const shown = files.slice(0, 5).join(', ');
  return files.length > 5 ? `${shown} and ${files.length - 5} more` : shown;
}

function short(commit: string): string {
  return commit.slice(0, 10);
}
