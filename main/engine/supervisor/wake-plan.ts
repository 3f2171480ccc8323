import { LONGEST_TIMER_MS } from '../../base/clock.ts';

/** While a heavy job runs, the owner's return is looked for this often (milliseconds). */
export const WATCH_EVERY_MS = 2_000;

/** Everything the clock alone can change, as moments of wall time (epoch ms); null = nothing. */
export interface WakeTimes {
  nextDue: number | null;
  reviveAt: number | null;
  expiresAt: number | null;
  leaseEnd: number | null;
  pauseEnd: number | null;
  /** When a closed gate may open: looked at only while something waits for it. */
  gateChange: number | null;
  heavyRunning: boolean;
}

/**
 * Milliseconds to sleep before the next pass: to the nearest moment at which the clock changes
 * something, never longer than the re-read of durable state (30 s), never less than 0. A moment that
 * has passed counts as now, so a wall clock that jumps ahead wakes at once and one that jumps back
 * waits 30 s at most.
 */
export function sleepFor(now: number, times: WakeTimes): number {
  const moments = [
    times.nextDue,
    times.reviveAt,
    times.expiresAt,
    times.leaseEnd,
    times.pauseEnd,
    times.gateChange,
  ].filter((moment): moment is number => moment !== null);
  const longest = times.heavyRunning ? WATCH_EVERY_MS : LONGEST_TIMER_MS;
  return Math.max(0, Math.min(longest, ...moments.map((moment) => moment - now)));
}

/** Waiting time after the n-th failed pass in a row: 1 s, doubled each time, 60 s at most. */
export function backOff(failures: number): number {
  return Math.min(60_000, 1000 * 2 ** Math.max(0, failures - 1));
}
