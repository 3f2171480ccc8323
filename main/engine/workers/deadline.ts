import type { Clock } from '../../base/clock.ts';

export interface BatchDeadline {
  /** The supervisor has something to do for the worker: its time stands still. */
  pause(): void;
  /** Its turn again; as often as `pause` was called. */
  resume(): void;
  /** A batch has landed: the next one has all the time. */
  renew(): void;
  stop(): void;
}

/**
 * The time a worker may compute for one batch, milliseconds. What it waits for a model or for a read
 * is not its own time and does not count.
 */
export function batchDeadline(clock: Clock, limitMs: number, onOver: () => void): BatchDeadline {
  let spent = 0;
  let waiting = 0;
  let since = clock.monotonic();
  let cancel = clock.timer(limitMs, onOver);
  let stopped = false;

  function hold(): void {
    cancel();
    spent += clock.monotonic() - since;
  }

  function run(): void {
    if (stopped) return;
    since = clock.monotonic();
    cancel = clock.timer(Math.max(0, limitMs - spent), onOver);
  }

  return {
    pause() {
      if (waiting === 0) hold();
      waiting += 1;
    },
    resume() {
      waiting -= 1;
      if (waiting === 0) run();
    },
    renew() {
      if (waiting === 0) hold();
      spent = 0;
      if (waiting === 0) run();
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
