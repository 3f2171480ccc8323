import type { SchedulesTable } from '../../../base/store/schedules.ts';
import type { ClockPass } from './pass.ts';

/** The clock as a repeating duty: `runOnce` takes in all that is due, one bounded pass after another. */
export interface ClockDuty {
  readonly name: 'clock';
  /** Returns how many schedules moved on. With nothing due it costs one index seek. */
  runOnce(now: number): number;
  /**
   * When the clock next gives it something to do (epoch ms), or null. A schedule that waits for room
   * in the queue is not waiting for the clock, so it does not count.
   */
  nextDueAt(): number | null;
}

export function createClockDuty(schedules: SchedulesTable, pass: ClockPass): ClockDuty {
  return {
    name: 'clock',
    runOnce(now) {
      const earliest = schedules.earliest();
      if (earliest === null || earliest > now) return 0;
      let moved = 0;
      for (let more = true; more; ) {
        const result = pass(now);
        moved += result.moved;
        more = result.more;
      }
      return moved;
    },
    nextDueAt: () => schedules.nextWake(),
  };
}
