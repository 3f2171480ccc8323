import type { Clock } from '../../../base/clock.ts';
import { failure, ok, type Result } from '../../../base/errors.ts';
import type { Keeping } from '../lock/port.ts';
import type { Cadence } from '../repository/cadence.ts';
import { readRepositoryConfig, type SchedulerSettings } from '../repository/config.ts';
import { taskLogs } from '../repository/places.ts';
import { readRoster } from '../repository/roster.ts';
import { type ChildEnd, childRunner, type LineSink, type RunChild } from './child.ts';
import type { CycleLock, LockTries } from './lock.ts';
import { type RunState, readRunState } from './run-state.ts';
import type { LogMetadata, LogStatus } from './task-log.ts';

export interface CycleOptions {
  cadence: Cadence;
  /** What runs the agent, for example `claude`. */
  platform: string;
  model: string | null;
  /** How long the agent may take. */
  handoffLimitMs: number;
}

export interface CycleSurroundings {
  /** The repository, an absolute path. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  /** Stops the cycle when it aborts: children are ended whole, and a log is written. */
  signal: AbortSignal;
  say: LineSink;
  /** Opens the lock; called once the repository was read and is sound. */
  openLock(runChild: RunChild): Result<CycleLock>;
}

/** The one value that goes through the steps; what is not known yet is empty. */
export interface Run {
  readonly options: CycleOptions;
  readonly around: CycleSurroundings;
  readonly runChild: RunChild;
  /** Children that have not been ended yet. */
  readonly children: ReadonlySet<Promise<ChildEnd>>;
  readonly settings: SchedulerSettings;
  readonly lock: CycleLock;
  readonly roster: readonly string[];
  /** The folder of logs and run state. */
  readonly logs: string;
  state: RunState;
  /** Agents that somebody else took while we reached for them. */
  readonly lost: Set<string>;
  excluded: Set<string>;
  recent: ReadonlySet<string>;
  previous: string | null;
  /** Why the lock could not be checked, for the agent whose turn it would have been. */
  checkFault: LockTries | null;
  agent: string;
  held: Keeping | null;
  prompt: { path: string; text: string } | null;
  /** When the agent's part began (epoch milliseconds); 0 before. */
  startedAt: number;
  memoryFile: string | null;
  /** Markers seen in what commands printed. */
  readonly found: Set<string>;
}

/** Reads the repository: its settings, and the roster of the cadence, which must not be empty. */
export function openRun(options: CycleOptions, around: CycleSurroundings): Result<Run> {
  const { cadence } = options;
  const { cwd, env, clock } = around;
  const roster = readRoster(cwd);
  if (!roster.ok) return roster;
  if (roster.value[cadence].length === 0) {
    const hint = `list agents in src/prompts/roster.json under "${cadence}"`;
    return failure('invalid', `No roster entries for cadence ${cadence}`, hint);
  }
  const config = readRepositoryConfig(cwd, env);
  if (!config.ok) return config;
  const children = new Set<Promise<ChildEnd>>();
  const runChild = remembering(children, childRunner(around));
  const lock = around.openLock(runChild);
  if (!lock.ok) return lock;
  const logs = taskLogs(cwd, cadence);
  return ok({
    ...{ options, around, logs },
    ...{ runChild, children },
    settings: config.value.scheduler,
    lock: lock.value,
    roster: roster.value[cadence],
    state: readRunState(logs, clock.now()),
    lost: new Set(),
    excluded: new Set(),
    recent: new Set(),
    previous: null,
    checkFault: null,
    agent: '',
    held: null,
    prompt: null,
    startedAt: 0,
    memoryFile: null,
    found: new Set(),
  });
}

/** So that nobody goes before the last child has been ended. */
function remembering(children: Set<Promise<ChildEnd>>, runChild: RunChild): RunChild {
  return (order) => {
    const ended = runChild(order);
    children.add(ended);
    return ended.finally(() => children.delete(ended));
  };
}

/** How a cycle ends. */
export interface Ending {
  status: LogStatus | 'skipped';
  reason: string;
  detail?: string | undefined;
  /** Exit code. */
  code: number;
  /** Where it is not the agent's: `scheduler`. */
  agent?: 'scheduler';
  metadata?: LogMetadata;
}

/** On to the next step; again from the run state; or the end. */
export type Outcome = 'on' | 'again' | { end: Ending };

export type Step = (run: Run) => Outcome | Promise<Outcome>;

type AfterLock = 'prompt_parse_error' | 'prompt_schema_error' | 'execution_error';

/** The end of a run that failed after it had its lock. */
export function failed(
  category: AfterLock,
  reason: string,
  detail: string,
  code = 1,
  more: LogMetadata = {},
): { end: Ending } {
  const metadata = {
    failure_category: category,
    failure_class: 'prompt_validation_error',
    ...more,
  };
  return { end: { status: 'failed', reason, detail, code: code || 1, metadata } };
}

/** How a command ended that should have ended well: `exit 3` or the sentence of its fault. */
export function howItEnded({ code, fault }: ChildEnd): string {
  return fault ?? `It ended with exit code ${code}.`;
}
