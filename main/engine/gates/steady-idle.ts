import type { Reading } from '../../../native/index.ts';
import type { Clock } from '../../base/clock.ts';

/** For so long a reading may fail before idle time counts as unknown. */
const PATIENCE_MS = 10_000;

/**
 * Bridges a reading of idle time that fails now and then. A machine under load, as by the very work
 * that waits for the owner to leave, answers late at times; one late answer is no return. While it
 * fails the last reading goes on, for ten seconds at most; input in that time is seen by the next one
 * that succeeds.
 */
export function steadyIdle(
  clock: Pick<Clock, 'monotonic'>,
): (reading: Reading<number>) => Reading<number> {
  let last: { at: number; reading: Reading<number> & { ok: true } } | null = null;
  return (reading) => {
    const now = clock.monotonic();
    if (reading.ok) {
      last = { at: now, reading };
      return reading;
    }
    if (last === null || now - last.at > PATIENCE_MS) return reading;
    return { ...last.reading, value: last.reading.value + (now - last.at) / 1000 };
  };
}
