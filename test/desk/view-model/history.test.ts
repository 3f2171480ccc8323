import { describe, expect, it } from 'vitest';
import type { Interval } from '../../../main/base/store/intervals.ts';
import type { Stint } from '../../../main/base/store/stints.ts';
import { type HistoryInput, historyRow } from '../../../main/desk/view-model/history.ts';
import type { YieldCause } from '../../../main/engine/supervisor/handler.ts';
import { aJob } from '../a-job.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BORN = 1_780_000_000_000;

function stint(claimNo: number, from: number, until: number, change: Partial<Stint> = {}): Stint {
  return {
    ...{ job: 1, claimNo, title: 'Dream', tier: 'synthesis', heavy: true },
    ...{ from: BORN + from, until: BORN + until, outcome: 'done', cause: null, askedAt: null },
    ...change,
  };
}

function hold(state: string, from: number, until: number): Interval {
  return {
    ...{ id: 1, track: 'hold', state, percentFrom: null, percentUntil: null, ended: 'change' },
    ...{ from: BORN + from, until: BORN + until },
  };
}

function row(change: Partial<HistoryInput> & { job?: HistoryInput['job'] } = {}) {
  const job = aJob({
    ...{ class: 'heavy', tier: 'synthesis', state: 'done', createdAt: BORN },
    finishedAt: BORN + 4 * HOUR,
  });
  return historyRow({
    ...{ job, stints: [], holds: [], loads: 2, freedAfter: () => null, now: BORN + 9 * HOUR },
    ...change,
  });
}

describe('a row of History', () => {
  it('D6 says what it waited for longest, what it took and what was loaded for it', () => {
    const seen = row({
      stints: [stint(1, 3.5 * HOUR, 4 * HOUR)],
      holds: [
        hold('presence', -HOUR, 2.5 * HOUR),
        hold('power/battery', 2.5 * HOUR, 3 * HOUR),
        hold('open', 3 * HOUR, 4 * HOUR),
      ],
    });
    expect(seen).toMatchObject({
      waitedBecause: 'you were here (2 h 30 min), the machine was on battery (30 min)',
      waitedMs: 3.5 * HOUR,
      ranMs: 30 * MINUTE,
      loads: 2,
      yields: [],
    });
  });

  it('D6 counts the waits between its stints, and names a deferral instead of the gates', () => {
    const seen = row({
      stints: [
        stint(1, HOUR, HOUR + MINUTE, { outcome: 'deferred', cause: 'ceiling' }),
        stint(2, 3 * HOUR, 4 * HOUR),
      ],
      holds: [hold('presence', 0, HOUR / 2), hold('open', HOUR / 2, 4 * HOUR)],
    });
    expect(seen.waitedBecause).toBe(
      'it was put off until conditions changed (1 h 59 min), you were here (30 min)',
    );
    expect(seen.waitedMs).toBe(2 * HOUR + 59 * MINUTE);
  });

  it('D6 the time before its own begin is no fault of the gates', () => {
    const job = aJob({
      ...{ class: 'heavy', tier: 'synthesis', state: 'done', createdAt: BORN },
      ...{ notBefore: BORN + 2 * HOUR, finishedAt: BORN + 4 * HOUR },
    });
    const holds = [hold('presence', 0, 3 * HOUR)];
    expect(row({ job, holds, stints: [stint(1, 3 * HOUR, 4 * HOUR)] }).waitedBecause).toBe(
      'its time had not come (2 h), you were here (1 h)',
    );
  });

  it('D6 light work is held by a pause of everything alone; a short wait needs no reason', () => {
    const job = aJob({ class: 'light', createdAt: BORN, finishedAt: BORN + HOUR, state: 'done' });
    const stints = [stint(1, HOUR - MINUTE, HOUR)];
    const holds = [hold('presence', 0, HOUR / 2), hold('pause/paused', HOUR / 2, HOUR)];
    expect(row({ job, stints, holds }).waitedBecause).toBe('everything was paused (29 min)');
    const brief = [hold('pause/paused', 0, 59_000)];
    expect(row({ job, stints, holds: brief }).waitedBecause).toBeNull();
    expect(row({ job, stints }).waitedBecause).toBeNull();
  });

  it('G7 D6 names each yield, how long it took, and when memory was free', () => {
    const asked = BORN + HOUR;
    const seen = row({
      stints: [
        stint(1, 0, HOUR + 4_000, { outcome: 'yielded', cause: 'returned', askedAt: asked }),
        stint(2, 2 * HOUR, 4 * HOUR),
      ],
      freedAfter: (at) => (at === asked ? asked + 9_000 : null),
    });
    expect(seen.yields).toEqual([
      { at: asked + 4_000, cause: 'returned', text: 'you came back', tookMs: 4_000, freeMs: 9_000 },
    ]);
    const alone = [stint(1, 0, HOUR, { outcome: 'yielded', cause: 'light-waiting' })];
    expect(row({ stints: alone }).yields).toMatchObject([
      { text: 'light work was waiting', tookMs: null, freeMs: null },
    ]);
  });

  it('D6 every cause of a yield has its words', () => {
    const causes: Record<YieldCause, true> = {
      ...{ cancelled: true, paused: true, quitting: true, returned: true, battery: true },
      ...{ floor: true, 'low-power': true, heat: true, memory: true, hours: true },
      ...{ 'exclusive-app': true, 'light-waiting': true },
    };
    for (const cause of Object.keys(causes)) {
      const [one] = row({ stints: [stint(1, 0, HOUR, { outcome: 'yielded', cause })] }).yields;
      expect(one?.text, cause).not.toBe(cause);
    }
  });

  it('D6 a job that still waits counts its waiting up to now', () => {
    const job = aJob({ class: 'heavy', tier: 'synthesis', state: 'queued', createdAt: BORN });
    expect(row({ job, holds: [hold('presence', 0, 9 * HOUR)] })).toMatchObject({
      waitedMs: 9 * HOUR,
      waitedBecause: 'you were here (9 h)',
    });
  });
});
