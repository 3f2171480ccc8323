import type { Clock } from '../../base/clock.ts';
import { type Config, TIERS } from '../../base/config-schema.ts';
import { toFailure } from '../../base/errors.ts';
import type { Store } from '../../base/store/database.ts';
import { holds, type Verdict } from '../gates/gate.ts';
import type { Job } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';
import type { Outcome } from '../supervisor/handler.ts';
import type { Log } from '../supervisor/ports.ts';
import type { Flight } from '../supervisor/run-job.ts';
import type { Reading } from './flags.ts';
import { type Health, healthOf } from './health.ts';
import type { ProcessPulse } from './pulse.ts';
import { gather, type SeriesKeeper } from './series.ts';
import type { Watchdog } from './watchdog.ts';

export interface VitalsParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly config: () => Pick<Config, 'watchdog'>;
  readonly store: Pick<Store, 'sizes'>;
  readonly queue: Pick<Queue, 'counts' | 'hasQueued' | 'waiting'>;
  readonly loadsSince: (from: number) => number;
  readonly pulse: ProcessPulse;
  readonly diskFreeBytes: () => number | null;
  readonly keeper: SeriesKeeper;
  readonly watchdog: Watchdog;
  readonly log: Pick<Log, 'warn'>;
  /** The health is another one now. */
  readonly onChange: () => void;
}

/** Counted since this life began. */
export interface Tally {
  /** How runs ended, by outcome. */
  settled: Record<string, number>;
  /** Why jobs gave way, by cause. */
  yielded: Record<string, number>;
  promptTokens: number;
  outputTokens: number;
}

export interface Vitals {
  /** To be called at each pass. Never throws. */
  onWatched(verdicts: readonly Verdict[], flights: readonly Flight[]): void;
  /** To be called when a run has ended. Never throws. */
  onSettled(job: Job, outcome: Outcome, heldMs: number): void;
  health(): Health;
  /** The figures as they are now. */
  reading(): Reading;
  tally(): Tally;
  stop(): void;
}

type Counts = ReturnType<Queue['counts']>;

/** While something runs, or waits and may run, a sample is due each minute, otherwise every five. */
const BUSY_MS = 60_000;
const IDLE_MS = 300_000;

/**
 * The host's own figures. It looks when the supervisor does and adds no wake: an idle host writes a
 * sample every five minutes with the pass that comes by then, and measures its event loop only while
 * work runs.
 */
export function openVitals(parts: VitalsParts): Vitals {
  const { clock, store, queue, pulse, keeper, watchdog } = parts;
  const gathered = gather();
  const tally: Tally = { settled: {}, yielded: {}, promptTokens: 0, outputTokens: 0 };
  let flights: readonly Flight[] = [];
  let runnableSince: number | null = null;
  let movedAt = clock.monotonic();
  let sampledAt = Number.NEGATIVE_INFINITY;
  let loadsFrom = clock.now();
  let loopDelayMs: number | null = null;
  let ill = '';
  let failing = false;

  /** Whether one of so many queued jobs is held by no gate. */
  function isRunnable(queued: number, verdicts: readonly Verdict[]): boolean {
    if (queued === 0) return false;
    const open = TIERS.filter((tier) => {
      const job = { tier, numCtx: 0, waiver: null };
      return !verdicts.some((one) => one.id !== 'model' && holds(one, job, null));
    });
    return queue.hasQueued(open);
  }

  function health(): Health {
    const now = clock.monotonic();
    const { stalledAfterSeconds, wedgedAfterSeconds } = parts.config().watchdog;
    const lastSign = Math.max(movedAt, ...flights.map(({ signAt }) => signAt));
    return healthOf(
      {
        runnableMs: runnableSince === null ? null : now - runnableSince,
        stillMs: now - lastSign,
        flights: flights.map(({ claim, signAt }) => ({
          ...{ job: claim.id, title: claim.job.title, silentMs: now - signAt },
        })),
      },
      { stalledAfterMs: stalledAfterSeconds * 1000, wedgedAfterMs: wedgedAfterSeconds * 1000 },
    );
  }

  function reading(sizes = store.sizes()): Reading {
    return {
      health: health(),
      loopDelayMs,
      residentBytes: pulse.residentBytes(),
      logBytes: sizes.log,
      diskFreeBytes: parts.diskFreeBytes(),
    };
  }

  function sample({ queued, running, deferred }: Counts): void {
    const now = clock.now();
    const due = running > 0 || runnableSince !== null ? BUSY_MS : IDLE_MS;
    if (Math.abs(clock.monotonic() - sampledAt) < due) return;
    sampledAt = clock.monotonic();
    loopDelayMs = pulse.loopDelayMs();
    const sizes = store.sizes();
    const seen = reading(sizes);
    const head = queue.waiting(1)[0];
    gathered.add('queued', queued);
    gathered.add('running', running);
    gathered.add('deferred', deferred);
    if (head) gathered.add('head_wait_seconds', Math.max(0, now - head.createdAt) / 1000);
    if (loopDelayMs !== null) gathered.add('loop_delay_ms', loopDelayMs);
    gathered.add('resident_bytes', seen.residentBytes);
    gathered.add('database_bytes', sizes.database);
    gathered.add('log_bytes', seen.logBytes);
    const loads = parts.loadsSince(loadsFrom);
    if (loads > 0) gathered.add('loads', loads);
    loadsFrom = now + 1;
    keeper.keep(gathered.take(now), now);
    watchdog.look(seen, now);
    failing = false;
  }

  function noteFlights(next: readonly Flight[]): void {
    const ids = (list: readonly Flight[]) => list.map(({ claim }) => claim.id).join();
    if (ids(next) !== ids(flights)) movedAt = clock.monotonic();
    flights = next;
    pulse.measure(next.length > 0);
  }

  function tellHealth(): void {
    const { stalled, wedged } = health();
    const now = `${stalled !== null}/${wedged.map(({ job }) => job).join()}`;
    if (now === ill) return;
    if (ill !== '' || now !== 'false/') parts.onChange();
    ill = now;
  }

  return {
    health,
    reading: () => reading(),
    tally: () => tally,
    onWatched(verdicts, inFlight) {
      try {
        noteFlights(inFlight);
        const counts = queue.counts();
        if (!isRunnable(counts.queued, verdicts)) runnableSince = null;
        else runnableSince ??= clock.monotonic();
        tellHealth();
        sample(counts);
      } catch (error) {
        // A full disk keeps nothing from going on; said once.
        if (!failing) parts.log.warn({ why: toFailure(error).message }, 'the vitals were not kept');
        failing = true;
      }
    },
    onSettled(job, outcome, heldMs) {
      movedAt = clock.monotonic();
      tally.settled[outcome.kind] = (tally.settled[outcome.kind] ?? 0) + 1;
      gathered.add('run_seconds', heldMs / 1000);
      if (outcome.kind === 'yielded') {
        tally.yielded[outcome.cause] = (tally.yielded[outcome.cause] ?? 0) + 1;
        gathered.add('yields', 1);
      }
      if (outcome.kind !== 'done' && outcome.kind !== 'failed') return;
      if (job.startedAt !== null) {
        gathered.add('wait_seconds', Math.max(0, job.startedAt - job.createdAt) / 1000);
      }
      const usage = outcome.landing?.transcript?.usage;
      if (!usage) return;
      tally.promptTokens += usage.promptTokens;
      tally.outputTokens += usage.outputTokens;
      gathered.add('prompt_tokens', usage.promptTokens);
      gathered.add('output_tokens', usage.outputTokens);
    },
    stop: () => pulse.measure(false),
  };
}
