import type Database from 'better-sqlite3';

/**
 * Vitals: figures of the host over time. A raw row is one sample; rows of an hour and of a day sum up
 * how many there were, their sum, least and most, and take the place of what they sum up. Bounded by
 * `roll`, never sent anywhere. By time before name: a sample of a dozen series then changes one page.
 */
export const vitalsDefinition = `
CREATE TABLE vitals (
  grain TEXT NOT NULL CHECK (grain IN ('raw', 'hour', 'day')),
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  sum REAL NOT NULL,
  least REAL NOT NULL,
  most REAL NOT NULL,
  PRIMARY KEY (grain, at, name)
) STRICT, WITHOUT ROWID;
`;

export type Grain = 'raw' | 'hour' | 'day';

/** One point of a series: a sample, or all of an hour or a UTC day. */
export interface Vital {
  name: string;
  /** Epoch ms; where the hour or the day begins. */
  at: number;
  count: number;
  sum: number;
  least: number;
  most: number;
}

export type VitalsTable = ReturnType<typeof vitalsTable>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long each grain is kept. */
export const RAW_MS = DAY_MS;
export const HOURS_MS = 14 * DAY_MS;
export const DAYS_MS = 90 * DAY_MS;

/** Two of one moment are taken together: a clock that was set back, and the sums of what came late. */
const MERGE = `ON CONFLICT (grain, at, name) DO UPDATE SET count = count + excluded.count,
  sum = sum + excluded.sum, least = min(least, excluded.least), most = max(most, excluded.most)`;

export function vitalsTable(db: Database.Database) {
  // The JSON of a list: one statement for a sample of a dozen series. WHERE keeps ON from being a join's.
  const insert = db.prepare(
    `INSERT INTO vitals (grain, name, at, count, sum, least, most)
     SELECT 'raw', value ->> 'name', value ->> 'at', value ->> 'count', value ->> 'sum',
       value ->> 'least', value ->> 'most' FROM json_each(?) WHERE true ${MERGE}`,
  );
  const sumUp = (from: Grain, to: Grain, width: number) => {
    const take = db.prepare(
      `INSERT INTO vitals (grain, name, at, count, sum, least, most)
       SELECT '${to}', name, at / ${width} * ${width}, sum(count), sum(sum), min(least), max(most)
       FROM vitals WHERE grain = '${from}' AND at < CAST(? AS INTEGER)
       GROUP BY name, at / ${width} ${MERGE}`,
    );
    const drop = db.prepare(`DELETE FROM vitals WHERE grain = '${from}' AND at < ?`);
    return (before: number): void => {
      const whole = Math.floor(before / width) * width;
      take.run(whole);
      drop.run(whole);
    };
  };
  const hours = sumUp('raw', 'hour', HOUR_MS);
  const days = sumUp('hour', 'day', DAY_MS);
  const forget = db.prepare(`DELETE FROM vitals WHERE grain = 'day' AND at < ?`);
  const series = db.prepare<[Grain, string, number, number], Vital>(
    `SELECT name, at, count, sum, least, most FROM vitals
     WHERE grain = ? AND name = ? AND at >= ? AND at < ? ORDER BY at`,
  );
  return {
    insert: (vitals: readonly Vital[]): void => void insert.run(JSON.stringify(vitals)),
    /** Sums up what is old enough, and forgets what is too old. In the caller's transaction. */
    roll(now: number): void {
      hours(now - RAW_MS);
      days(now - HOURS_MS);
      forget.run(now - DAYS_MS);
    },
    /** Points of one grain in [from, to), oldest first. */
    series: (grain: Grain, name: string, from: number, to: number): Vital[] =>
      series.all(grain, name, from, to),
  };
}
