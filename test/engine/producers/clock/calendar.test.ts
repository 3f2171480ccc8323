import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wallAt } from '../../../../main/base/zone.ts';
import {
  countBetween,
  droppedBetween,
  nextAfter,
  occurrencesBetween,
  type Rule,
} from '../../../../main/engine/producers/clock/rule.ts';

const at = (iso: string) => Date.parse(iso);
const iso = (instant: number | null) =>
  instant === null ? null : new Date(instant).toISOString().replace(':00.000Z', 'Z');

function cron(expression: string, zone: string): Rule {
  return { kind: 'cron', expression, zone };
}

/** The occurrences after `from`, as UTC. */
function run(rule: Rule, from: string, count: number): (string | null)[] {
  const found: (string | null)[] = [];
  let last: number | null = at(from);
  while (found.length < count && last !== null) {
    last = nextAfter(rule, last);
    found.push(iso(last));
  }
  return found;
}

// Worked out by hand from the zones' published rules: New York is UTC−5, in summer UTC−4.
describe('cron in a zone', () => {
  it('P2 a local time skipped in New York runs once, at the first instant after the gap', () => {
    expect(run(cron('30 2 * * *', 'America/New_York'), '2025-03-08T12:00Z', 2)).toEqual([
      '2025-03-09T07:00Z', // 03:00 EDT, as 02:30 does not exist
      '2025-03-10T06:30Z',
    ]);
  });

  it('P2 several skipped times run as one, and lists and ranges follow the same rule', () => {
    const from = '2025-03-09T06:59Z';
    expect(run(cron('*/15 2 * * *', 'America/New_York'), from, 3)).toEqual([
      '2025-03-09T07:00Z',
      '2025-03-10T06:00Z',
      '2025-03-10T06:15Z',
    ]);
    expect(run(cron('30 2,14 * * *', 'America/New_York'), from, 2)).toEqual([
      '2025-03-09T07:00Z',
      '2025-03-09T18:30Z',
    ]);
    // 02:00 to 02:59 fall on 03:00, which the line names as well.
    expect(run(cron('0 2,3 * * *', 'America/New_York'), from, 2)).toEqual([
      '2025-03-09T07:00Z',
      '2025-03-10T06:00Z',
    ]);
  });

  it('P2 a repeated local time in New York runs the first time only', () => {
    expect(run(cron('30 1 * * *', 'America/New_York'), '2025-11-01T12:00Z', 2)).toEqual([
      '2025-11-02T05:30Z', // 01:30 EDT; 01:30 EST would be 06:30
      '2025-11-03T06:30Z',
    ]);
    expect(run(cron('*/30 1 * * *', 'America/New_York'), '2025-11-02T04:00Z', 3)).toEqual([
      '2025-11-02T05:00Z',
      '2025-11-02T05:30Z',
      '2025-11-03T06:00Z',
    ]);
  });

  it('P2 with a wildcard hour a repeated local time runs both times', () => {
    expect(run(cron('30 * * * *', 'America/New_York'), '2025-11-02T04:00Z', 4)).toEqual([
      '2025-11-02T04:30Z',
      '2025-11-02T05:30Z',
      '2025-11-02T06:30Z',
      '2025-11-02T07:30Z',
    ]);
  });

  it('P2 asked in the middle of the second pass, nothing of the first pass comes again', () => {
    expect(iso(nextAfter(cron('45 1 * * *', 'America/New_York'), at('2025-11-02T06:10Z')))).toBe(
      '2025-11-03T06:45Z',
    );
  });

  it('P2 midnight skipped in São Paulo runs at one o’clock', () => {
    expect(run(cron('0 0 * * *', 'America/Sao_Paulo'), '2018-11-02T12:00Z', 3)).toEqual([
      '2018-11-03T03:00Z', // UTC−3
      '2018-11-04T03:00Z', // 01:00 at UTC−2
      '2018-11-05T02:00Z',
    ]);
  });

  it('P2 midnight passed twice in São Paulo keeps each day’s own midnight', () => {
    // 2018-02-18 00:00 (UTC−2) became 2018-02-17 23:00 (UTC−3): 23:30 comes twice, midnight once.
    expect(run(cron('30 23 * * *', 'America/Sao_Paulo'), '2018-02-17T12:00Z', 2)).toEqual([
      '2018-02-18T01:30Z',
      '2018-02-19T02:30Z',
    ]);
    expect(run(cron('0 0 * * *', 'America/Sao_Paulo'), '2018-02-17T12:00Z', 2)).toEqual([
      '2018-02-18T03:00Z',
      '2018-02-19T03:00Z',
    ]);
  });

  it('P2 the half-hour shift of Lord Howe is kept', () => {
    // Spring: 02:00 (+10:30) becomes 02:30 (+11). Autumn: 02:00 (+11) becomes 01:30 (+10:30).
    expect(run(cron('15 2 * * *', 'Australia/Lord_Howe'), '2025-10-03T00:00Z', 3)).toEqual([
      '2025-10-03T15:45Z',
      '2025-10-04T15:30Z',
      '2025-10-05T15:15Z',
    ]);
    expect(run(cron('45 1 * * *', 'Australia/Lord_Howe'), '2025-04-04T00:00Z', 3)).toEqual([
      '2025-04-04T14:45Z',
      '2025-04-05T14:45Z',
      '2025-04-06T15:15Z',
    ]);
    expect(run(cron('45 * * * *', 'Australia/Lord_Howe'), '2025-04-05T14:00Z', 3)).toEqual([
      '2025-04-05T14:45Z',
      '2025-04-05T15:15Z', // 01:45 again, half an hour later
      '2025-04-05T16:15Z',
    ]);
  });

  it('P2 where clocks go back over midnight, the evening that comes again is not lost', () => {
    // 2010-11-07 00:01 (UTC−2:30) became 2010-11-06 23:01 (UTC−3:30).
    const rule = cron('*/30 * * * *', 'America/St_Johns');
    expect(run(rule, '2010-11-07T01:30Z', 5)).toEqual([
      '2010-11-07T02:00Z', // 23:30
      '2010-11-07T02:30Z', // 00:00
      '2010-11-07T03:00Z', // 23:30 again
      '2010-11-07T03:30Z', // 00:00 again
      '2010-11-07T04:00Z',
    ]);
    const newest = occurrencesBetween(rule, at('2010-11-06T00:00Z'), at('2010-11-07T03:05Z'), 1);
    expect(newest.map(iso)).toEqual(['2010-11-07T03:00Z']);
  });

  it('P2 the day that Apia left out is dropped, and counted', () => {
    const rule = cron('0 9 * * *', 'Pacific/Apia');
    expect(run(rule, '2011-12-28T00:00Z', 4)).toEqual([
      '2011-12-28T19:00Z', // 28 December, UTC−10
      '2011-12-29T19:00Z', // 29 December
      '2011-12-30T19:00Z', // 31 December, UTC+14
      '2011-12-31T19:00Z',
    ]);
    const days = droppedBetween(rule, at('2011-12-29T19:00Z'), at('2011-12-30T19:00Z'));
    expect(days).toEqual([{ date: '2011-12-30', at: at('2011-12-30T10:00Z'), count: 1 }]);
    expect(droppedBetween(rule, at('2011-12-30T10:00Z'), at('2012-12-31T00:00Z'))).toEqual([]);
  });

  it('P2 a rule for the left-out day alone waits for the next year', () => {
    const rule = cron('0 9 30 12 *', 'Pacific/Apia');
    expect(run(rule, '2011-01-01T00:00Z', 1)).toEqual(['2012-12-29T19:00Z']);
    expect(droppedBetween(rule, at('2011-01-01T00:00Z'), at('2012-12-29T19:00Z'))).toHaveLength(1);
  });

  it('P2 29 February and the last day of a month are found', () => {
    expect(run(cron('0 12 29 2 *', 'UTC'), '2096-12-01T00:00Z', 1)).toEqual(['2104-02-29T12:00Z']);
    expect(run(cron('0 12 L * *', 'UTC'), '2025-01-30T00:00Z', 2)).toEqual([
      '2025-01-31T12:00Z',
      '2025-02-28T12:00Z',
    ]);
  });

  it('P2 nothing follows the end of the calendar', () => {
    expect(nextAfter(cron('0 0 * * *', 'UTC'), at('9999-12-31T00:00Z'))).toBeNull();
  });
});

