import { dirname } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import type { CycleRun, CycleRunsTable } from '../../../base/store/cycle-runs.ts';
import { endMarked } from '../cycle/family.ts';
import { removeBranch, removeWorktree, restoreBranch } from '../worktree/worktree.ts';
import { removeEmpty } from './remove-empty.ts';

export interface TidyParts {
  runs: CycleRunsTable;
  clock: Clock;
  /** Whether a draft that is not decided yet stands on the run, or the run may still land one. */
  isNeeded: (run: CycleRun) => boolean;
  onFault: (error: unknown) => void;
}

/** Keeps repositories free of what no draft needs any more. */
export interface Tidier {
  /** Removes the branches of decided drafts, soon. Never throws. */
  tidy(): void;
  /** A dismissal was taken back: its branch comes back, as long as git still has the commit. */
  restore(branch: string, root: string, commit: string): void;
  /** Once at the start: what a crash left is ended and removed. */
  recover(): void;
  /** Resolves when nothing is being removed. */
  idle(): Promise<void>;
}

const KEPT_MS = 90 * 86_400_000;

/** One thing after another, so that no two meet at one repository. */
export function tidier({ runs, clock, isNeeded, onFault }: TidyParts): Tidier {
  let last: Promise<void> = Promise.resolve();
  const soon = (work: () => Promise<void>) => {
    last = last.then(work).catch(onFault);
  };

  async function tidyNow(): Promise<void> {
    for (const run of runs.uncleaned()) {
      if (run.endedAt === null || isNeeded(run)) continue;
      // A branch that is checked out somewhere stays, and is looked at again another time.
      if (await removeBranch(run)) runs.clean(run.id, clock.now());
    }
    runs.forget(clock.now() - KEPT_MS);
  }

  async function clearAway(run: CycleRun): Promise<void> {
    await endMarked(run.mark, clock);
    await removeWorktree({ root: run.root, path: run.worktree });
    removeEmpty(dirname(run.worktree));
    await removeBranch(run);
  }

  return {
    tidy: () => soon(tidyNow),
    restore: (branch, root, commit) =>
      soon(async () => {
        if (await restoreBranch({ root, branch }, commit)) runs.useAgain(branch);
      }),
    recover() {
      // Ended now, before anything new begins; cleared away meanwhile.
      const broken = runs.uncleaned().filter(({ endedAt }) => endedAt === null);
      const reason = 'Lull ended without warning meanwhile.';
      for (const { id } of broken) {
        const how = { status: 'broken', agent: null, reason, detail: null, head: null } as const;
        runs.end(id, how, clock.now());
      }
      soon(async () => {
        for (const run of broken) await clearAway(run);
      });
      soon(tidyNow);
    },
    idle: () => last,
  };
}
