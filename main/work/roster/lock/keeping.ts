import { type Clock, LONGEST_TIMER_MS, sleep } from '../../../base/clock.ts';
import type { Keeping } from './port.ts';

/** Renewed when a third of its time is over; after a failure, when another twelfth is. */
const RENEW_AFTER = 1 / 3;
const AGAIN_AFTER = 1 / 12;
const LEAST_MS = 250;

export type Renewal = 'renewed' | { lost: string } | { failed: string };

/**
 * Renews again and again till it is stopped. Lost: another has it, or it could not be renewed before its
 * time was over. Time is wall time, for that is what others go by: after a sleep of the machine the next
 * renewal is due at once.
 */
export function keepRenewing(options: {
  clock: Clock;
  ttlMs: number;
  renew: () => Promise<Renewal>;
  say: (line: string) => void;
}): Keeping {
  const { clock, ttlMs, renew, say } = options;
  const stopped = new AbortController();
  const lost = new AbortController();

  async function until(due: number): Promise<void> {
    while (!stopped.signal.aborted && clock.now() < due) {
      await sleep(clock, Math.min(due - clock.now(), LONGEST_TIMER_MS), stopped.signal);
    }
  }

  async function run(): Promise<void> {
    let over = clock.now() + ttlMs;
    let wait = ttlMs * RENEW_AFTER;
    for (;;) {
      await until(clock.now() + Math.max(LEAST_MS, wait));
      if (stopped.signal.aborted) return;
      const asked = clock.now();
      const result = await renew();
      if (result === 'renewed') {
        over = asked + ttlMs;
        wait = ttlMs * RENEW_AFTER;
      } else if ('lost' in result) {
        return lost.abort(result.lost);
      } else {
        say(`The lock was not renewed: ${result.failed}`);
        if (clock.now() >= over)
          return lost.abort('it could not be renewed before its time was over');
        wait = ttlMs * AGAIN_AFTER;
      }
    }
  }

  const running = run();
  return {
    lost: lost.signal,
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
