import { failure, ok, type Result } from '../../../base/errors.ts';
import { complaint, runGit } from './git.ts';
import { identity } from './identity.ts';
import type { Worktree } from './worktree.ts';

/**
 * Commits what a run left uncommitted (ignored files stay out) and brings its branch to where the run
 * ended, whatever branch it had switched to meanwhile. Gives the branch's newest commit.
 */
export async function keepWork(tree: Worktree, message: string): Promise<Result<string>> {
  const { path, branch } = tree;
  const added = await runGit(path, ['add', '--all', '--', ':/']);
  if (added.code !== 0) return lost(complaint(added));
  const changed = await runGit(path, ['diff', '--cached', '--quiet']);
  if (changed.code !== 0) {
    const env = await identity(path);
    const args = ['commit', '--quiet', '--no-verify', '--message', message];
    const committed = await runGit(path, args, { env });
    if (committed.code !== 0) return lost(complaint(committed));
  }
  const head = await runGit(path, ['rev-parse', '--verify', 'HEAD^{commit}']);
  if (head.code !== 0) return lost(complaint(head));
  const commit = head.stdout.trim();
  const moved = await runGit(path, ['update-ref', `refs/heads/${branch}`, commit]);
  return moved.code === 0 ? ok(commit) : lost(complaint(moved));
}

function lost(why: string) {
  return failure('failed', `what the run left could not be committed: ${why}`);
}
