import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  formatMoment,
  formatSpan,
  parseDuration,
  parseMoment,
} from '../../../main/surfaces/cli/moment.ts';

const iso = (text: string) => new Date(text).getTime();
const read = (text: string, now: string) => {
  const at = parseMoment(text, iso(now));
  return at === null ? null : new Date(at).toISOString();
};

describe('times as people type them', () => {
  const before = process.env.TZ;
  beforeAll(() => {
    process.env.TZ = 'America/New_York';
  });
  afterAll(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });

  it('G4 a time of day is the next one, local', () => {
    expect(read('08:00', '2026-05-10T10:00:00Z')).toBe('2026-05-10T12:00:00.000Z');
    expect(read('08:00', '2026-05-10T12:00:00Z')).toBe('2026-05-11T12:00:00.000Z');
    expect(read('8:30', '2026-05-10T12:00:00Z')).toBe('2026-05-10T12:30:00.000Z');
    expect(read('00:00', '2026-05-10T12:00:00Z')).toBe('2026-05-11T04:00:00.000Z');
    expect(read('23:59', '2026-12-31T12:00:00Z')).toBe('2027-01-01T04:59:00.000Z');
  });

  it('P2 over the night the clocks change, the time of day is that of the new clock', () => {
    // 2025-03-09: 02:00 EST becomes 03:00 EDT; 2025-11-02: 02:00 EDT becomes 01:00 EST.
    expect(read('08:00', '2025-03-09T04:00:00Z')).toBe('2025-03-09T12:00:00.000Z');
    expect(read('08:00', '2025-11-02T03:00:00Z')).toBe('2025-11-02T13:00:00.000Z');
    expect(read('02:30', '2025-03-09T04:00:00Z')).toBe('2025-03-09T07:30:00.000Z');
  });

  it.each([
    ['2026-05-01', '2026-05-01T04:00:00.000Z'],
    ['2026-05-01T08:00', '2026-05-01T12:00:00.000Z'],
    ['2026-05-01 08:00:30', '2026-05-01T12:00:30.000Z'],
    ['2026-05-01T08:00:00Z', '2026-05-01T08:00:00.000Z'],
    ['2026-05-01T08:00:00.25z', '2026-05-01T08:00:00.250Z'],
    ['2026-05-01T08:00:00.123456Z', '2026-05-01T08:00:00.123Z'],
    ['2026-05-01T08:00:00+02:00', '2026-05-01T06:00:00.000Z'],
    ['2026-05-01T08:00-0330', '2026-05-01T11:30:00.000Z'],
    ['2028-02-29', '2028-02-29T05:00:00.000Z'],
  ])('P1 an ISO time is read exactly: %s', (text, at) => {
    expect(read(text, '2020-01-01T00:00:00Z')).toBe(at);
  });

  it.each([
    ...['', ' ', 'now', 'tomorrow', 'Infinity', 'NaN', '-1', '1e3', '1780000000', '24:00', '08:60'],
    ...[
      '8',
      '08:00:00',
      '2026-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-04-31',
      '2026-05-01T24:00',
    ],
    ...['2026-05-01T08:60', '2026-05-01T08', '26-05-01', '2026-05-01T08:00:00 UTC', '2026-5-1'],
  ])('P1 what is no time is refused: %j', (text) => {
    expect(parseMoment(text, 0)).toBeNull();
  });

  it('P1 every ISO time written by a program is read as it was meant', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true }),
        (date) => {
          expect(parseMoment(date.toISOString(), 0)).toBe(date.getTime());
        },
      ),
    );
  });

  it.each([
    ['90m', 5_400],
    ['1h30m', 5_400],
    ['10s', 10],
    ['2d', 172_800],
    ['1d1h1m1s', 90_061],
    ['0h5m', 300],
  ])('G4 a duration is read: %s', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each([
    ...[
      '',
      '0',
      '0s',
      '0d0h',
      '1',
      '1.5',
      '1.5h',
      '-1h',
      '1h 30m',
      '30m1h',
      '1H',
      'NaN',
      'Infinity',
    ],
    ...['m', '1w', '1m1m', `${'9'.repeat(30)}d`],
  ])('G4 what is no duration is refused: %j', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  it('G4 a time is shown with as much of the date as is needed, a span in its two largest units', () => {
    const now = iso('2026-05-10T16:00:00Z');
    expect(formatMoment(iso('2026-05-10T12:05:00Z'), now)).toBe('08:05');
    expect(formatMoment(iso('2026-05-11T12:05:00Z'), now)).toBe('2026-05-11 08:05');
    expect(formatMoment(null, now)).toBe('');
    expect(
      [0, -5, 999, 61_000, 3_600_000, 5_400_000, 90_000_000, 172_805_000].map((ms) =>
        formatSpan(ms),
      ),
    ).toEqual(['0 s', '0 s', '1 s', '1 min 1 s', '1 h', '1 h 30 min', '1 d 1 h', '2 d']);
  });
});
