import { attempt, known, type Reading, unknown } from '../reading.ts';
import { type Framework, once } from './framework.ts';
import type { IoRegistry } from './io-registry.ts';

const HARDWARE = 'IOHIDSystem';
const SESSION = 'session input';

/** kCGEventSourceStateCombinedSessionState and kCGAnyInputEventType. */
const COMBINED = 0;
const ANY_INPUT = 0xffffffff;
/** Longer than this no machine has run: ten years, in seconds. */
const ABSURD = 10 * 365 * 86_400;

export interface InputIdle {
  /** Seconds since the last input. `hasSession` says whether a graphical session may be asked. */
  read(hasSession: boolean): Reading<number>;
}

/**
 * Two witnesses of the last input: the driver of keyboards and pointers, and the session, which also
 * sees what comes over screen sharing. The smaller one counts, and is named as the source. Input made
 * by programs resets both (a jiggler looks like a person), and both stand still while the machine
 * sleeps.
 */
export function inputIdle(registry: IoRegistry, graphics: Framework): InputIdle {
  const secondsSince = once(() =>
    graphics.find<(state: number, event: number) => number>(
      'CGEventSourceSecondsSinceLastEventType',
      'double',
      ['int32_t', 'uint32_t'],
    ),
  );

  const hardware = (hasSession: boolean): Reading<number> =>
    attempt(HARDWARE, () => {
      const nanoseconds = registry.inService(HARDWARE, ({ integer }) => {
        const found = integer('HIDIdleTime');
        if (found === null) throw new Error('it does not give HIDIdleTime');
        return found;
      });
      if (nanoseconds === null) throw new Error('it is not in the registry');
      if (nanoseconds < 0) throw new Error(`HIDIdleTime is ${nanoseconds}`);
      if (nanoseconds === 0 && !hasSession) throw new Error('no window server takes input');
      return known(HARDWARE, nanoseconds / 1e9);
    });

  const session = (): Reading<number> =>
    attempt(SESSION, () => {
      const seconds = secondsSince()(COMBINED, ANY_INPUT);
      if (!(seconds >= 0 && seconds < ABSURD)) throw new Error(`the counter says ${seconds}`);
      return known(SESSION, seconds);
    });

  return {
    read(hasSession) {
      const hard = hardware(hasSession);
      if (!hasSession) return hard;
      const soft = session();
      if (hard.ok && soft.ok) return soft.value < hard.value ? soft : hard;
      if (hard.ok) return hard;
      if (soft.ok) return soft;
      return unknown(
        `${HARDWARE}, ${SESSION}`,
        `${HARDWARE}: ${hard.reason}; ${SESSION}: ${soft.reason}`,
      );
    },
  };
}
