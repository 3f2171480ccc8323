import { app } from 'electron';
import { type Clock, sleep } from '../../base/clock.ts';

/** Running work gets its grace, and a little more to land. */
const QUIT_MS = 15_000;
/** A system that goes down does not wait long. */
const SHUTDOWN_MS = 4_000;

export interface Leaving {
  /** The system goes down: leave soon. */
  shutdown(): void;
}

/**
 * Lets the app quit only after `drain` is done or its time is over. Whatever asks to quit, the menu, a
 * signal or the system, comes through `before-quit`.
 */
export function drainBeforeQuit(clock: Clock, drain: () => Promise<void>): Leaving {
  let draining = false;
  let drained = false;
  let hurry: () => void = () => {};

  app.on('before-quit', (event) => {
    if (drained) return;
    event.preventDefault();
    leave(QUIT_MS);
  });

  function leave(ms: number): void {
    if (draining) return;
    draining = true;
    const { promise: hurried, resolve } = Promise.withResolvers<void>();
    hurry = resolve;
    void Promise.race([drain().catch(() => {}), sleep(clock, ms), hurried]).then(() => {
      drained = true;
      clock.timer(0, () => app.quit()); // not within the event that was prevented
    });
  }

  return {
    shutdown() {
      clock.timer(SHUTDOWN_MS, () => hurry());
      leave(SHUTDOWN_MS);
    },
  };
}
