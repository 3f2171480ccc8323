import { HEAVY_TIERS, type Tier } from '../../base/config-schema.ts';
import type { ErrorCode, Failure } from '../../base/errors.ts';
import { type Admittance, holds } from '../gates/gate.ts';
import type { ModelPort } from '../models/port.ts';
import type { Job } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';
import { closingCause } from './closing.ts';
import type { Kind, Outcome, YieldCause } from './handler.ts';
import { memoryBack } from './memory-back.ts';
import type { Duty, Land, Surroundings } from './ports.ts';
import { type Flight, runJob } from './run-job.ts';
import { serve } from './serve.ts';
import { settle } from './settle.ts';
import { openSleeper } from './sleeper.ts';
import { sleepFor, WATCH_EVERY_MS } from './wake-plan.ts';

/** The gates as the supervisor asks them: one snapshot, one verdict list, for one moment. */
export interface GatePort {
  /** Reads the facts once and lets every gate decide. */
  look(now: number, inFlight: { job: Job } | null): Admittance;
  /** When a closed gate may open by the clock alone; null when the clock cannot open it. */
  nextChange(): number | null;
}

export interface SupervisorParts extends Surroundings {
  readonly runId: number;
  readonly queue: Queue;
  readonly gates: GatePort;
  readonly models: ModelPort;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly duties: readonly Duty[];
  readonly pauses: {
    /** Ends pauses whose time is over; returns whether any did. */
    clearExpired(now: number): boolean;
    allPaused(): boolean;
    nextEnd(): number | null;
  };
  readonly land: Land;
  /** Each pass, once what runs was asked to yield where a gate has closed. Must not throw. */
  readonly onWatched?: (verdicts: Admittance['verdicts'], flights: readonly Flight[]) => void;
  /** Something a view shows may have changed. */
  readonly onChange: () => void;
  /** Passes have begun to fail, or (null) one was made whole again. Must not throw. */
  readonly onTrouble: (failure: Failure | null) => void;
  /** A result cannot be stored (a sentence), or could be after all (null). */
  readonly onStuck: (message: string | null, code?: ErrorCode) => void;
  readonly onSettled: (job: Job, outcome: Outcome, askedAt: number | null, heldMs: number) => void;
}

export interface Supervisor {
  /** Serves until stopped: passes, and planned sleeps between them. */
  start(): void;
  /** Asks everything in flight to yield, waits for it, and ends the loop. Safe twice and unstarted. */
  stop(): Promise<void>;
  /** Time is short: what runs has this long to come to a good end, milliseconds. */
  hurry(graceMs: number): void;
  /** One pass: due work in, gates asked, at most one job a lane started. Returns how many started. */
  runOnce(): number;
  /** Passes until nothing is runnable and nothing runs; for tests and one-shot use. */
  drain(): Promise<number>;
  /** Something changed: make a pass soon. */
  wake(): void;
  /** Carries out the owner's cancel of a running job. */
  cancel(jobId: number): boolean;
  flights(): readonly Flight[];
  /** The verdicts of the last pass. */
  verdicts(): Admittance | null;
}

type Lane = 'pinned' | 'worker';
const WORKER_TIERS: readonly Tier[] = ['routine', 'synthesis', 'stretch'];
const TIERS_OF: Readonly<Record<Lane, readonly Tier[]>> = {
  pinned: ['pinned'],
  worker: WORKER_TIERS,
};

/** Deferred jobs that wait for changed conditions are tried again at least this often. */
const REVIVE_EVERY_MS = 300_000;
/** Below the floor the machine may die soon: the grace is short. */
const FLOOR_GRACE_MS = 2_000;

