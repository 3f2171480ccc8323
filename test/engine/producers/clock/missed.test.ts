import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type MissedPolicy,
  ON_TIME_MS,
  planMissed,
} from '../../../../main/engine/producers/clock/missed.ts';
import {
  countBetween,
  nextAfter,
  type Rule,
} from '../../../../main/engine/producers/clock/rule.ts';

const S = 1000;
const every10: Rule = { kind: 'interval', everySeconds: 10, first: 100 * S };
const hourly: Rule = { kind: 'interval', everySeconds: 3600, first: 0 };
const HOUR = 3600 * S;

describe('missed runs', () => {
  it('P1 due at 100 and seen at 139: one job, three coalesced, next at 140', () => {
    expect(planMissed(every10, { kind: 'coalesce' }, 100 * S, 139 * S)).toEqual({
      admit: [{ due: 100 * S, expiresAt: null, coalesced: 3 }],
      missed: 0,
      next: 140 * S,
    });
  });

  it('P1 seen at the due time itself, nothing is skipped', () => {
    const plan = planMissed(every10, { kind: 'coalesce' }, 100 * S, 100 * S);
    expect(plan).toMatchObject({ admit: [{ coalesced: 0 }], next: 110 * S });
    expect(planMissed(every10, { kind: 'coalesce' }, 100 * S, 140 * S)).toMatchObject({
      admit: [{ coalesced: 4 }],
      next: 150 * S,
    });
  });

  it('P3 skip runs what is a minute late at most, and counts the rest', () => {
    const skip: MissedPolicy = { kind: 'skip' };
    expect(planMissed(hourly, skip, HOUR, HOUR + ON_TIME_MS)).toEqual({
      admit: [{ due: HOUR, expiresAt: null, coalesced: 0 }],
      missed: 0,
      next: 2 * HOUR,
    });
    expect(planMissed(hourly, skip, HOUR, HOUR + ON_TIME_MS + 1)).toEqual({
      admit: [],
      missed: 1,
      next: 2 * HOUR,
    });
    expect(planMissed(hourly, skip, HOUR, 5 * HOUR + 10 * S)).toEqual({
      admit: [{ due: 5 * HOUR, expiresAt: null, coalesced: 0 }],
      missed: 4,
      next: 6 * HOUR,
    });
  });

  it('P3 within a window, the newest whose window is open runs and carries its latest start', () => {
    const within: MissedPolicy = { kind: 'within', seconds: 7200 };
    expect(planMissed(hourly, within, HOUR, 5.5 * HOUR)).toEqual({
      admit: [{ due: 5 * HOUR, expiresAt: 7 * HOUR, coalesced: 1 }], // 4 and 5; 3 closed at 5
      missed: 3,
      next: 6 * HOUR,
    });
    expect(planMissed(hourly, within, 4 * HOUR, 5.5 * HOUR)).toMatchObject({
      admit: [{ due: 5 * HOUR, coalesced: 1 }],
      missed: 0,
    });
    const daily: Rule = { kind: 'interval', everySeconds: 86_400, first: 7 * HOUR };
    expect(planMissed(daily, within, 7 * HOUR, 8.5 * HOUR)).toMatchObject({
      admit: [{ due: 7 * HOUR, expiresAt: 9 * HOUR, coalesced: 0 }],
      missed: 0,
    });
    expect(planMissed(daily, within, 7 * HOUR, 9 * HOUR)).toEqual({
      admit: [],
      missed: 1,
      next: 31 * HOUR,
    });
  });

  it('P3 replay takes the newest so many, oldest first, and counts the older ones as missed', () => {
    const replay = (atMost: number): MissedPolicy => ({ kind: 'replay', atMost });
    const dues = (policy: MissedPolicy) =>
      planMissed(hourly, policy, HOUR, 5.5 * HOUR).admit.map((job) => job.due / HOUR);
    expect(dues(replay(3))).toEqual([3, 4, 5]);
    expect(dues(replay(5))).toEqual([1, 2, 3, 4, 5]);
    expect(dues(replay(100))).toEqual([1, 2, 3, 4, 5]);
    expect(planMissed(hourly, replay(3), HOUR, 5.5 * HOUR)).toMatchObject({
      missed: 2,
      next: 6 * HOUR,
    });
  });

  it('P3 every occurrence is admitted, coalesced or missed, exactly once', () => {
    const policy = fc.oneof(
      fc.constantFrom<MissedPolicy>({ kind: 'coalesce' }, { kind: 'skip' }),
      fc
        .integer({ min: 1, max: 400_000 })
        .map((seconds): MissedPolicy => ({ kind: 'within', seconds })),
      fc.integer({ min: 1, max: 40 }).map((atMost): MissedPolicy => ({ kind: 'replay', atMost })),
    );
    const rule = fc.oneof(
      fc
        .integer({ min: 1, max: 100_000 })
        .map(
          (everySeconds): Rule => ({ kind: 'interval', everySeconds, first: 1_740_000_000_000 }),
        ),
      fc
        .constantFrom('0 7 * * *', '*/20 * * * *', '30 1,2 * * 0')
        .map((expression): Rule => ({ kind: 'cron', expression, zone: 'America/New_York' })),
    );
    fc.assert(
      fc.property(
        rule,
        policy,
        fc.nat(1_000_000),
        fc.nat(3_000_000),
        (rule, policy, start, late) => {
          const due = nextAfter(rule, 1_741_300_000_000 + start * S) as number;
          const now = due + late * 100;
          const plan = planMissed(rule, policy, due, now);
          const dues = plan.admit.map((job) => job.due);
          const taken = plan.admit.reduce((sum, job) => sum + 1 + job.coalesced, 0);
          expect(taken + plan.missed).toBe(1 + countBetween(rule, due, now));
          expect(plan.missed).toBeGreaterThanOrEqual(0);
          expect(dues).toEqual([...new Set(dues)].sort((a, b) => a - b));
          for (const at of dues) expect(at >= due && at <= now).toBe(true);
          expect(plan.next).toBeGreaterThan(now);
        },
      ),
      { numRuns: 200 },
    );
  });
});
