import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../main/base/config-schema.ts';
import { DAYS } from '../../../main/base/hours-schema.ts';
import { clocksAround, DAY_MS, wallAt } from '../../../main/base/zone.ts';
import { holds } from '../../../main/engine/gates/gate.ts';
import { hoursGate, standing } from '../../../main/engine/gates/hours.ts';
import { inputWith, job, NOON } from './inputs.ts';

const BERLIN = 'Europe/Berlin';
const hours = (...list: object[]) => {
  const { heavy } = configSchema.parse({ hours: { heavy: list } }).hours;
  if (!heavy) throw new Error('no hours');
  return heavy;
};
const utc = (text: string) => Date.parse(text);
const said = (at: string, ...list: object[]) => {
  const { open, changesAt } = standing(hours(...list), utc(at), BERLIN);
  return [open, changesAt === null ? null : new Date(changesAt).toISOString().slice(0, 16)];
};

describe('hours by the wall clock', () => {
  it('G5 a night belongs to the day on which it begins', () => {
    const fridays = { days: ['fri'], from: '22:00', to: '07:00' };
    // 2026-05-22 is a Friday; Berlin is two hours ahead of UTC.
    expect(said('2026-05-22T12:00Z', fridays)).toEqual([false, '2026-05-22T20:00']);
    expect(said('2026-05-22T20:00Z', fridays)).toEqual([true, '2026-05-23T05:00']);
    expect(said('2026-05-23T04:59Z', fridays)).toEqual([true, '2026-05-23T05:00']);
    expect(said('2026-05-23T05:00Z', fridays)).toEqual([false, '2026-05-29T20:00']);
  });

  it('G5 spans that touch or overlap are one, and hours without a gap never change', () => {
    const evening = { from: '18:00', to: '22:00' };
    const night = { from: '21:30', to: '24:00' };
    expect(said('2026-05-22T17:00Z', evening, night)).toEqual([true, '2026-05-22T22:00']);
    const morning = { from: '00:00', to: '06:00' };
    expect(said('2026-05-22T17:00Z', evening, night, morning)).toEqual([true, '2026-05-23T04:00']);
    expect(said('2026-05-22T17:00Z', { from: '00:00', to: '24:00' })).toEqual([true, null]);
  });

  it('G5 the changes of the clocks move no border: worked out by hand for Berlin', () => {
    // 2026-03-29: 02:00 becomes 03:00. 02:30 is skipped, so both 02:30 and 03:00 are 01:00Z.
    const nightly = { from: '23:00', to: '02:30' };
    expect(said('2026-03-28T23:00Z', nightly)).toEqual([true, '2026-03-29T01:00']);
    expect(said('2026-03-28T12:00Z', { from: '02:30', to: '05:00' })).toEqual([
      false,
      '2026-03-29T01:00',
    ]);
    expect(said('2026-03-28T12:00Z', { from: '02:10', to: '02:50', days: ['sun'] })).toEqual([
      false,
      '2026-04-05T00:10',
    ]);
    // 2026-10-25: 03:00 becomes 02:00. 02:30 comes at 00:30Z and again at 01:30Z: the first counts.
    expect(said('2026-10-24T23:00Z', nightly)).toEqual([true, '2026-10-25T00:30']);
    expect(said('2026-10-25T01:15Z', nightly)).toEqual([false, '2026-10-25T22:00']);
    expect(said('2026-10-24T12:00Z', { from: '02:30', to: '04:00', days: ['sun'] })).toEqual([
      false,
      '2026-10-25T00:30',
    ]);
  });

  it('G5 each span keeps its own zone', () => {
    const tokyo = { from: '09:00', to: '10:00', zone: 'Asia/Tokyo' };
    expect(said('2026-05-22T12:00Z', tokyo)).toEqual([false, '2026-05-23T00:00']);
  });

  it('G5 the moment that is named is the next one at which the answer differs', () => {
    const time = fc
      .integer({ min: 0, max: 95 })
      .map((quarter) => `${pad(Math.floor(quarter / 4))}:${pad((quarter % 4) * 15)}`);
    const span = fc
      .record({
        from: time,
        to: time,
        days: fc.uniqueArray(fc.constantFrom(...DAYS), { minLength: 1, maxLength: 7 }),
      })
      .filter(({ from, to }) => from !== to);
    const start = utc('2026-03-20T00:00Z');
    fc.assert(
      fc.property(
        fc.array(span, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 0, max: 300 * 24 * 4 }),
        (spans, quarters) => {
          const list = hours(...spans);
          const now = start + quarters * 900_000 + 1;
          const { open, changesAt } = standing(list, now, BERLIN);
          expect(open).toBe(holdsAt(list, now));
          const end = changesAt ?? now + 8 * DAY_MS;
          for (let at = now; at < end; at += 900_000) expect(holdsAt(list, at)).toBe(open);
          if (changesAt !== null) expect(standing(list, changesAt, BERLIN).open).toBe(!open);
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** By minutes on the wall, away from the nights on which the clocks change. */
function holdsAt(list: ReturnType<typeof hours>, at: number): boolean {
  const wall = wallAt(BERLIN, at);
  const day = Math.floor(wall / DAY_MS);
  if (clocksAround(BERLIN, day).at !== Number.POSITIVE_INFINITY) {
    return standing(list, at, BERLIN).open; // its own tests are above
  }
  const minute = (wall - day * DAY_MS) / 60_000;
  return list.some(({ from, to, days }) => {
    const [begin, end] = [minutesOf(from), minutesOf(to)];
    const today = days.includes(DAYS[(day + 4) % 7] as never);
    const yesterday = days.includes(DAYS[(day + 3) % 7] as never);
    if (begin < end) return today && minute >= begin && minute < end;
    return (today && minute >= begin) || (yesterday && minute < end);
  });
}

const pad = (value: number) => String(value).padStart(2, '0');
const minutesOf = (time: string) => {
  const [h = 0, m = 0] = time.split(':').map(Number);
  return h * 60 + m;
};

describe('the gate of hours', () => {
  const config = { hours: { heavy: [{ from: '22:00', to: '07:00' }] } };
  const night = new Date(2026, 4, 20, 23, 30).getTime();

  it('G5 holds nothing back where the owner has set none', () => {
    expect(hoursGate(inputWith())).toMatchObject({ open: true, code: 'no-hours', changesAt: null });
  });

  it('G5 a closed window sheds heavy work, and says when it opens', () => {
    const closed = hoursGate(inputWith({}, { config }));
    expect(closed).toMatchObject({
      open: false,
      blocks: 'heavy',
      code: 'outside-hours',
      reason: 'Outside your hours for heavy work: they begin at 22:00.',
      changesAt: new Date(2026, 4, 20, 22).getTime(),
    });
    expect(holds(closed, job(), null)).toBe(true);
    expect(holds(closed, job({ tier: 'routine' }), null)).toBe(false);
    const waiver = { presence: false, hours: true, heavyPause: false, battery: false, at: NOON };
    expect(holds(closed, job({ waiver }), null)).toBe(false);
  });

  it('G5 within them it says until when', () => {
    expect(hoursGate(inputWith({}, { config, now: night }))).toMatchObject({
      open: true,
      reason: 'Within your hours for heavy work, until 07:00 tomorrow.',
      changesAt: new Date(2026, 4, 21, 7).getTime(),
    });
  });
});
