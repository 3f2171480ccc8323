import { HEAVY_TIERS } from '../../base/config-schema.ts';
import { toFailure } from '../../base/errors.ts';
import type { Stint } from '../../base/store/stints.ts';
import type { Admittance, GateInput, Verdict } from '../gates/gate.ts';
import type { Job } from '../queue/job.ts';
import type { Outcome } from '../supervisor/handler.ts';
import type { Log } from '../supervisor/ports.ts';
import type { Flight } from '../supervisor/run-job.ts';
import type { SleepKeeper } from '../supervisor/sleep-keeper.ts';
import type { GatePort } from '../supervisor/supervisor.ts';
import type { Absence, VitalRecord } from './record.ts';
import { sightingOf } from './sighting.ts';

type Look = Admittance & { input: GateInput };

export interface WitnessParts {
  readonly gates: { look(now: number, inFlight: { job: Job } | null): Look } & GatePort;
  readonly record: VitalRecord;
  readonly sleep: SleepKeeper;
  readonly log: Pick<Log, 'warn'>;
  /** The owner is back, and what gave way to them has stopped. */
  readonly onReturn: (absence: Absence) => void;
}

export interface Witness {
  /** The gates, as the supervisor asks them. */
  readonly gates: GatePort;
  /** To be called at each pass. Never throws. */
  onWatched(verdicts: readonly Verdict[], flights: readonly Flight[]): void;
  /** To be called when a run has ended. Never throws. */
  onSettled(
    job: Job,
    outcome: Outcome,
    askedAt: number | null,
    span: Pick<Stint, 'from' | 'until'>,
  ): void;
  stop(): void;
}

/**
 * Stands beside the supervisor and keeps the record: it adds no wake, and what cannot be stored (a
 * full disk) is said once and keeps nothing from going on.
 */
export function witness({ gates, record, sleep, log, onReturn }: WitnessParts): Witness {
  let look: Look | null = null;
  let absence: Absence | null = null;
  const keepLooks = saidOnce();
  const keepStints = saidOnce();

  /** Runs work that may fail for a while; says so when that begins. */
  function saidOnce(): (work: () => void) => void {
    let failing = false;
    return (work) => {
      try {
        work();
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ why: toFailure(error).message }, 'the record was not kept');
        failing = true;
      }
    };
  }

  return {
    gates: {
      look(now, inFlight) {
        look = gates.look(now, inFlight);
        return look;
      },
      nextChange: gates.nextChange,
    },
    onWatched(verdicts, flights) {
      sleep.note(flights, verdicts);
      keepLooks(() => {
        if (look) absence = record.note(sightingOf(look)) ?? absence;
        if (absence === null || flights.some(({ asked }) => asked !== null)) return;
        const ended = absence;
        absence = null;
        onReturn(ended);
      });
    },
    onSettled(job, outcome, askedAt, span) {
      keepStints(() => record.recordStint(stintOf(job, outcome, askedAt, span)));
    },
    stop() {
      sleep.release();
      keepLooks(record.stop);
    },
  };
}

function stintOf(
  job: Job,
  outcome: Outcome,
  askedAt: number | null,
  span: Pick<Stint, 'from' | 'until'>,
): Stint {
  const { kind } = outcome;
  const cause = kind === 'yielded' ? outcome.cause : kind === 'deferred' ? outcome.code : null;
  return { ...partsOf(job), ...span, outcome: kind, cause, askedAt };
}

/** The stint of a job that an unclean end left running; it was last seen at `seenAt`, epoch ms. */
export function cutOffStint(job: Job, seenAt: number | null): Stint {
  const from = job.startedAt ?? job.createdAt;
  const until = Math.max(from, seenAt ?? from);
  return { ...partsOf(job), from, until, outcome: 'crash', cause: null, askedAt: null };
}

function partsOf({ id, claimNo, title, tier }: Job) {
  return { job: id, claimNo, title, tier, heavy: HEAVY_TIERS.has(tier) };
}
