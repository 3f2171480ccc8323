import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextMorning } from '../../main/base/next-morning.ts';

const at = (day: number, hour: number, minute = 0) =>
  new Date(2026, 10, day, hour, minute).getTime();

it.each([
  ['in the afternoon', at(30, 15), at(31, 8), 'Until tomorrow morning (08:00)'],
  ['at dawn', at(30, 5), at(31, 8), 'Until tomorrow morning (08:00)'],
  ['late at night', at(30, 2), at(30, 8), 'Until this morning (08:00)'],
  ['just before four', at(30, 3, 59), at(30, 8), 'Until this morning (08:00)'],
  ['just before midnight', at(30, 23, 59), at(31, 8), 'Until tomorrow morning (08:00)'],
])('D2 tomorrow morning, asked %s, is the morning a person means', (_when, now, morning, label) => {
  expect(nextMorning(now)).toEqual({ at: morning, label });
});

it('D2 the next morning is always ahead, at eight, and less than 28 hours away', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), (now) => {
      const { at: morning } = nextMorning(now);
      const away = morning - now;
      expect(away).toBeGreaterThan(3 * 3_600_000 - 1);
      expect(away).toBeLessThanOrEqual(29 * 3_600_000); // a night of 25 hours among them
      expect(new Date(morning).getHours()).toBe(8);
    }),
  );
});
