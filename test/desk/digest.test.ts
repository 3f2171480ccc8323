import { describe, expect, it } from 'vitest';
import type { Interval, Track } from '../../main/base/store/intervals.ts';
import type { Stint } from '../../main/base/store/stints.ts';
import { type DigestInput, digest } from '../../main/desk/digest.ts';

const MINUTE = 60_000;
const EVENING = new Date(2026, 4, 20, 22, 40).getTime();
const MORNING = new Date(2026, 4, 21, 7, 5).getTime();

function stint(job: number, change: Partial<Stint> = {}): Stint {
  return {
    ...{ job, claimNo: 1, title: `Job ${job}`, tier: 'synthesis', heavy: true },
    ...{ from: EVENING, until: EVENING + 20 * MINUTE, outcome: 'done', cause: null, askedAt: null },
    ...change,
  };
}

function interval(track: Track, state: string, from: number, until: number, percent: number) {
  const ends = { percentFrom: percent, percentUntil: percent, ended: 'change' as const };
  return { id: 1, track, state, from, until, ...ends } satisfies Interval;
}

function tell(change: Partial<DigestInput> = {}): string | null {
  return digest({
    ...{ from: EVENING, until: MORNING, stints: [], running: 0, loads: 0, drafts: 0 },
    ...{ presence: [], power: [], ...change },
  });
}

describe('the digest', () => {
  it('D3 D13 says what ran, what it cost, and what lies ready', () => {
    const stints = [
      stint(1),
      stint(2, { outcome: 'yielded', cause: 'light-waiting' }),
      stint(2, { claimNo: 2, outcome: 'failed', title: 'Dream' }),
      stint(3, {
        outcome: 'yielded',
        cause: 'returned',
        until: MORNING + 9 * MINUTE,
        from: MORNING - MINUTE,
      }),
    ];
    expect(tell({ stints, loads: 3, drafts: 4 })).toBe(
      'While you were away (22:40 to 07:05): 3 jobs ran for 1 h 1 min; 3 model loads; 4 drafts are ready; 1 job gave way when you came back; "Dream" failed.',
    );
  });

  it('D3 a longer absence is told with its day', () => {
    const from = EVENING - 86_400_000;
    expect(tell({ from, drafts: 1 })).toMatch(/ \(22:40 on 19 May to 07:05\): 1 draft is ready\.$/);
  });

  it('D3 is silent where nothing happened, and says what still runs', () => {
    expect(tell({ loads: 2 })).toBeNull();
    expect(tell({ running: 1 })).toMatch(/: 1 job still at work\.$/);
    expect(tell({ drafts: 1 })).toMatch(/: 1 draft is ready\.$/);
  });

  it('D3 two causes of failure are counted, one is named once', () => {
    const broken = { outcome: 'failed', title: 'Dream' } as const;
    const again = stint(2, { claimNo: 2, ...broken });
    expect(tell({ stints: [stint(2, broken), again] })).toMatch(/; "Dream" failed\.$/);
    const other = stint(4, { outcome: 'crash', title: 'Curate' });
    expect(tell({ stints: [again, other] })).toMatch(/; 2 jobs failed\.$/);
  });

  it('D13 names what was taken from the battery, and nothing on mains', () => {
    const presence = [
      interval('presence', 'here', EVENING - MINUTE, EVENING, 81),
      interval('presence', 'away', EVENING, MORNING, 80.6),
      interval('presence', 'here', MORNING, MORNING, 74),
    ];
    const mains = [interval('power', 'mains', EVENING, MORNING, 80)];
    const battery = [interval('power', 'battery', EVENING + MINUTE, MORNING, 80)];
    const stints = [stint(1)];
    expect(tell({ stints, presence, power: mains })).not.toContain('battery');
    expect(tell({ stints, presence, power: battery })).toContain('; battery 80 % → 74 %.');
    expect(tell({ stints, power: battery })).toContain('; partly on battery.');
  });
});
