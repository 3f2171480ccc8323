import { describe, expect, it } from 'vitest';
import { runsTable } from '../../../main/base/store/runs.ts';
import { temporaryStore } from '../../support/store.ts';

describe('runs', () => {
  it('S5 a run that ended cleanly leaves nothing to recover', async () => {
    const runs = runsTable((await temporaryStore()).db);
    const first = runs.start('0.1.0', 100, 1000);
    expect(runs.get(first)).toEqual({
      id: first,
      version: '0.1.0',
      pid: 100,
      startedAt: 1000,
      stoppedAt: null,
      clean: false,
      recovered: null,
    });
    expect(runs.stopClean(first, 2000)).toBe(true);
    const second = runs.start('0.1.0', 101, 3000);
    expect(second).toBeGreaterThan(first);
    expect(runs.unstopped(second)).toEqual([]);
    expect(runs.previousUnclean(second)).toBeNull();
    expect(runs.previousUnclean(first)).toBeNull();
  });

  it('S5 a run that was killed is found by the next, closed once, and told as unclean', async () => {
    const runs = runsTable((await temporaryStore()).db);
    const killed = runs.start('0.1.0', 100, 1000);
    const next = runs.start('0.1.0', 101, 3000);
    expect(runs.unstopped(next).map((run) => run.id)).toEqual([killed]);
    expect(runs.stopUnclean(killed, 3000, { requeued: [4], failed: [] })).toBe(true);
    expect(runs.stopUnclean(killed, 9000, {})).toBe(false);
    expect(runs.stopClean(killed, 9000)).toBe(false);
    expect(runs.unstopped(next)).toEqual([]);
    expect(runs.previousUnclean(next)).toMatchObject({
      id: killed,
      stoppedAt: 3000,
      recovered: { requeued: [4], failed: [] },
    });
    expect(runs.latest()?.id).toBe(next);
    expect(runs.list(5).map((run) => run.id)).toEqual([next, killed]);
  });
});
