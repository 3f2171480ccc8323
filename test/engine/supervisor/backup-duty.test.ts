import { describe, expect, it } from 'vitest';
import { LullError } from '../../../main/base/errors.ts';
import { backupDuty } from '../../../main/engine/supervisor/backup-duty.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

const HOUR = 3_600_000;

function room() {
  const clock = new FakeClock();
  const made: number[] = [];
  const told: (string | null)[] = [];
  const state = { idle: true, fault: null as LullError | null };
  const duty = backupDuty({
    clock,
    newestAt: () => made.at(-1) ?? null,
    async make() {
      if (state.fault) throw state.fault;
      made.push(clock.now());
    },
    idle: () => state.idle,
    onMade: (error, overdue) =>
      told.push(error === null ? null : `${(error as Error).message}${overdue ? ', overdue' : ''}`),
  });
  /** Passes every half hour, as a host that nothing wakes. */
  async function pass(hours: number): Promise<void> {
    for (let n = 0; n < 2 * hours; n++) {
      await clock.advance(HOUR / 2);
      duty.runOnce(clock.now());
      await settle();
    }
  }
  return { clock, made, told, state, duty, pass };
}

describe('the daily backup', () => {
  it('D13 is made once a day, not at the very start, and never while something runs', async () => {
    const { made, state, duty, pass, clock } = room();
    duty.runOnce(clock.now());
    expect(made).toEqual([]);
    state.idle = false;
    await pass(3);
    expect(made).toEqual([]);
    state.idle = true;
    await pass(73);
    expect(made).toHaveLength(4);
    expect(duty.nextDueAt()).toBeNull();
  });

  it('D13 one that fails is tried again within the hour; the owner is told after three days', async () => {
    const { told, state, pass, made } = room();
    state.fault = new LullError('disk_full', 'full');
    await pass(71);
    expect(told.length).toBeGreaterThan(50);
    expect(new Set(told)).toEqual(new Set(['full']));
    await pass(3);
    expect(told.at(-1)).toBe('full, overdue');
    state.fault = null;
    await pass(2);
    expect(told.at(-1)).toBeNull();
    expect(made).toHaveLength(1);
  });

  it('D13 a clock that is set back does not keep it away', async () => {
    const { clock, made, pass } = room();
    await pass(1);
    clock.jump(-100 * 24 * HOUR);
    await pass(1);
    expect(made).toHaveLength(2);
  });
});
