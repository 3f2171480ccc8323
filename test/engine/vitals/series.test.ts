import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vitalsTable } from '../../../main/base/store/vitals.ts';
import { gather, seriesKeeper } from '../../../main/engine/vitals/series.ts';
import { temporaryStore } from '../../support/store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Math.floor(1_780_000_000_000 / DAY) * DAY;

async function room() {
  const store = await temporaryStore();
  const keeper = seriesKeeper(store, vitalsTable(store.db));
  const keep = (at: number, value: number) =>
    keeper.keep([{ name: 'queued', at, count: 1, sum: value, least: value, most: value }], at);
  const rows = () =>
    store.db.prepare('SELECT grain, count(*) AS n FROM vitals GROUP BY grain ORDER BY grain').all();
  const total = () =>
    store.db.prepare('SELECT sum(count) AS count, sum(sum) AS sum FROM vitals').get();
  return { store, keeper, keep, rows, total };
}

describe('S6 vitals over time', () => {
  it('S6 are raw for a day, then hours for two weeks, then days for ninety, and no more', async () => {
    const { keep, rows, store } = await room();
    store.tx(() => {
      for (let at = START; at < START + 120 * DAY; at += 10 * MINUTE) keep(at, 1);
    });
    const counts = Object.fromEntries(
      (rows() as { grain: string; n: number }[]).map((r) => [r.grain, r.n]),
    );
    expect(counts.raw).toBeLessThanOrEqual(6 * 26);
    expect(counts.hour).toBeLessThanOrEqual(24 * 15);
    expect(counts.day).toBeLessThanOrEqual(91);
    expect(counts.day).toBeGreaterThanOrEqual(75);
  });

  it('S6 summing up loses nothing: count, sum, least and most of an hour and of a day', async () => {
    const { keep, keeper, total } = await room();
    for (let n = 0; n < 60; n++) keep(START + n * MINUTE, n);
    keep(START + 40 * HOUR, 5);
    expect(total()).toEqual({ count: 61, sum: 59 * 30 + 5 });
    const { grain, points } = keeper.since('queued', START - HOUR, START + 40 * HOUR);
    expect(grain).toBe('hour');
    expect(points[0]).toEqual({
      name: 'queued',
      at: START,
      count: 60,
      sum: 1770,
      least: 0,
      most: 59,
    });
    expect(points.at(-1)).toMatchObject({ count: 1, sum: 5 });
    keep(START + 20 * DAY, 7);
    const days = keeper.since('queued', START - DAY, START + 20 * DAY);
    expect(days.points[0]).toMatchObject({ at: START, count: 60, sum: 1770, least: 0, most: 59 });
    expect(keeper.since('queued', START + 20 * DAY - HOUR, START + 20 * DAY).grain).toBe('raw');
  });

  it('S6 whatever the clock does, nothing is counted twice and nothing young is lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: -30, max: 300 }), fc.nat(100)), { maxLength: 60 }),
        async (steps) => {
          const { keep, total, store } = await room();
          let at = START;
          let sum = 0;
          for (const [minutes, value] of steps) {
            at += minutes * MINUTE;
            sum += value;
            keep(at, value);
          }
          expect(total()).toEqual(
            steps.length === 0 ? { count: null, sum: null } : { count: steps.length, sum },
          );
          store.close();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('S6 what comes together between two samples is one point', () => {
    const { add, take } = gather();
    for (const value of [3, 9, 1]) add('run_seconds', value);
    add('yields', 1);
    expect(take(5)).toEqual([
      { name: 'run_seconds', at: 5, count: 3, sum: 13, least: 1, most: 9 },
      { name: 'yields', at: 5, count: 1, sum: 1, least: 1, most: 1 },
    ]);
    expect(take(6)).toEqual([]);
  });
});
