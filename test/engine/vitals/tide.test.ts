import { describe, expect, it } from 'vitest';
import type { Interval, Track } from '../../../main/base/store/intervals.ts';
import { dayAround, dayOf, type TideInput, tideOf } from '../../../main/engine/vitals/tide.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 4, 20);

/** Hours of the day. */
function interval(track: Track, state: string, from: number, until: number): Interval {
  return {
    ...{ id: 1, track, state, percentFrom: null, percentUntil: null, ended: 'change' },
    ...{ from: START + from * HOUR, until: START + until * HOUR },
  };
}

const PRESENCE = [
  interval('presence', 'away', -2, 7),
  interval('presence', 'here', 7, 12),
  interval('presence', 'unknown', 12, 12.5),
  interval('presence', 'away', 12.5, 13),
  interval('presence', 'here', 13, 14),
  interval('presence', 'here', 14, 17.5),
];
const POWER = [
  interval('power', 'mains', -2, 3),
  interval('power', 'battery', 3, 4),
  interval('power', 'mains', 4, 17.5),
];

function tide(change: Partial<TideInput> = {}) {
  return tideOf({
    day: { from: START, until: START + DAY },
    now: START + 17.5 * HOUR + 20_000,
    presence: PRESENCE,
    power: POWER,
    shedOnBattery: true,
    ran: [{ job: 4, heavy: true, from: START - HOUR, until: START + HOUR }],
    waiting: 3,
    usual: { kind: 'no-history' },
    ...change,
  });
}

const hours = (spans: { from: number; to: number }[]) =>
  spans.map(({ from, to }) => [(from - START) / HOUR, (to - START) / HOUR]);

describe('the tide of a day', () => {
  it('D5 shows presence, the lulls on mains, and the work in them, within the day', () => {
    const seen = tide();
    expect(hours(seen.present)).toEqual([
      [7, 12],
      [13, 17.5],
    ]);
    expect(hours(seen.lulls)).toEqual([
      [0, 3],
      [4, 7],
      [12.5, 13],
    ]);
    expect(seen.ran).toEqual([{ job: 4, heavy: true, from: START, to: START + HOUR }]);
    expect(seen).toMatchObject({ from: START, to: START + DAY, waiting: 3, next: null });
    expect(hours(tide({ shedOnBattery: false }).lulls)[0]).toEqual([0, 7]);
  });

  it('D11 says the same in words', () => {
    expect(tide().text).toBe(
      'Today: you were here 9 h 30 min; lulls 6 h 30 min; 1 piece of work ran; 3 heavy jobs wait; no history yet of when you leave.',
    );
    const usual = { kind: 'usual', at: START + 22 * HOUR, spreadMs: 25 * MINUTE } as const;
    expect(tide({ usual, waiting: 1, ran: [] }).text).toMatch(
      /no work ran; 1 heavy job waits; the next lull is usually from \d\d:00[^;]*, ± 25 min\.$/,
    );
    expect(tide({ usual }).next).toEqual({ from: START + 22 * HOUR, spreadMs: 25 * MINUTE });
  });

  it('D5 a day that is over has nothing to come, and one without a record says so', () => {
    const usual = { kind: 'usual', at: START + 22 * HOUR, spreadMs: 25 * MINUTE } as const;
    const past = tide({ now: START + 3 * DAY, usual });
    expect(past).toMatchObject({ waiting: 0, next: null });
    expect(past.text).toMatch(/^That day: you were here/);
    expect(tide({ presence: [], power: [], ran: [], waiting: 0 }).text).toBe(
      'Today: nothing is recorded; no work ran; no history yet of when you leave.',
    );
  });

  it('D5 what lasts stays the same picture within a minute', () => {
    const lasting = [interval('presence', 'here', 7, 18)];
    const at = (seconds: number) =>
      tide({ presence: lasting, now: START + 17 * HOUR + seconds * 1000 });
    expect(at(59)).toEqual(at(1));
    expect(at(60)).not.toEqual(at(1));
    expect(hours(at(59).present)).toEqual([[7, 17]]);
  });

  it('D5 holds the newest hundred pieces of work', () => {
    const ran = Array.from({ length: 130 }, (_, job) => ({
      ...{ job, heavy: false, from: START + job * MINUTE, until: START + job * MINUTE + 1 },
    }));
    const seen = tide({ ran });
    expect(seen.ran).toHaveLength(100);
    expect(seen.ran.at(-1)?.job).toBe(129);
    expect(seen.text).toContain('130 pieces of work ran');
  });
});

describe('a local day', () => {
  const length = (zone: string, date: string) => {
    const day = dayOf(zone, date);
    return day && (day.until - day.from) / HOUR;
  };

  it('D5 has 23 to 25 hours, by the clock on the wall', () => {
    expect(length('Europe/Berlin', '2026-05-20')).toBe(24);
    expect(length('Europe/Berlin', '2026-03-29')).toBe(23);
    expect(length('Europe/Berlin', '2026-10-25')).toBe(25);
    const day = dayAround('Europe/Berlin', Date.parse('2026-03-29T20:00Z'));
    expect(new Date(day.from).toISOString()).toBe('2026-03-28T23:00:00.000Z');
    expect(new Date(day.until).toISOString()).toBe('2026-03-29T22:00:00.000Z');
  });

  it('D5 is named by a real date', () => {
    for (const date of ['2026-02-30', '20-05-2026', '', 'today', '2026-5-1']) {
      expect(dayOf('UTC', date), date).toBeNull();
    }
  });
});
