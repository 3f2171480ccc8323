import { toFailure } from '../../base/errors.ts';
import { firstFault } from '../../base/explain.ts';
import { failpoint } from '../../base/failpoint.ts';
import type { ModelPort, Readied } from '../models/port.ts';
import type { Claim } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';
import type { Kind, ModelHandle, Outcome, Progress, RunContext, YieldCause } from './handler.ts';
import { outcomeOfThrow } from './outcome.ts';
import { type Pace, paceAfter } from './pace.ts';
import type { Surroundings } from './ports.ts';

/** One job in flight: the way to ask it to stop, and what it last said. */
export interface Flight {
  readonly claim: Claim;
  readonly startedAt: number;
  progress: Progress | null;
  /** How fast it goes; null while it has not said how far it is. */
  pace: Pace | null;
  /** When it last showed that it gets on: rows or a checkpoint landed, progress told; monotonic ms. */
  readonly signAt: number;
  /** The cause it was asked to stop for; null while nobody asked. */
  readonly asked: YieldCause | null;
  /**
   * Asks it to return at its next step, and aborts it after the grace. Asked again, the first cause
   * stands and the earlier end counts. True when this was the first time.
   */
  ask(cause: YieldCause, graceMs: number): boolean;
  /** Resolves when the run has ended and was settled. */
  readonly settled: Promise<void>;
}

export interface RunParts extends Surroundings {
  readonly queue: Queue;
  readonly models: ModelPort;
  readonly kind: Kind | undefined;
  /** Another reason to stop at a step's end, asked at each: a light job waits. */
  readonly wanted: () => YieldCause | null;
  readonly onProgress: () => void;
  /** Carries the outcome out; called exactly once. */
  readonly settle: (claim: Claim, outcome: Outcome, askedAt: number | null) => Promise<void>;
}

/** After an abort that the handler ignores, the run is given up and its job goes back. */
const ABANDON_AFTER_MS = 10_000;

/** Load, run and settle one claimed job; never throws. */
export function runJob(parts: RunParts, claim: Claim): Flight {
  const { clock } = parts;
  const abort = new AbortController();
  let asked: YieldCause | null = null;
  let askedAt: number | null = null;
  let abortsAt = Number.POSITIVE_INFINITY;
  let overran: { seconds: number } | null = null;
  let giveUp: (outcome: Outcome) => void = () => {};
  let ended = false;
  const timers = new Set<() => void>();
  const after = (ms: number, run: () => void) => timers.add(clock.timer(ms, run));

  function stop(outcome: () => Outcome): void {
    abort.abort();
    after(ABANDON_AFTER_MS, () => giveUp(outcome()));
  }

  const budget = parts.config().jobBudgetsSeconds[claim.job.kind];
  let cancelDeadline = () => {};
  function startDeadline(): void {
    cancelDeadline();
    if (budget === undefined) return;
    cancelDeadline = clock.timer(budget * 1000, () => {
      overran = { seconds: budget };
      stop(() => outcomeOfThrow(null, null, overran));
    });
  }

  const flight = {
    claim,
    startedAt: clock.now(),
    progress: null as Progress | null,
    pace: null as Pace | null,
    signAt: clock.monotonic(),
    get asked() {
      return asked;
    },
    ask(cause: YieldCause, graceMs: number) {
      if (ended) return false;
      const isFirst = asked === null;
      const first = asked ?? cause;
      asked = first;
      askedAt ??= clock.now();
      const abortAt = clock.monotonic() + graceMs;
      if (abortAt >= abortsAt) return isFirst;
      abortsAt = abortAt;
      after(graceMs, () => stop(() => ({ kind: 'yielded', cause: first })));
      return isFirst;
    },
    settled: Promise.resolve(),
  };

  async function go(): Promise<void> {
    failpoint('claim.after');
    startDeadline();
    const abandoned = new Promise<Outcome>((resolve) => {
      giveUp = resolve;
    });
    const outcome = await Promise.race([attempt(), abandoned]);
    ended = true;
    cancelDeadline();
    for (const cancel of timers) cancel();
    await parts.settle(claim, outcome, askedAt);
  }

  async function attempt(): Promise<Outcome> {
    const { kind } = parts;
    if (!kind) return { kind: 'failed', error: `no handler for kind '${claim.job.kind}'` };
    try {
      const model = kind.modelFree ? NO_MODEL : await ready(parts.models, claim, abort.signal);
      if ('kind' in model) return asked ? { kind: 'yielded', cause: asked } : model;
      if (asked) return { kind: 'yielded', cause: asked };
      flight.signAt = clock.monotonic();
      const context: RunContext = {
        job: claim.job,
        clock,
        model,
        signal: abort.signal,
        shouldYield: () => asked ?? parts.wanted(),
        checkpoint(token, rows = []) {
          failpoint('checkpoint.before');
          if (abort.signal.aborted && !asked) throw new Error('this run was stopped');
          if (!save(parts, claim, token, rows)) throw new Error('this claim is void');
          failpoint('checkpoint.after');
          flight.signAt = clock.monotonic();
          startDeadline();
        },
        progress(progress) {
          flight.progress = progress;
          flight.pace = paceAfter(flight.pace, progress, clock.now());
          flight.signAt = clock.monotonic();
          parts.onProgress();
        },
      };
      const outcome = await kind.run(context);
      return overran ? outcomeOfThrow(null, null, overran) : outcome;
    } catch (error) {
      parts.log.warn({ job: claim.id, kind: claim.job.kind, error: String(error) }, 'a run threw');
      return outcomeOfThrow(error, asked, overran);
    }
  }

  flight.settled = go();
  return flight;
}

