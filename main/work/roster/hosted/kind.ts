import { dirname } from 'node:path';
import { z } from 'zod';
import { toFailure } from '../../../base/errors.ts';
import { randomToken } from '../../../base/ids.ts';
import type { RosterSettings } from '../../../base/roster-schema.ts';
import type { CycleRunEnd, CycleRunsTable } from '../../../base/store/cycle-runs.ts';
import type { Kind, Outcome, RunContext } from '../../../engine/supervisor/handler.ts';
import { payloadOf } from '../../agent/run.ts';
import { CADENCES } from '../repository/cadence.ts';
import { openRepository } from '../worktree/repository.ts';
import { makeWorktree, removeBranch, removeWorktree, type Worktree } from '../worktree/worktree.ts';
import { consented } from './consent.ts';
import type { LockGround } from './hosted-lock.ts';
import { endOf, outcomeOf } from './landing.ts';
import { newPlace } from './places.ts';
import { removeEmpty } from './remove-empty.ts';
import { runThere, type There } from './run-there.ts';

export interface CycleKindParts {
  config: () => RosterSettings;
  runs: Pick<CycleRunsTable, 'begin' | 'end' | 'clean'>;
  lockGround: LockGround;
}

export const cyclePayload = z.object({
  repository: z.string().min(1),
  cadence: z.enum(CADENCES),
});

/**
 * The kind `cycle`: one turn of a repository's roster, in a working tree and on a branch of its own. It
 * needs no model of ours. It cannot be cut into steps: asked to yield, it may end within the grace;
 * after that its programs are ended whole, what they did is thrown away, and it is begun anew later.
 */
export function cycleKind(parts: CycleKindParts): Kind {
  return {
    name: 'cycle',
    idempotent: false,
    modelFree: true,
    run: (context) => run(parts, context),
  };
}

async function run(parts: CycleKindParts, context: RunContext): Promise<Outcome> {
  const { job, clock } = context;
  const work = payloadOf(cyclePayload, 'cycle', job.payload);
  const settings = parts.config();
  const entry = consented(settings, work.repository);
  if (!entry.ok) return failed(entry);
  const repository = await openRepository(entry.value.path);
  if (!repository.ok) return failed(repository);
  const asked = context.shouldYield();
  if (asked) return { kind: 'yielded', cause: asked };

  const { root, head: base } = repository.value;
  const { cycles } = parts.lockGround.home;
  const place = newPlace(cycles, root, work.cadence, clock.now());
  const tree: Worktree = { root, path: place.worktree, branch: place.branch };
  const mark = randomToken(12);
  const id = parts.runs.begin({
    ...{ job: job.id, claimNo: job.claimNo, mark, startedAt: clock.now() },
    ...work,
    ...{ root, ...place },
  });
  let end: CycleRunEnd = { ...NOTHING, status: 'failed', reason: 'It broke off.' };
  try {
    const made = await makeWorktree(tree, base);
    if (!made.ok) {
      end = { ...end, reason: made.message };
      return failed(made);
    }
    const there: There = { work, entry: entry.value, settings, repository: repository.value, tree };
    const came = await runThere(parts.lockGround, context, { ...there, mark });
    end = endOf(came);
    return outcomeOf(came, there);
  } catch (error) {
    end = { ...end, reason: toFailure(error).message };
    throw error;
  } finally {
    await removeWorktree(tree);
    removeEmpty(dirname(tree.path));
    const gone = end.head === null && (await removeBranch(tree));
    parts.runs.end(id, end, clock.now());
    if (gone) parts.runs.clean(id, clock.now());
  }
}

const NOTHING = { agent: null, detail: null, head: null };

function failed({ message, hint }: { message: string; hint?: string | undefined }): Outcome {
  return { kind: 'failed', error: hint === undefined ? message : `${message}; ${hint}` };
}
