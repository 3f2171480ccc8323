import { app } from 'electron';
import { type Clock, sleep } from '../../base/clock.ts';

/** A system that goes down does not wait long. */
const SHUTDOWN_MS = 4_000;

export interface Leaving {
  /** The system goes down: leave soon. */
  shutdown(): void;
}

/**
 * Lets the app quit only after `drain` is done, or after the milliseconds that `patience` gives it.
 * Whatever asks to quit, the menu, a signal or the system, comes through `before-quit`.
 */
export function drainBeforeQuit(
  clock: Clock,
  drain: () => Promise<void>,
  patience: () => Promise<number>,
): Leaving {
  let draining = false;
  let drained = false;
  const hurry = Promise.withResolvers<void>();

  app.on('before-quit', (event) => {
    if (drained) return;
    event.preventDefault();
    leave();
  });

  function leave(): void {
    if (draining) return;
    draining = true;
    const over = patience().then((ms) => sleep(clock, ms));
    void Promise.race([drain(), over, hurry.promise])
      .catch(() => {}) // then there is nothing to wait for
      .then(() => {
        drained = true;
        clock.timer(0, () => app.quit()); // not within the event that was prevented
      });
  }

  return {
    shutdown() {
      clock.timer(SHUTDOWN_MS, () => hurry.resolve());
      leave();
    },
  };
}
