import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../main/base/clock.ts';
import { cycleRunsTable } from '../../../../main/base/store/cycle-runs.ts';
import { FAMILY_MARK } from '../../../../main/work/roster/cycle/family.ts';
import { tidier } from '../../../../main/work/roster/hosted/tidy.ts';
import { makeWorktree } from '../../../../main/work/roster/worktree/worktree.ts';
import { good } from '../../../support/desk.ts';
import { git, repositoryOf } from '../../../support/git-repository.ts';
import { temporaryFolder, temporaryStore } from '../../../support/store.ts';

async function over() {
  const store = await temporaryStore();
  const runs = cycleRunsTable(store.db);
  const root = repositoryOf({ 'a.txt': 'a' });
  const needed = new Set<number>();
  const tidy = tidier({
    ...{ runs, clock: systemClock(), isNeeded: (run) => needed.has(run.id) },
    onFault(error) {
      throw error;
    },
  });
  /** A run with its tree and branch; ended, unless it broke off. */
  async function ran(name: string, ended: boolean) {
    const worktree = join(temporaryFolder(), name);
    const tree = { root, path: worktree, branch: `lull/daily/${name}` };
    const head = git(root, 'rev-parse', 'HEAD');
    good(await makeWorktree(tree, head));
    const id = runs.begin({
      ...{ job: 1, claimNo: 1, repository: root, cadence: 'daily', root, worktree },
      ...{ branch: tree.branch, mark: `mark-${name}`, startedAt: Date.now() },
    });
    if (!ended) return { id, ...tree };
    git(root, 'worktree', 'remove', worktree);
    const how = { status: 'completed', agent: 'x', reason: 'r', detail: null, head } as const;
    runs.end(id, how, Date.now());
    return { id, ...tree };
  }
  const branches = () => git(root, 'branch', '--list', 'lull/*', '--format=%(refname:short)');
  return { runs, root, needed, tidy, ran, branches };
}

describe('what cycles leave in a repository', () => {
  it('T6 a branch stays while a draft stands on it, goes when it is decided, and comes back', async () => {
    const { runs, root, needed, tidy, ran, branches } = await over();
    const one = await ran('one', true);
    needed.add(one.id);
    tidy.tidy();
    await tidy.idle();
    expect(branches()).toBe(one.branch);
    needed.clear();
    tidy.tidy();
    await tidy.idle();
    expect(branches()).toBe('');
    expect(runs.uncleaned()).toEqual([]);

    tidy.restore(one.branch, root, git(root, 'rev-parse', 'HEAD'));
    needed.add(one.id);
    tidy.tidy();
    await tidy.idle();
    expect(branches()).toBe(one.branch);
    expect(runs.uncleaned()).toMatchObject([{ id: one.id }]);
  });

  it('T6 a branch that the owner has checked out is left until it is free', async () => {
    const { root, tidy, ran, branches, runs } = await over();
    const { branch } = await ran('one', true);
    git(root, 'switch', '--quiet', branch);
    tidy.tidy();
    await tidy.idle();
    expect(branches()).toBe(branch);
    git(root, 'switch', '--quiet', 'main');
    tidy.tidy();
    await tidy.idle();
    expect(runs.uncleaned()).toEqual([]);
    expect(branches()).toBe('');
  });

  it('T6 after a crash, what still runs is ended, and tree and branch are removed', async () => {
    const { runs, tidy, ran, branches } = await over();
    const broken = await ran('broken', false);
    const left = spawn('sleep', ['600'], {
      ...{ detached: true, stdio: 'ignore', cwd: broken.path },
      env: { PATH: process.env.PATH, [FAMILY_MARK]: 'mark-broken.some-child' },
    });
    const ended = once(left, 'exit');
    tidy.recover();
    expect(runs.latest(1)).toMatchObject([{ status: 'broken', head: null }]);
    await tidy.idle();
    await ended;
    expect(existsSync(broken.path)).toBe(false);
    expect(branches()).toBe('');
    expect(runs.uncleaned()).toEqual([]);
  });

  it('T6 a run that goes on is not touched', async () => {
    const { tidy, ran, branches } = await over();
    const running = await ran('running', false);
    tidy.tidy();
    await tidy.idle();
    expect(branches()).toBe(running.branch);
    expect(existsSync(running.path)).toBe(true);
  });
});
