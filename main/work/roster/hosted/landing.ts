import { basename } from 'node:path';
import type { CycleRunEnd } from '../../../base/store/cycle-runs.ts';
import type { NewDraft } from '../../../base/store/drafts.ts';
import type { Landing, Outcome } from '../../../engine/supervisor/handler.ts';
import type { CycleResult } from '../cycle/cycle.ts';
import type { CycleBody } from '../draft-body.ts';
import type { Changes } from '../worktree/changes.ts';
import type { Came, There } from './run-there.ts';

/** The reason of a cycle that found everybody taken, as logs say it. */
const ALL_CLAIMED = 'All roster tasks currently claimed by other agents';

/** How a run is recorded. */
export function endOf({ stopped, result, fault, left }: Came): CycleRunEnd {
  const agent = result && result.agent !== 'scheduler' ? result.agent : null;
  if (stopped) {
    const reason = 'Stopped before its end; it is begun anew.';
    return { status: 'interrupted', agent, reason, detail: null, head: null };
  }
  if (fault || !result) {
    const reason = fault?.message ?? 'It broke off.';
    return { status: 'failed', agent, reason, detail: result?.reason ?? null, head: null };
  }
  const { status, reason, detail } = result;
  const head = left && keepsDraft(result, left.changes) ? left.head : null;
  return { status, agent, reason, detail, head };
}

/** What follows from it for the job: a draft, a reason, or a failure. */
export function outcomeOf(came: Came, there: There): Outcome {
  const { stopped, result, fault, left } = came;
  if (stopped) return { kind: 'yielded', cause: stopped };
  if (fault || !result) {
    const hint = fault?.hint === undefined ? '' : `; ${fault.hint}`;
    return { kind: 'failed', error: `${fault?.message ?? 'it broke off'}${hint}` };
  }
  const said = result.detail === null ? result.reason : `${result.reason}: ${result.detail}`;
  if (result.status === 'deferred') return done(`Put off. ${said}`);
  if (result.status === 'skipped' || isNobodysTurn(result)) return done(`Nobody's turn. ${said}`);
  const landing = left && landingOf(came, result, left, there);
  if (result.status === 'completed' && landing) return { kind: 'done', landing };
  return { kind: 'failed', error: said, ...(landing && { landing }) };
}

/** Others have every agent whose turn it could be: no failure here, and nothing to be told of. */
function isNobodysTurn({ status, reason }: CycleResult): boolean {
  return status === 'failed' && reason === ALL_CLAIMED;
}

function done(result: string): Outcome {
  return { kind: 'done', landing: { result } };
}

/** A run that failed leaves a draft only where its agent changed something; its log is kept anyway. */
function keepsDraft({ status }: CycleResult, { files, total }: Changes): boolean {
  if (status === 'completed' || total.files > files.length) return true;
  return files.some(({ path }) => !/(^|\/)(task-logs|memory-updates)\//.test(path));
}

function landingOf(
  came: Came,
  result: CycleResult,
  left: NonNullable<Came['left']>,
  there: There,
): Landing {
  const { files, added, removed } = left.changes.total;
  const changed = `${files} ${files === 1 ? 'file' : 'files'} changed, +${added} −${removed}`;
  const draft = draftOf(came, result, left, there, changed);
  return {
    result: `${result.agent}: ${changed}`,
    ...(keepsDraft(result, left.changes) && { draft }),
    transcript: {
      status: result.status,
      model: there.entry.model ?? result.agent,
      messages: [{ role: 'printed', content: came.output }],
      usage: { promptTokens: 0, outputTokens: 0, turns: 0, millis: came.millis },
    },
  };
}

function draftOf(
  came: Came,
  result: CycleResult,
  { head, changes }: NonNullable<Came['left']>,
  { work, entry, repository, tree }: There,
  changed: string,
): Omit<NewDraft, 'job' | 'createdAt'> {
  const { agent, reason, detail } = result;
  const status = result.status === 'completed' ? 'completed' : 'failed';
  const by =
    entry.platform === null ? `the agent ${agent}` : `the agent ${agent} on ${entry.platform}`;
  const body: CycleBody = {
    ...{ repository: entry.path, root: repository.root, cadence: work.cadence, agent },
    ...{ status, reason, detail, target: repository.branch, branch: tree.branch },
    ...{ base: repository.head, head, changes, log: came.log, learnings: came.learnings },
    provenance:
      status === 'completed'
        ? `Made by ${by}; the repository's own checks passed, Lull has checked nothing.`
        : `Made by ${by}; the run failed, so nothing of it is verified.`,
    steps: { count: 0, millis: came.millis, tools: [] },
  };
  const name = basename(entry.path);
  return {
    kind: 'cycle',
    title:
      status === 'completed'
        ? `${agent} in ${name}: ${changed}`
        : `${agent} in ${name} failed: ${reason}`,
    subject: entry.path,
    // A newer run of an agent began from the same branch and does the same duty: it takes the place of
    // one that was not decided. One that failed never takes the place of one that did not.
    topic: `cycle:${status}:${work.cadence}:${entry.path}:${agent}`,
    body,
    totalCents: null,
    currency: null,
    model: entry.model,
  };
}
