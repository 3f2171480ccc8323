import type { Config } from '../base/config-schema.ts';
import { HEAVY_TIERS } from '../base/config-schema.ts';
import { LullError } from '../base/errors.ts';
import type { DraftsTable } from '../base/store/drafts.ts';
import type { ModelsTable } from '../base/store/models.ts';
import { DAY_MS } from '../base/zone.ts';
import type { Usual } from '../engine/gates/forecast.ts';
import type { Queue } from '../engine/queue/queue.ts';
import type { Flight } from '../engine/supervisor/run-job.ts';
import { lullsOf } from '../engine/vitals/lulls.ts';
import type { Absence, VitalRecord } from '../engine/vitals/record.ts';
import { dayAround, dayOf, type Tide, tideOf } from '../engine/vitals/tide.ts';
import { usualLull } from '../engine/vitals/usual-lull.ts';
import { digest } from './digest.ts';
import { type HistoryRow, historyRow } from './view-model/history.ts';

export interface PastParts {
  readonly now: () => number;
  readonly config: () => Pick<Config, 'power'>;
  /** The owner's time zone, IANA. */
  readonly zone: string;
  readonly record: VitalRecord;
  readonly queue: Pick<Queue, 'list' | 'open'>;
  readonly drafts: Pick<DraftsTable, 'list'>;
  readonly loads: Pick<ModelsTable, 'loadsBetween' | 'unloadedBetween'>;
  readonly flights: () => readonly Flight[];
}

/** What the record of past days tells. */
export interface Past {
  /** When a lull usually begins, from now on. */
  usual(): Usual;
  /** A local day by its date; today without one. Throws LullError invalid. */
  tide(date?: string): Tide;
  /** Jobs that have been out or have ended, the newest first; `before`: the last id of a page. */
  history(page: { before?: number; limit: number }): HistoryRow[];
  /** What happened while the owner was away; null where nothing did. */
  digest(absence: Absence): string | null;
}

const LOOK_BACK_MS = 16 * DAY_MS;
const MINUTE_MS = 60_000;
/** Memory that is given back later than this has another cause. */
const FREED_WITHIN_MS = 5 * MINUTE_MS;
/** Drafts that are looked through for those of an absence. */
const DRAFTS_READ = 500;
const MOST_COUNTED = 100_000;

export function openPast(parts: PastParts): Past {
  const { record, zone, queue, loads } = parts;
  let known: { minute: number; usual: Usual } | null = null;

  function usual(): Usual {
    const now = parts.now();
    const minute = Math.floor(now / MINUTE_MS);
    if (known?.minute !== minute) known = { minute, usual: findUsual(now) };
    return known.usual;
  }

  function findUsual(now: number): Usual {
    const from = now - LOOK_BACK_MS;
    const presence = record.within('presence', from, now);
    const power = record.within('power', from, now);
    return usualLull({
      ...{ now, zone, recordedFrom: record.firstAt('presence') },
      lulls: lullsOf(presence, power, parts.config().power),
      seen: presence,
    });
  }

  function ranIn(from: number, until: number, now: number) {
    const running = parts.flights().map(({ claim, startedAt }) => ({
      job: claim.id,
      heavy: HEAVY_TIERS.has(claim.job.tier),
      from: startedAt,
      until: now,
    }));
    return [...record.stints.within(from, until), ...running];
  }

  return {
    usual,
    tide(date) {
      const now = parts.now();
      const day = date === undefined ? dayAround(zone, now) : dayOf(zone, date);
      if (!day) throw new LullError('invalid', 'day must be a date such as 2026-05-01');
      const out = parts.flights().filter(({ claim }) => claim.job.class === 'heavy').length;
      return tideOf({
        ...{ day, now, usual: usual() },
        presence: record.within('presence', day.from, day.until),
        power: record.within('power', day.from, day.until),
        shedOnBattery: parts.config().power.shedOnBattery,
        ran: ranIn(day.from, day.until, now),
        waiting: Math.max(0, queue.open('heavy', MOST_COUNTED) - out),
      });
    },
    history({ before, limit }) {
      const now = parts.now();
      return begun(queue, before, limit).map((job) => {
        const stints = record.stints.ofJob(job.id);
        return historyRow({
          ...{ job, stints, now },
          holds: record.within('hold', job.createdAt, job.finishedAt ?? now),
          loads: stints.reduce(
            (n, one) => n + loads.loadsBetween(job.tier, one.from, one.until),
            0,
          ),
          freedAfter: (at) => loads.unloadedBetween(at, at + FREED_WITHIN_MS),
        });
      });
    },
    digest({ from, until }) {
      const drafts = parts.drafts.list({ state: 'pending', limit: DRAFTS_READ });
      return digest({
        ...{ from, until },
        stints: record.stints.within(from, until),
        running: parts.flights().length,
        loads: loads.loadsBetween(null, from, until),
        drafts: drafts.filter(({ createdAt }) => createdAt >= from).length,
        presence: record.within('presence', from, until + 1),
        power: record.within('power', from, until),
      });
    },
  };
}

/** What has only waited so far is passed over. */
function begun(queue: Pick<Queue, 'list'>, before: number | undefined, limit: number) {
  const found = [];
  let last = before;
  for (;;) {
    const page = queue.list({ limit: 500, ...(last !== undefined && { before: last }) });
    for (const job of page) {
      const isPast = job.finishedAt !== null || job.claimNo > 0;
      if (isPast && found.push(job) >= limit) return found;
    }
    last = page.at(-1)?.id;
    if (page.length < 500) return found;
  }
}
