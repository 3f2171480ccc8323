import { dirname, join } from 'node:path';
import { failure, type Result } from '../../../base/errors.ts';
import type { RosterRepository, RosterSettings } from '../../../base/roster-schema.ts';
import type { RunContext, YieldCause } from '../../../engine/supervisor/handler.ts';
import { type ChildSurroundings, childRunner } from '../cycle/child.ts';
import { type CycleResult, runCycle } from '../cycle/cycle.ts';
import { readHead } from '../cycle/read-head.ts';
import { platformOf } from '../lock/platform.ts';
import { findConfig } from '../repository/find-config.ts';
import { taskLogs } from '../repository/places.ts';
import { type Changes, changesBetween } from '../worktree/changes.ts';
import { keepWork } from '../worktree/keep.ts';
import type { Repository } from '../worktree/repository.ts';
import type { Worktree } from '../worktree/worktree.ts';
import type { CycleWork } from './cadences.ts';
import { hostedLock, type LockGround } from './hosted-lock.ts';
import { keepLogs, lendLogs, pruneLogs } from './log-book.ts';
import { keepOutput } from './output.ts';
import { logBook } from './places.ts';

/** Where a cycle runs, and from where it began. */
export interface There {
  work: CycleWork;
  entry: RosterRepository;
  settings: RosterSettings;
  repository: Repository;
  tree: Worktree;
}

/** What came of a cycle in its working tree. */
export interface Came {
  /** Set when it was stopped before its end: nothing of it is kept. */
  stopped: YieldCause | null;
  result: CycleResult | null;
  /** Why it could not even begin. */
  fault: { message: string; hint?: string | undefined } | null;
  /** What it left on its branch; null where nothing is kept. */
  left: { head: string; changes: Changes } | null;
  log: string;
  learnings: string;
  /** The end of what was printed. */
  output: string;
  millis: number;
}

/** Said to programs and in logs of a run that is stopped before its end. */
const STOPPED = 'Lull gives the machine back';
const PREPARE_LIMIT_MS = 60 * 60_000;
const MOST_LOG_BYTES = 20_000;

/**
 * Runs a cycle in its working tree, and commits what it left. Logs of earlier runs are lent to it, and its
 * own are kept, though its branch may never be merged.
 */
export async function runThere(
  ground: LockGround,
  context: RunContext,
  there: There & { mark: string },
): Promise<Came> {
  const { clock, signal } = context;
  const { work, entry, settings, repository, tree } = there;
  const started = clock.monotonic();
  const cwd = join(tree.path, repository.inside);
  const output = keepOutput(clock, context.progress);
  const came = (more: Partial<Came>): Came => ({
    ...{ stopped: null, result: null, fault: null, left: null, log: '', learnings: '' },
    output: output.text(),
    millis: Math.round(clock.monotonic() - started),
    ...more,
  });
  const stop = new AbortController();
  const onAbort = () => stop.abort(STOPPED);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const env = { ...ground.env, ...outerConfig(repository, ground.env) };
  const around = { cwd, env, clock, signal: stop.signal, say: output, familyMark: there.mark };
  try {
    const prepared = await prepare(entry, around);
    if (signal.aborted) return came({ stopped: context.shouldYield() ?? 'quitting' });
    if (!prepared.ok) return came({ fault: prepared });

    const book = logBook(ground.home.cycles, entry.path, work.cadence);
    const own = taskLogs(repository.path, work.cadence);
    const lent = lendLogs([book, own], taskLogs(cwd, work.cadence), clock.now());
    const options = {
      cadence: work.cadence,
      platform: platformOf(entry.platform, env),
      model: entry.model,
      handoffLimitMs: entry.timeLimitMinutes * 60_000,
    };
    const lock = hostedLock(cwd, settings, { ...ground, env });
    const result = await runCycle(options, { ...around, openLock: () => lock });
    if (signal.aborted && result.status !== 'completed') {
      if (lock.ok) await lock.value.release({ cadence: work.cadence, agent: result.agent });
      return came({ stopped: context.shouldYield() ?? 'quitting', result });
    }
    const log = textOf(result.logFile);
    keepLogs(lent, book);
    pruneLogs(book, clock.now());
    if (result.startedAt === null) return came({ result, log });
    const left = await keep(there, result);
    if (!left.ok) return came({ result, log, fault: left });
    return came({ result, log, left: left.value, learnings: textOf(result.memoryFile) });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Makes the fresh working tree fit to be worked in, in the owner's own words. */
async function prepare(
  { prepare, path }: RosterRepository,
  around: ChildSurroundings,
): Promise<Result<true>> {
  if (prepare === null) return { ok: true, value: true };
  const ended = await childRunner(around)({
    label: 'prepare',
    program: 'bash',
    args: ['-lc', prepare],
    env: { LULL_REPOSITORY: path },
    limitMs: PREPARE_LIMIT_MS,
  });
  if (ended.code === 0) return { ok: true, value: true };
  const why = ended.fault ?? `It ended with exit code ${ended.code}.`;
  return failure('failed', `the working tree could not be prepared: ${why}`, `look at: ${prepare}`);
}

async function keep({ work, tree, repository }: There, result: CycleResult) {
  const title = `${work.cadence === 'daily' ? 'Daily' : 'Weekly'} cycle of ${result.agent}`;
  const kept = await keepWork(tree, `${title}\n\n${result.reason}\n`);
  if (!kept.ok) return kept;
  const head = kept.value;
  const changes = await changesBetween(tree.path, repository.head, head);
  return changes.ok ? { ok: true as const, value: { head, changes: changes.value } } : changes;
}

/** A configuration outside the repository is not in its working tree: it is named to those who look for it. */
function outerConfig({ path, root }: Repository, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const found = findConfig(path, env);
  if (!found || found.named || dirname(found.path).startsWith(root)) return {};
  return { TORCH_CONFIG_PATH: found.path };
}

function textOf(file: string | null): string {
  return file === null ? '' : (readHead(file, MOST_LOG_BYTES) ?? '');
}
