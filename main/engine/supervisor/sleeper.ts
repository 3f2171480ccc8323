import type { Clock } from '../../base/clock.ts';

export interface Sleeper {
  /** Ends the sleep under way, or the next one if none is: nudges since `listen` count. */
  wake(): void;
  /** Forgets the nudges so far: what they told of is looked at now. */
  listen(): void;
  /** Resolves after `ms`, at a nudge (not when `deaf`), or when the host goes; never rejects. */
  sleep(ms: number, how: { deaf: boolean }): Promise<void>;
}

/** The sleep between two passes: planned, and ended early by whoever knows of something new. */
export function openSleeper(clock: Pick<Clock, 'timer'>, quit: AbortSignal): Sleeper {
  let nudge: (() => void) | null = null;
  let nudged = false;

  return {
    wake() {
      nudged = true;
      nudge?.();
    },
    listen() {
      nudged = false;
    },
    sleep: (ms, { deaf }) =>
      new Promise((resolve) => {
        if (quit.aborted || (nudged && !deaf)) return resolve();
        const done = (): void => {
          cancel();
          nudge = null;
          quit.removeEventListener('abort', done);
          resolve();
        };
        const cancel = clock.timer(ms, done);
        nudge = deaf ? null : done;
        quit.addEventListener('abort', done, { once: true });
      }),
  };
}