const MINUTE = 60_000;
const DAY = 86_400_000;

/** The wall clock of a zone at every minute of a span, read once. */
function wallClock(zone: string, from: number, to: number): Map<number, number> {
  const walls = new Map<number, number>();
  for (let now = from; now <= to; now += MINUTE) walls.set(now, wallAt(zone, now));
  return walls;
}

/** Walks every minute of the wall clock and follows the rule as it is worded. */
function walk(expression: string, walls: Map<number, number>, from: number, to: number): number[] {
  const [minutes = '', hours = ''] = expression.split(' ');
  const names = (field: string) =>
    field === '*' ? () => true : (value: number) => field.split(',').map(Number).includes(value);
  const [minuteMatches, hourMatches] = [names(minutes), names(hours)];
  const matches = (wall: number) =>
    minuteMatches(new Date(wall).getUTCMinutes()) && hourMatches(new Date(wall).getUTCHours());
  const found = new Set<number>();
  const seen = new Set<number>();
  let last: number | null = null;
  for (const [now, wall] of walls) {
    for (let skipped = (last ?? wall) + MINUTE; skipped < wall; skipped += MINUTE) {
      const day = Math.floor(skipped / DAY);
      const leftOut = Math.floor((last as number) / DAY) < day && Math.floor(wall / DAY) > day;
      if (!leftOut && matches(skipped)) found.add(now);
    }
    if (matches(wall) && (hours === '*' || !seen.has(wall))) found.add(now);
    seen.add(wall);
    last = wall;
  }
  return [...found].filter((instant) => instant > from && instant <= to);
}

