import { describe, expect, it } from 'vitest';
import { paceAfter, timeLeft } from '../../../main/engine/supervisor/pace.ts';

const files = (done: number, total: number | null = 100) => ({ done, total, unit: 'files' });

describe('the time that a run still takes', () => {
  it('D5 it goes by the pace of this run, not by what was done before it', () => {
    let pace = paceAfter(null, files(60), 1_000);
    expect(timeLeft(pace)).toBeNull(); // one word is no pace
    pace = paceAfter(pace, files(70), 11_000);
    expect(timeLeft(pace)).toBe(30_000);
    pace = paceAfter(pace, files(100), 41_000);
    expect(timeLeft(pace)).toBe(0);
  });

  it('D5 nobody can tell without an end, without progress, or where the clock was set back', () => {
    const begun = paceAfter(null, files(10, null), 1_000);
    expect(timeLeft(paceAfter(begun, files(20, null), 2_000))).toBeNull();
    expect(timeLeft(paceAfter(begun, files(10), 2_000))).toBeNull();
    expect(timeLeft(paceAfter(begun, files(20), 500))).toBeNull();
    expect(timeLeft(paceAfter(begun, files(120), 2_000))).toBe(0);
  });
});
