import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LockFault } from '../../../../main/work/roster/lock/fault.ts';
import type { LockEvent } from '../../../../main/work/roster/lock/lock-event.ts';
import { platformOf } from '../../../../main/work/roster/lock/platform.ts';
import { answersNeeded } from '../../../../main/work/roster/lock/quorum.ts';
import { decideRace } from '../../../../main/work/roster/lock/race.ts';
import { relayAddresses } from '../../../../main/work/roster/lock/relay-address.ts';
import {
  healthFrom,
  isQuarantined,
  type Outcome,
  scoreOf,
  UNKNOWN_HEALTH,
  withOutcome,
} from '../../../../main/work/roster/lock/relay-health.ts';
import { pauseAfter } from '../../../../main/work/roster/lock/retry.ts';
import {
  datesThatCount,
  isoWeek,
  utcDate,
  windowOf,
} from '../../../../main/work/roster/lock/window.ts';

const at = (text: string) => Date.parse(text);

describe('windows', () => {
  it.each([
    ['2026-01-01', '2026-W01'],
    ['2025-12-29', '2026-W01'],
    ['2027-01-03', '2026-W53'],
    ['2027-01-04', '2027-W01'],
    ['2024-12-30', '2025-W01'],
    ['2026-02-20', '2026-W08'],
  ])('T2 %s lies in %s', (date, week) => {
    expect(isoWeek(date)).toBe(week);
  });

  it('T2 the dates that count reach from the day before the window to today', () => {
    const friday = at('2026-02-20T23:59:59Z');
    expect(datesThatCount('daily', friday)).toEqual(['2026-02-19', '2026-02-20']);
    expect(datesThatCount('weekly', friday)).toEqual([
      '2026-02-15',
      '2026-02-16',
      '2026-02-17',
      '2026-02-18',
      '2026-02-19',
      '2026-02-20',
    ]);
    expect(datesThatCount('daily', friday, '2026-02-18')[0]).toBe('2026-02-17');
    expect(datesThatCount('weekly', at('2026-02-23T01:00:00Z'), '2026-02-20')).toEqual([
      ...['2026-02-15', '2026-02-16', '2026-02-17', '2026-02-18', '2026-02-19'],
      ...['2026-02-20', '2026-02-21', '2026-02-22', '2026-02-23'],
    ]);
  });

  it('T2 every day of the window so far is among them, on any date', () => {
    const day = fc.integer({ min: 0, max: at('2100-01-01') / 86_400_000 });
    fc.assert(
      fc.property(day, fc.constantFrom('daily' as const, 'weekly' as const), (number, cadence) => {
        const now = number * 86_400_000;
        const window = windowOf(cadence, utcDate(now));
        const inWindow = datesThatCount(cadence, now).filter(
          (date) => windowOf(cadence, date) === window,
        );
        const expected = Array.from({ length: 7 }, (_, back) => utcDate(now - back * 86_400_000))
          .filter((date) => windowOf(cadence, date) === window)
          .reverse();
        expect(inWindow).toEqual(expected);
      }),
    );
  });
});

