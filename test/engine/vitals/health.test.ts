import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flagsOf, type Reading } from '../../../main/engine/vitals/flags.ts';
import {
  HEALTHY,
  type HealthInput,
  healthLine,
  healthOf,
} from '../../../main/engine/vitals/health.ts';

const MINUTE = 60_000;
const LIMITS = { stalledAfterMs: 15 * MINUTE, wedgedAfterMs: 20 * MINUTE };
const job = (silentMs: number, id = 7) => ({ job: id, title: 'Read the minutes', silentMs });
const health = (input: Partial<HealthInput>) =>
  healthOf({ runnableMs: null, stillMs: 0, flights: [], ...input }, LIMITS);

describe('S6 the health of a host', () => {
  it.each<[string, Partial<HealthInput>, boolean, number[]]>([
    ['nothing waits', { stillMs: 900 * MINUTE }, false, []],
    ['work may run and nothing moves', { runnableMs: 15 * MINUTE, stillMs: 99 * MINUTE }, true, []],
    ['a moment before', { runnableMs: 15 * MINUTE - 1, stillMs: 99 * MINUTE }, false, []],
    ['something has moved', { runnableMs: 99 * MINUTE, stillMs: MINUTE }, false, []],
    [
      'a long job whose rows keep landing',
      { runnableMs: 99 * MINUTE, stillMs: MINUTE, flights: [job(MINUTE)] },
      false,
      [],
    ],
    [
      'a job without a sign',
      { runnableMs: 99 * MINUTE, stillMs: 25 * MINUTE, flights: [job(25 * MINUTE)] },
      true,
      [7],
    ],
    ['one of two', { stillMs: MINUTE, flights: [job(20 * MINUTE), job(MINUTE, 8)] }, false, [7]],
  ])('S6 %s', (_what, input, stalled, wedged) => {
    const found = health(input);
    expect([found.stalled !== null, found.wedged.map((one) => one.job)]).toEqual([stalled, wedged]);
  });

  it('S6 says in one line what is wrong, the same all through a minute', () => {
    expect(healthLine(HEALTHY)).toBeNull();
    const stalled = health({ runnableMs: 20 * MINUTE + 59_000, stillMs: 40 * MINUTE });
    expect(healthLine(stalled)).toBe('Stalled: work may run, and nothing has moved for 20 min');
    const wedged = health({ stillMs: 0, flights: [job(25 * MINUTE), job(30 * MINUTE, 8)] });
    expect(healthLine(wedged)).toBe('No progress for 25 min: Read the minutes, and 1 more');
  });
});

const WELL: Reading = {
  ...{ health: HEALTHY, loopDelayMs: 5, residentBytes: 2e8, logBytes: 1e6, diskFreeBytes: 5e10 },
};
const ids = (reading: Partial<Reading>, stood: string[] = []) =>
  flagsOf({ ...WELL, ...reading }, new Set(stood)).map(({ id }) => id);

describe('S6 the watchdog’s flags', () => {
  it('S6 nothing is raised over a host that is well, or over what is not known', () => {
    expect(ids({})).toEqual([]);
    expect(ids({ loopDelayMs: null, diskFreeBytes: null })).toEqual([]);
  });

  it.each<[string, Partial<Reading>, Partial<Reading>, Partial<Reading>]>([
    ['slow-host', { loopDelayMs: 5000 }, { loopDelayMs: 500 }, { loopDelayMs: 199 }],
    ['memory', { residentBytes: 1.5e9 }, { residentBytes: 1.2e9 }, { residentBytes: 9e8 }],
    ['log-size', { logBytes: 2.56e8 }, { logBytes: 1e8 }, { logBytes: 6e7 }],
    ['disk', { diskFreeBytes: 9e8 }, { diskFreeBytes: 1.5e9 }, { diskFreeBytes: 2e9 }],
  ])('S6 %s rises at its limit, and is over only well below it', (id, over, between, under) => {
    expect([ids(over), ids(between), ids(between, [id]), ids(under, [id])]).toEqual([
      ...[[id], [], [id], []],
    ]);
    expect(flagsOf({ ...WELL, ...over }, new Set())[0]?.text).toMatch(/^[A-Z][^\n]{20,}\.$/);
  });

  it('S6 each wedged job has a flag of its own', () => {
    const wedged = [7, 8].map((job) => ({ job, title: 'x', forMs: 1 }));
    expect(ids({ health: { stalled: null, wedged } })).toEqual(['wedged:7', 'wedged:8']);
    expect(ids({ health: { stalled: { forMs: 9e5 }, wedged: [] } })).toEqual(['stalled']);
  });

  it('S6 the same reading and the same flags give the same flags', () => {
    const reading = fc.record({
      loopDelayMs: fc.option(fc.nat(9000)),
      residentBytes: fc.nat(3_000_000_000),
      logBytes: fc.nat(600_000_000),
      diskFreeBytes: fc.option(fc.nat(4_000_000_000)),
    });
    fc.assert(
      fc.property(
        reading,
        fc.subarray(['memory', 'disk', 'log-size', 'slow-host']),
        (seen, stood) => {
          // What stands after a reading stands after the same reading again: nothing flutters.
          const after = ids(seen, stood);
          expect(ids(seen, after)).toEqual(after);
        },
      ),
    );
  });
});
