import type { Store } from '../../base/store/database.ts';
import type { Grain, Vital, VitalsTable } from '../../base/store/vitals.ts';
import { HOURS_MS, RAW_MS } from '../../base/store/vitals.ts';

/** Every series there is, with what it counts. */
export const SERIES = {
  queued: 'jobs that wait for their turn',
  running: 'jobs that run',
  deferred: 'jobs put off until their time or until conditions change',
  head_wait_seconds: 'how long the next job has been waiting',
  wait_seconds: 'from asking to the first start, for each job that ended',
  run_seconds: 'one time a job was out, until it was settled',
  yields: 'times a job gave way',
  loads: 'models loaded',
  prompt_tokens: 'tokens given to models, where they say so',
  output_tokens: 'tokens got from models, where they say so',
  loop_delay_ms: 'longest delay of the event loop while work ran',
  resident_bytes: 'memory of the host',
  database_bytes: 'size of the database',
  log_bytes: 'size of the write-ahead log',
} as const;

export type SeriesName = keyof typeof SERIES;

/** Figures that came together between two samples. */
export interface Gathered {
  add(name: SeriesName, value: number): void;
  /** All of them, and an empty start. */
  take(at: number): Vital[];
}

/** Sums, least and most of each series since the last taking. */
export function gather(): Gathered {
  let sums = new Map<SeriesName, Vital>();
  return {
    add(name, value) {
      const sum = sums.get(name);
      if (!sum) {
        sums.set(name, { name, at: 0, count: 1, sum: value, least: value, most: value });
        return;
      }
      sum.count += 1;
      sum.sum += value;
      sum.least = Math.min(sum.least, value);
      sum.most = Math.max(sum.most, value);
    },
    take(at) {
      const taken = [...sums.values()].map((sum) => ({ ...sum, at }));
      sums = new Map();
      return taken;
    },
  };
}

const HOUR_MS = 3_600_000;

export interface SeriesKeeper {
  /** Stores samples in one transaction, and sums old ones up once an hour. Throws what the database throws. */
  keep(samples: readonly Vital[], now: number): void;
  /** A series from a moment on, in the finest grain that still reaches back so far. */
  since(name: SeriesName, from: number, now: number): { grain: Grain; points: Vital[] };
}

export function seriesKeeper(store: Pick<Store, 'join'>, table: VitalsTable): SeriesKeeper {
  let rolledAt = Number.NEGATIVE_INFINITY;
  return {
    keep(samples, now) {
      store.join(() => {
        table.insert(samples);
        if (Math.abs(now - rolledAt) < HOUR_MS) return;
        table.roll(now);
      });
      if (Math.abs(now - rolledAt) >= HOUR_MS) rolledAt = now;
    },
    since(name, from, now) {
      const age = now - from;
      const grain = age <= RAW_MS ? 'raw' : age <= HOURS_MS ? 'hour' : 'day';
      const points = table.series(grain, name, from, now + 1);
      if (grain === 'raw') return { grain, points };
      // What is not summed up yet belongs to it all the same.
      const rest = grain === 'day' ? ['hour', 'raw'] : ['raw'];
      const newer = (rest as Grain[]).flatMap((one) => table.series(one, name, from, now + 1));
      return { grain, points: [...points, ...newer] };
    },
  };
}
