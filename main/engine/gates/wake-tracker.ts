import type { Clock } from '../../base/clock.ts';

/** A gap between the two times longer than this is a sleep, not an adjustment of the clock. */
const SLEEP_GAP_MS = 5000;

export interface WakeTracker {
  /**
   * Seconds the machine has been awake since the last wake seen; null when none was seen. A sleep is
   * seen as wall time that passed while monotonic time stood still, so this must be asked at least
   * as often as durable state is read again. A wall clock that is set forward looks like a sleep.
   */
  awakeSeconds(): number | null;
}

export function wakeTracker(clock: Clock): WakeTracker {
  let ahead = clock.now() - clock.monotonic();
  let wokeAt: number | null = null;
  return {
    awakeSeconds() {
      const monotonic = clock.monotonic();
      const aheadNow = clock.now() - monotonic;
      if (aheadNow - ahead > SLEEP_GAP_MS) wokeAt = monotonic;
      ahead = aheadNow;
      return wokeAt === null ? null : (monotonic - wokeAt) / 1000;
    },
  };
}