/**
 * Commits a resume token with the rows of its batch; false when the claim is void. Where the database
 * cannot take a mere token now (a full disk), the run goes on without: what is lost is only the
 * shorter way back.
 */
function save(
  { queue, log, kind }: RunParts,
  claim: Claim,
  token: unknown,
  rows: readonly unknown[],
): boolean {
  if (rows.length > 0) return queue.saveCheckpoint(claim, token, landing(kind, claim, rows));
  try {
    return queue.saveCheckpoint(claim, token);
  } catch (error) {
    const { code, message } = toFailure(error);
    if (code === 'failed') throw error;
    log.warn({ job: claim.id, code, message }, 'a checkpoint was not stored');
    return true;
  }
}

/** Checks the rows before anything is written, and lands them inside the checkpoint's transaction. */
function landing(kind: Kind | undefined, { job }: Claim, rows: readonly unknown[]): () => void {
  const { batches } = kind ?? {};
  if (!batches) throw new Error(`the kind '${job.kind}' lands no batches`);
  const checked = rows.map((row, i) => {
    const parsed = batches.row.safeParse(row);
    if (parsed.success) return parsed.data;
    throw new Error(`row ${i + 1} of a batch is wrong: ${firstFault(parsed.error, 'the row')}`);
  });
  return () => {
    batches.land(job, checked);
    failpoint('batch.inside');
  };
}

async function ready(
  models: ModelPort,
  claim: Claim,
  signal: AbortSignal,
): Promise<ModelHandle | Outcome> {
  failpoint('load.before');
  const { tier, numCtx } = claim.job;
  const readied: Readied = await models.ensure({ tier, numCtx }, signal, claim.id);
  failpoint('load.after');
  if (readied.ok) {
    return {
      label: readied.label,
      model: readied.model,
      numCtx: readied.numCtx,
      chat: (request, also) =>
        readied.chat(request, also ? AbortSignal.any([signal, also]) : signal),
    };
  }
  const { never, code, reason, reviveAt } = readied;
  return never ? { kind: 'failed', error: reason } : { kind: 'deferred', code, reason, reviveAt };
}

const NO_MODEL: ModelHandle = {
  label: '',
  model: '',
  numCtx: 0,
  chat: () => Promise.reject(new Error('this kind of work asked for no model')),
};