export function createSupervisor(parts: SupervisorParts): Supervisor {
  const { clock, queue, gates, models } = parts;
  const lanes = new Map<Lane, Flight>();
  const quit = new AbortController();
  let serving: Promise<void> | null = null;
  const sleeper = openSleeper(clock, quit.signal);
  const memory = memoryBack(models, clock, parts.log, quit.signal);
  let admittance: Admittance | null = null;
  let lastPass = Number.NEGATIVE_INFINITY;
  let lastRevive = Number.NEGATIVE_INFINITY;
  let lightFirst = false;

  function runOnce(): number {
    const now = clock.now();
    lastPass = now;
    // First what can be done without writing: a full disk must not keep a job running.
    let changed = watch(now);
    changed = parts.pauses.clearExpired(now) || changed;
    changed = bringBack(now) || changed;
    const { moved, fault } = doDuties(now);
    let started = 0;
    for (const lane of ['pinned', 'worker'] as const) started += fill(lane) ? 1 : 0;
    memory.giveRest(heavyRuns() ? 'heavy' : lanes.has('worker') ? 'light' : null);
    if (changed || moved || started > 0) parts.onChange();
    if (fault) throw fault.error;
    return started;
  }

  /** Asks the gates, and those in flight to yield where one has closed; true when a verdict changed. */
  function watch(now: number): boolean {
    const before = admittance;
    admittance = gates.look(now, workerJob());
    for (const flight of lanes.values()) {
      const cause = closingCause(admittance.verdicts, flight.claim.job);
      if (cause) ask(flight, cause);
    }
    parts.onWatched?.(admittance.verdicts, [...lanes.values()]);
    memory.note(admittance.verdicts);
    if (!lanes.has('worker')) memory.give();
    return before === null || saidOf(before) !== saidOf(admittance);
  }

  /** One that fails does not keep the others, nor what waits, from their turn. */
  function doDuties(now: number): { moved: boolean; fault: { error: unknown } | null } {
    let moved = false;
    let fault: { error: unknown } | null = null;
    if (parts.pauses.allPaused()) return { moved, fault };
    for (const duty of parts.duties) {
      try {
        moved = duty.runOnce(now) > 0 || moved;
      } catch (error) {
        fault ??= { error };
      }
    }
    return { moved, fault };
  }

  function workerJob(): { job: Job } | null {
    const flight = lanes.get('worker');
    return flight ? { job: flight.claim.job } : null;
  }

  /** Moves what the clock or changed conditions have freed; true when anything moved. */
  function bringBack(now: number): boolean {
    let moved = queue.revive(now).length + queue.expire(now).length;
    if (models.takeChange() || Math.abs(clock.monotonic() - lastRevive) >= REVIVE_EVERY_MS) {
      lastRevive = clock.monotonic();
      moved += queue.reviveDeferred();
    }
    return moved > 0;
  }

  /** The one claim site: every refusal is united here. */
  function fill(lane: Lane): boolean {
    if (lanes.has(lane) || quit.signal.aborted || !admittance) return false;
    const { verdicts } = admittance;
    const others = TIERS_OF[lane === 'pinned' ? 'worker' : 'pinned'];
    const request = (more: Iterable<Tier>) => ({
      runId: parts.runId,
      now: clock.now(),
      blockedTiers: new Set<Tier>([...(admittance as Admittance).blockedTiers, ...others, ...more]),
      loaded: models.loadedKeys(),
      waived: (job: Job) =>
        TIERS_OF[lane].includes(job.tier) && !verdicts.some((one) => holds(one, job, null)),
    });
    const claim =
      (lightFirst && lane === 'worker'
        ? queue.claim(withoutWaivers(request(HEAVY_TIERS)))
        : null) ?? queue.claim(request([]));
    if (lane === 'worker') lightFirst = false;
    if (!claim) return false;
    const flight = runJob(
      {
        ...parts,
        kind: parts.kinds.get(claim.job.kind),
        wanted: () => lightWaits(claim.job),
        onProgress: parts.onChange,
        settle: (mine, outcome, askedAt) => finish(lane, mine.job, outcome, askedAt, mine),
      },
      claim,
    );
    lanes.set(lane, flight);
    parts.log.info({ job: claim.id, kind: claim.job.kind, tier: claim.job.tier }, 'started');
    return true;
  }

  /** A heavy job gives way between its steps to light work that needs the same lane. */
  function lightWaits(job: Job): YieldCause | null {
    return HEAVY_TIERS.has(job.tier) && queue.hasQueued(['routine']) ? 'light-waiting' : null;
  }

  async function finish(
    lane: Lane,
    job: Job,
    outcome: Outcome,
    askedAt: number | null,
    claim: Flight['claim'],
  ): Promise<void> {
    const flight = lanes.get(lane);
    const heldMs = () => clock.now() - (flight?.startedAt ?? clock.now());
    try {
      await settle({ ...parts, quit: quit.signal }, claim, outcome);
      parts.log.info({ job: job.id, outcome: outcome.kind, ms: heldMs() }, 'ended');
      parts.onSettled(job, outcome, askedAt, heldMs());
    } catch (error) {
      parts.log.error({ job: job.id, error: String(error) }, 'the end of a run was not told');
    }
    if (outcome.kind === 'yielded' && lane === 'worker') {
      lightFirst = outcome.cause === 'light-waiting';
      memory.owe(outcome.cause);
    }
    lanes.delete(lane);
    parts.onChange();
    sleeper.wake();
  }

  function ask(flight: Flight, cause: YieldCause): void {
    const grace = cause === 'floor' ? FLOOR_GRACE_MS : parts.config().yield.graceSeconds * 1000;
    if (flight.ask(cause, grace)) {
      parts.log.info({ job: flight.claim.id, cause }, 'asked to yield');
    }
  }

  function wakeTimes() {
    // What the last pass could not do away with is looked at again with the re-read, not at once: a
    // due time while everything is paused, the end of a lease that nothing enforces.
    const toCome = (moment: number | null) => moment !== null && moment > lastPass;
    const dues = parts.duties.map((duty) => duty.nextDueAt()).filter(toCome) as number[];
    const { leaseEnd, ...times } = queue.nextTimes();
    return {
      ...times,
      leaseEnd: toCome(leaseEnd) ? leaseEnd : null,
      nextDue: dues.length === 0 || parts.pauses.allPaused() ? null : Math.min(...dues),
      pauseEnd: parts.pauses.nextEnd(),
      gateChange: queue.depth() > 0 ? gates.nextChange() : null,
      heavyRunning: heavyRuns(),
    };
  }

  function heavyRuns(): boolean {
    return [...lanes.values()].some((flight) => HEAVY_TIERS.has(flight.claim.job.tier));
  }

  return {
    runOnce,
    wake: sleeper.wake,
    start() {
      serving ??= serve({
        ...{ sleeper, quit: quit.signal, log: parts.log, onTrouble: parts.onTrouble },
        pass: () => void runOnce(),
        plan: () => sleepFor(clock.now(), wakeTimes()),
        // A heavy job in flight is watched all the same.
        longestWait: () => (heavyRuns() ? WATCH_EVERY_MS : Number.POSITIVE_INFINITY),
      });
    },
    async stop() {
      for (const flight of lanes.values()) ask(flight, 'quitting');
      const flights = [...lanes.values()].map((flight) => flight.settled);
      quit.abort();
      await Promise.all(flights);
      await serving;
    },
    hurry(graceMs) {
      for (const flight of lanes.values()) flight.ask('quitting', graceMs);
    },
    async drain() {
      let started = 0;
      for (;;) {
        const now = runOnce();
        started += now;
        if (now === 0 && lanes.size === 0) return started;
        await Promise.race([...lanes.values()].map((flight) => flight.settled));
      }
    },
    cancel(jobId) {
      const flight = [...lanes.values()].find((one) => one.claim.id === jobId);
      if (!flight) return false;
      ask(flight, 'cancelled');
      return true;
    },
    flights: () => [...lanes.values()],
    verdicts: () => admittance,
  };
}

function withoutWaivers<T extends { waived: unknown }>(request: T): Omit<T, 'waived'> {
  const { waived: _, ...rest } = request;
  return rest;
}

/** What the gates said, without the figures that change at every look. */
function saidOf({ verdicts }: Admittance): string {
  return verdicts.map(({ id, code }) => `${id}/${code}`).join(' ');
}