describe('a race', () => {
  const event = (id: string, createdAt: number, more: Partial<LockEvent> = {}): LockEvent => ({
    id,
    agent: 'a',
    status: 'started',
    date: '2026-02-20',
    platform: 'x',
    createdAt,
    expiresAt: createdAt + 7200,
    claimedAt: null,
    renewal: false,
    ...more,
  });
  const mine = new Set(['mine']);
  const quick = { announcedAt: 100_400, stored: true };

  it('T2 the earliest claim wins, then the smaller identity', () => {
    const own = event('mine', 100);
    expect(decideRace([own], mine, quick)).toEqual({ end: 'won' });
    expect(decideRace([event('a', 101), own], mine, quick)).toEqual({ end: 'won' });
    expect(decideRace([own, event('z', 99)], mine, quick)).toMatchObject({
      end: 'lost',
      to: { id: 'z' },
    });
    expect(decideRace([own, event('a', 100)], mine, quick)).toMatchObject({ end: 'lost' });
    expect(decideRace([own, event('z', 100)], mine, quick)).toEqual({ end: 'won' });
  });

  it('T2 a claim that is not there afterwards is not acquired, even against one rival', () => {
    expect(decideRace([], mine, quick)).toEqual({ end: 'missing' });
    expect(decideRace([event('z', 200)], mine, quick)).toMatchObject({
      end: 'lost',
      to: { id: 'z' },
    });
    expect(decideRace([event('mine', 100)], mine, { ...quick, stored: false })).toEqual({
      end: 'missing',
    });
  });

  it('T2 a late announcement gives way to a rival that may have looked before it could be seen', () => {
    const own = event('mine', 100);
    const rival = event('z', 101, { claimedAt: 101_200 });
    const ends = (announcedAt: number) =>
      decideRace([own, rival], mine, { announcedAt, stored: true }).end;
    expect(ends(101_600)).toBe('won'); // the rival looks at 102.7, even by a clock one second ahead
    expect(ends(101_700)).toBe('lost');
    // by an existing tool nothing more exact is known: its own rule holds
    expect(
      decideRace([own, event('z', 101)], mine, { announcedAt: 109_000, stored: true }).end,
    ).toBe('won');
  });

  it('T2 an agent that is done, or held by renewal, is not won by any claim', () => {
    const own = event('mine', 100);
    expect(decideRace([own, event('z', 150, { status: 'completed' })], mine, quick)).toMatchObject({
      end: 'completed',
    });
    expect(decideRace([own, event('z', 150, { renewal: true })], mine, quick)).toMatchObject({
      end: 'lost',
    });
  });

  it('T2 of two claims that saw each other never both win, whatever their clocks', () => {
    const moment = fc.record({
      claimed: fc.integer({ min: 100_000, max: 104_000 }),
      took: fc.integer({ min: 0, max: 4000 }),
      skew: fc.integer({ min: -500, max: 500 }),
      id: fc.constantFrom('a', 'b', 'c'),
    });
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        fc.pre(a.id !== b.id);
        const seenBy = (me: typeof a, other: typeof a) => {
          // `claimed` and `took` are true time; each machine's own clock is off by its skew.
          const exact = (one: typeof a) => {
            const ms = one.claimed + one.skew;
            return ms % 1000 === 0 ? null : ms;
          };
          const claimOf = (one: typeof a) =>
            event(one.id, Math.floor((one.claimed + one.skew) / 1000), { claimedAt: exact(one) });
          const looks = me.claimed + me.took + 1500;
          const visible = other.claimed + other.took <= looks;
          return decideRace(
            visible ? [claimOf(me), claimOf(other)] : [claimOf(me)],
            new Set([me.id]),
            { announcedAt: me.claimed + me.skew + me.took, stored: true },
          ).end;
        };
        fc.pre(a.claimed % 1000 !== -a.skew && b.claimed % 1000 !== -b.skew);
        expect([seenBy(a, b), seenBy(b, a)]).not.toEqual(['won', 'won']);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('relays', () => {
  const history = (...outcomes: Outcome[]) =>
    outcomes.reduce((health, outcome) => withOutcome(health, outcome, 1000), UNKNOWN_HEALTH);

  it('T2 are scored by their last 25 outcomes', () => {
    expect(scoreOf(UNKNOWN_HEALTH, 0)).toBeCloseTo(1.4 * 0.5 - 0.1);
    expect(scoreOf(history(1000, 1000), 0)).toBeCloseTo(1.4 - 0.1);
    expect(scoreOf(history(20_000), 0)).toBeCloseTo(1.4 - 0.35);
    expect(scoreOf(history(1000, 'timeout'), 0)).toBeCloseTo(1.4 * 0.5 - 0.9 * 0.5 - 0.1);
    expect(scoreOf(history(1000, 'failure'), 0)).toBeCloseTo(1.4 * 0.5 - 0.1);
    expect(history(...Array.from({ length: 40 }, () => 5)).outcomes).toHaveLength(25);
  });

  it('T2 are left alone after three failures in a row, longer each time, and not for ever', () => {
    const fail = (health = UNKNOWN_HEALTH, now = 0) =>
      ['failure', 'timeout', 'failure'].reduce(
        (one, outcome) => withOutcome(one, outcome as Outcome, now),
        health,
      );
    const first = fail();
    expect(isQuarantined(history('failure', 'failure'), 0)).toBe(false);
    expect(isQuarantined(history('failure', 5, 'failure', 'failure'), 0)).toBe(false);
    expect([
      first.quarantinedUntil,
      isQuarantined(first, 29_999),
      isQuarantined(first, 30_000),
    ]).toEqual([30_000, true, false]);
    expect(scoreOf(first, 0)).toBeCloseTo(-0.9 / 3 - 0.1 - 1);
    const cooldowns = [first];
    for (let turn = 1; turn < 9; turn++) cooldowns.push(fail(cooldowns.at(-1)));
    expect(cooldowns.map(({ cooldownMs }) => cooldownMs)).toEqual([
      30_000, 45_000, 67_500, 101_250, 151_875, 227_812.5, 300_000, 300_000, 300_000,
    ]);
    expect(withOutcome(first, 5, 0)).toMatchObject({ cooldownMs: 0, quarantinedUntil: 0 });
    // a clock set back must not prolong it
    expect(isQuarantined(first, -300_000)).toBe(false);
    expect(healthFrom(JSON.stringify(first))).toEqual(first);
    for (const broken of ['', 'null', '{"outcomes":["x"]}', '{"outcomes":[]}']) {
      expect(healthFrom(broken)).toEqual(UNKNOWN_HEALTH);
    }
  });

  it('T2 are tried again with full jitter: anything up to 0.5, 1, 2 s, never above 8', () => {
    expect([1, 2, 3, 9].map((attempt) => pauseAfter(attempt, 0.999_999))).toEqual([
      499, 999, 1999, 7999,
    ]);
    expect(pauseAfter(3, 0)).toBe(0);
  });

  it('T2 any look and any claim of an owner who wants copies share a relay', () => {
    expect(answersNeeded(3, 1, 1)).toBe(1);
    expect(answersNeeded(3, 2, 1)).toBe(2);
    expect(answersNeeded(3, 3, 1)).toBe(1);
    expect(answersNeeded(3, 1, 2)).toBe(2);
    expect(answersNeeded(2, 1, 5)).toBe(2);
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 2, max: 20 }), (n, w) => {
        fc.pre(w <= n);
        expect(answersNeeded(n, w, 1) + w).toBeGreaterThan(n);
      }),
    );
  });

  it('T2 have addresses of one spelling; a malformed one is refused by its key', () => {
    const read = (...urls: string[]) => relayAddresses(urls, 'nostrLock.relays');
    expect(read('wss://Relay.Example.org/', ' wss://relay.example.org', 'ws://[::1]:7/x')).toEqual([
      'wss://relay.example.org',
      'ws://[::1]:7/x',
    ]);
    for (const url of [
      '',
      'relay.example.org',
      'https://a.b',
      'wss//a.b',
      'wss://',
      'ws://a b',
      'wss://u:p@a.b',
    ]) {
      expect(() => read('wss://fine.example', url)).toThrow(LockFault);
    }
    expect(() => read('nonsense')).toThrow(
      'nostrLock.relays: "nonsense" is not the address of a relay - write it as wss://',
    );
  });
});

describe('the platform', () => {
  it.each([
    ['goose', { GOOSE_API_KEY: 'x' }, 'flagged', 'flagged'],
    ['', { AGENT_PLATFORM: 'linux', CODEX_API_KEY: 'x' }, null, 'linux'],
    ['', { CODEX_SESSION_ID: 'x', JULES_API_KEY: 'x' }, null, 'jules'],
    ['', { ANTHROPIC_API_KEY: 'x' }, null, 'claude'],
    ['', { GOOGLE_API_KEY: 'x', QWEN_API_KEY: 'x' }, null, 'gemini'],
    ['', { GOOGLE_SESSION_ID: 'x' }, null, 'unknown'],
    ['', {}, null, 'unknown'],
  ])('T2 is the one given, else named, else detected (%s %j)', (_, env, given, expected) => {
    expect(platformOf(given, env)).toBe(expected);
  });
});
