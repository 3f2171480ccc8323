import { describe, expect, it } from 'vitest';
import type { Span } from '../../../main/engine/vitals/spans.ts';
import { type UsualInput, usualLull } from '../../../main/engine/vitals/usual-lull.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Monday 2026-05-18, midnight in UTC; the days are those of UTC where nothing else is said. */
const MONDAY = Date.UTC(2026, 4, 18);

/** Nights of the two weeks before: away from these minutes of each day on, until 07:00. */
function nights(starts: readonly (number | null)[]): Span[] {
  return starts.flatMap((start, index) => {
    if (start === null) return [];
    const day = MONDAY - 14 * DAY + index * DAY;
    return [{ from: day + start * MINUTE, until: day + DAY + 7 * HOUR }];
  });
}

function ask(change: Partial<UsualInput>) {
  return usualLull({
    now: MONDAY + 15 * HOUR,
    zone: 'UTC',
    recordedFrom: MONDAY - 30 * DAY,
    lulls: [],
    seen: [{ from: MONDAY - 30 * DAY, until: MONDAY + 15 * HOUR }],
    ...change,
  });
}

const AT_2240 = 22 * 60 + 40;
const WEEKDAYS = [...Array(5).fill(AT_2240), 60, 60, ...Array(5).fill(AT_2240), 60, 60];

describe('the usual start of the next lull', () => {
  it('G6 says that there is no history within the first week', () => {
    expect(ask({ recordedFrom: null }).kind).toBe('no-history');
    const lulls = nights(WEEKDAYS);
    expect(ask({ lulls, recordedFrom: MONDAY + 15 * HOUR - 7 * DAY + 1 }).kind).toBe('no-history');
    expect(ask({ lulls, recordedFrom: MONDAY + 15 * HOUR - 7 * DAY }).kind).toBe('usual');
  });

  it('G6 is the median of days of the same kind, with the median distance as spread', () => {
    const late = [0, 25, -25, 70, -10, 0, 25, -25, 70, -10];
    const starts = WEEKDAYS.map((_, day) =>
      day % 7 < 5 ? AT_2240 + (late[day - 2 * Math.floor(day / 7)] ?? 0) : 60,
    );
    // sorted: -25 -25 -10 -10 0 0 25 25 70 70 → 0; distances 0 0 10 10 25 25 25 25 70 70 → 25
    expect(ask({ lulls: nights(starts) })).toEqual({
      kind: 'usual',
      at: MONDAY + 22 * HOUR + 40 * MINUTE,
      spreadMs: 25 * MINUTE,
    });
  });

  it('G6 a weekend asks weekends alone: four days of the last fourteen', () => {
    const saturday = MONDAY + 5 * DAY + 15 * HOUR;
    const week = [...Array(5).fill(AT_2240), 23 * 60, 23 * 60 + 30];
    expect(ask({ now: saturday, lulls: nights([...week, ...week]) })).toMatchObject({
      kind: 'usual',
      at: MONDAY + 5 * DAY + 23 * HOUR + 15 * MINUTE,
      spreadMs: 15 * MINUTE,
    });
  });

  it('G6 from the present time of day on: after midnight the same evening counts', () => {
    const now = MONDAY + DAY + 15 * MINUTE; // Tuesday, 00:15
    const starts = [...Array(5).fill(24 * 60 + 30), 0, 0, ...Array(5).fill(24 * 60 + 30), 0, 0];
    const found = ask({ now, lulls: nights(starts), seen: [{ from: 0, until: now }] });
    expect(found).toMatchObject({ kind: 'usual', at: MONDAY + DAY + 30 * MINUTE });
  });

  it('G6 within what is usually a lull it is now', () => {
    const now = MONDAY + 23 * HOUR;
    expect(ask({ now, lulls: nights(WEEKDAYS) })).toMatchObject({ kind: 'usual', at: now });
  });

  it('G6 short absences are no lulls, and too few or too different days no habit', () => {
    const short = nights(WEEKDAYS).map(({ from }) => ({ from, until: from + 14 * MINUTE }));
    expect(ask({ lulls: short }).kind).toBe('no-habit');
    const two = [...Array(8).fill(null), AT_2240, AT_2240];
    expect(ask({ lulls: nights(two), seen: [] }).kind).toBe('no-habit');
    const wild = WEEKDAYS.map((_, day) => 16 * 60 + (day % 2 ? 0 : 9 * 60 + day * 20));
    expect(ask({ lulls: nights(wild) }).kind).toBe('no-habit');
  });

  it('G6 a day at which nobody looked does not count; a short sleep does not matter', () => {
    const lulls = nights(WEEKDAYS);
    const gap = (hours: number) =>
      Array.from({ length: 20 }, (_, n) => {
        const day = MONDAY - 16 * DAY + n * DAY;
        return [
          { from: day, until: day + 17 * HOUR },
          { from: day + (17 + hours) * HOUR, until: day + DAY },
        ];
      }).flat();
    expect(ask({ lulls, seen: gap(3) }).kind).toBe('no-habit');
    expect(ask({ lulls, seen: gap(0.9) }).kind).toBe('usual');
  });

  it('G6 by the clock on the wall, over the night on which it changes', () => {
    const zone = 'Europe/Berlin';
    // 22:40 in Berlin: 21:40 UTC before 29 March 2026, 20:40 after it.
    const now = Date.UTC(2026, 3, 1, 13);
    const lulls = Array.from({ length: 15 }, (_, n) => {
      const day = Date.UTC(2026, 2, 17) + n * DAY;
      const from = day + (day < Date.UTC(2026, 2, 29) ? 21 : 20) * HOUR + 40 * MINUTE;
      return { from, until: from + 8 * HOUR };
    });
    const seen = [{ from: 0, until: now }];
    expect(ask({ now, zone, lulls, seen, recordedFrom: now - 30 * DAY })).toEqual({
      kind: 'usual',
      at: Date.UTC(2026, 3, 1, 20, 40),
      spreadMs: 5 * MINUTE,
    });
  });
});