const CHANGES: readonly (readonly [string, string])[] = [
  ['America/New_York', '2025-03-09T07:00Z'],
  ['America/New_York', '2025-11-02T06:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00Z'],
  ['America/Sao_Paulo', '2018-02-18T02:00Z'],
  ['Australia/Lord_Howe', '2025-10-04T15:30Z'],
  ['Australia/Lord_Howe', '2025-04-05T15:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00Z'],
  ['America/St_Johns', '2010-11-07T02:31Z'],
  ['America/St_Johns', '2010-03-14T03:31Z'],
  ['America/Nuuk', '2024-03-31T01:00Z'],
  ['Africa/Casablanca', '2025-02-23T02:00Z'],
  ['Europe/Berlin', '2025-10-26T01:00Z'],
  ['Asia/Kathmandu', '2025-05-01T00:00Z'],
];

describe('cron in a zone, against a walk over every minute', () => {
  const field = (most: number) =>
    fc.oneof(
      { weight: 1, arbitrary: fc.constant('*') },
      {
        weight: 3,
        arbitrary: fc
          .uniqueArray(fc.nat(most), { minLength: 1, maxLength: 4 })
          .map((values) => values.join(',')),
      },
    );
  const hours = fc.oneof(
    field(23),
    fc.uniqueArray(fc.constantFrom(0, 1, 2, 3, 22, 23), { minLength: 1 }).map((h) => h.join(',')),
  );

  const spans = CHANGES.map(([zone, when]) => {
    const start = at(when) - 4 * DAY;
    return { zone, start, walls: wallClock(zone, start, start + 8 * DAY) };
  });

  it('P2 every occurrence near a change is found, counted and listed, and each follows the last', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...spans),
        field(59),
        hours,
        fc.integer({ min: 1440, max: 4 * 1440 }),
        (span, minute, hour, shift) => {
          const from = span.start + shift * MINUTE;
          const to = from + 2 * DAY;
          const expression = `${minute} ${hour} * * *`;
          const wanted = walk(expression, span.walls, from, to);
          const rule = cron(expression, span.zone);
          let last = from;
          for (const instant of wanted.slice(0, 40)) {
            const next = nextAfter(rule, last);
            expect(iso(next)).toBe(iso(instant));
            last = instant;
          }
          if (wanted.length <= 40) expect(nextAfter(rule, last)).toBeGreaterThan(to);
          expect(countBetween(rule, from, to)).toBe(wanted.length);
          expect(occurrencesBetween(rule, from, to, 7).map(iso)).toEqual(wanted.slice(-7).map(iso));
        },
      ),
      { numRuns: 120 },
    );
  });
});

describe('interval', () => {
  const every = (everySeconds: number, first: number): Rule => ({
    kind: 'interval',
    everySeconds,
    first,
  });

  it('P1 due times are anchored at the first one and never drift', () => {
    const rule = every(10, 100_000);
    expect(nextAfter(rule, 0)).toBe(100_000);
    expect(nextAfter(rule, 100_000)).toBe(110_000);
    expect(nextAfter(rule, 139_999)).toBe(140_000);
    expect(countBetween(rule, 100_000, 139_000)).toBe(3);
    expect(countBetween(rule, 0, 99_999)).toBe(0);
    expect(occurrencesBetween(rule, 0, 139_000, 2)).toEqual([120_000, 130_000]);
    expect(occurrencesBetween(rule, 0, 105_000, 9)).toEqual([100_000]);
  });

  it('P1 half a century of seconds is counted at once', () => {
    expect(countBetween(every(1, 0), 0, 1_600_000_000_000)).toBe(1_600_000_000);
    expect(nextAfter(every(3_153_600_000, 8_000_000_000_000_000), 8_639_000_000_000_000)).toBe(
      null,
    );
  });
});
