import { type Failure, toFailure } from '../../../base/errors.ts';
import * as choosing from './choosing.ts';
import { redact } from './excerpt.ts';
import * as executing from './executing.ts';
import * as locking from './locking.ts';
import {
  type CycleOptions,
  type CycleSurroundings,
  type Ending,
  failed,
  type Outcome,
  openRun,
  type Run,
  type Step,
} from './run.ts';
import { whyStopped } from './stopped.ts';
import { summaryLines } from './summary.ts';
import { writeTaskLog } from './task-log.ts';
import * as verifying from './verifying.ts';

/**
 * The steps of a cycle after the first two, the arguments and the roster. A race that is lost leads back
 * to the run state.
 */
const STEPS: readonly (readonly [name: string, step: Step])[] = [
  ['policy', choosing.showPolicy],
  ['run-state', choosing.readState],
  ['preflight', choosing.preflight],
  ['check', choosing.checkLock],
  ['time-window', choosing.guardWindow],
  ['choice', choosing.choose],
  ['lock', locking.takeLock],
  ['prompt', executing.readPrompt],
  ['retrieve', executing.retrieveMemory],
  ['handoff', executing.handOff],
  ['store', executing.storeMemory],
  ['memory', verifying.verifyMemory],
  ['artifacts', verifying.verifyArtifacts],
  ['validation', verifying.validate],
  ['complete', locking.completeLock],
  ['log', () => ({ end: DONE })],
];

const RUN_STATE = STEPS.findIndex(([name]) => name === 'run-state');

const DONE: Ending = {
  status: 'completed',
  reason: 'Scheduler cycle completed successfully',
  code: 0,
};

export interface CycleResult {
  /** Exit code: 0 for completed, deferred and skipped; 2 a lock or a disk that fails; else what failed. */
  code: number;
  /** Refused: the input is wrong, and nothing was done or written. */
  status: 'completed' | 'failed' | 'deferred' | 'skipped' | 'refused';
  /** Whose turn it was, or `scheduler` where nobody's prompt was reached. */
  agent: string;
  reason: string;
  detail: string | null;
  promptPath: string | null;
  /** The log that was written, an absolute path; null where there is none. */
  logFile: string | null;
  /** Where the agent was asked to write what it learned; the file need not exist. */
  memoryFile: string | null;
  /** When the agent's part began (epoch milliseconds), or null. */
  startedAt: number | null;
  refused: Failure | null;
}

/**
 * Runs one cycle of a repository's roster: chooses whose turn it is, takes the lock, hands the prompt over,
 * verifies what the run left, and publishes its completion only after every gate is passed. Everything
 * is told to `around.say`, a summary last, and (but for refusals and saturation) kept as a log in
 * `task-logs/<cadence>/`. Ends every process it started. Never rejects.
 */
export async function runCycle(
  options: CycleOptions,
  around: CycleSurroundings,
): Promise<CycleResult> {
  const opened = openRun(options, around);
  if (!opened.ok) return refusal(opened);
  const run = opened.value;
  for (let at = 0; ; ) {
    const outcome = await take(run, at);
    if (outcome === 'on') at += 1;
    else if (outcome === 'again') at = RUN_STATE;
    else {
      await run.held?.stop();
      await Promise.all(run.children);
      return finish(run, outcome.end);
    }
  }
}

/** One step; what it throws, and a stop between steps, are ends like any other. */
async function take(run: Run, at: number): Promise<Outcome> {
  const { signal } = run.around;
  const [name, step] = STEPS[at] as (typeof STEPS)[number];
  try {
    const outcome = await step(run);
    if (!signal.aborted || name === 'complete' || name === 'log') return outcome;
    // What a step of the agent's part says of its end is more than that it was stopped.
    const said = typeof outcome === 'object' && run.startedAt > 0;
    return said ? outcome : broken(run, whyStopped(signal), 1);
  } catch (error) {
    const { message, hint } = toFailure(error);
    return broken(run, `${message}${hint ? ` - ${hint}` : ''}.`, 2);
  }
}

/** An end that no step foresaw. Before the agent's part it is nobody's run. */
function broken(run: Run, why: string, code: number): { end: Ending } {
  if (run.startedAt > 0) {
    return failed('execution_error', 'Prompt/handoff execution failed', why, code);
  }
  const reason = 'Failed to acquire lock';
  const detail = `${why} Prompt not executed.`;
  return { end: { status: 'failed', reason, detail, code, agent: 'scheduler' } };
}

function refusal(refused: Failure): CycleResult {
  return {
    status: 'refused',
    code: 1,
    agent: 'scheduler',
    reason: refused.message,
    detail: refused.hint ?? null,
    promptPath: null,
    logFile: null,
    memoryFile: null,
    startedAt: null,
    refused,
  };
}

function finish(run: Run, end: Ending): CycleResult {
  const { around, options, logs } = run;
  const { platform, cadence } = options;
  const { reason, metadata = {} } = end;
  const agent = end.agent ?? (run.agent || 'scheduler');
  const detail = end.detail === undefined ? null : redact(end.detail, around.env);
  let { status, code } = end;
  let logFile: string | null = null;
  if (status !== 'skipped') {
    const log = { cadence, agent, status, reason, detail, platform, metadata };
    try {
      logFile = writeTaskLog(logs, log, around.clock.now());
    } catch (error) {
      around.say.err(`[cycle] The log could not be written: ${toFailure(error).message}`);
      status = 'failed';
      code ||= 2;
    }
  }
  const promptPath = run.prompt?.path ?? null;
  const { memoryFile, startedAt } = run;
  const told = { status, agent, promptPath, platform, reason, detail };
  for (const line of summaryLines(told, memoryFile)) around.say.out(line);
  return {
    ...{ status, code, agent, reason, detail, promptPath, logFile, memoryFile },
    startedAt: startedAt || null,
    refused: null,
  };
}
