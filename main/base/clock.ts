/**
 * The only door to time and chance. Everything else is given a Clock, so that a test can own the hour.
 *
 * Two times, never mixed: `now` is wall time for what is stored and shown (it can jump either way);
 * `monotonic` measures durations and does not advance while the machine sleeps.
 */
export interface Clock {
  /** Wall time, integer milliseconds since the epoch, UTC. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back, stands still during system sleep. */
  monotonic(): number;
  /** Calls `run` once after `ms` milliseconds; returns a function that cancels it. */
  timer(ms: number, run: () => void): () => void;
  /** A number in [0, 1). */
  random(): number;
}

/** The longest single timer: longer ones are unreliable across sleep and overflow at 2^31 ms. */
export const LONGEST_TIMER_MS = 30_000;

export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    timer(ms, run) {
      const handle = setTimeout(run, Math.max(0, Math.min(ms, 2 ** 31 - 1)));
      return () => clearTimeout(handle);
    },
    random: () => Math.random(),
  };
}

/** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const cancel = clock.timer(ms, done);
    function done(): void {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done, { once: true });
  });
}
