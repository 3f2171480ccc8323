import { type Failure, toFailure } from '../../base/errors.ts';
import type { Log } from './ports.ts';
import type { Sleeper } from './sleeper.ts';
import { backOff } from './wake-plan.ts';

export interface ServeParts {
  readonly sleeper: Sleeper;
  readonly quit: AbortSignal;
  readonly log: Log;
  /** One pass; throws where it failed. */
  readonly pass: () => void;
  /** Milliseconds to sleep after a pass. */
  readonly plan: () => number;
  /** No wait after a failed pass is longer than this, milliseconds. */
  readonly longestWait: () => number;
  readonly onTrouble: (failure: Failure | null) => void;
}

/**
 * Passes and planned sleeps, one after the other, until the host goes. A pass that fails is waited for
 * with back-off, which a good one ends; nothing that is thrown ends the loop. Never rejects.
 */
export async function serve(parts: ServeParts): Promise<void> {
  const { sleeper, quit, log } = parts;
  let failures = 0;
  while (!quit.aborted) {
    sleeper.listen();
    let wait: number;
    try {
      parts.pass();
      wait = parts.plan();
      if (failures > 0) parts.onTrouble(null);
      failures = 0;
    } catch (error) {
      failures += 1;
      wait = Math.min(backOff(failures), parts.longestWait());
      const failure = toFailure(error);
      const { code, message } = failure;
      log.error({ code, message, failures, waitMs: wait }, 'a pass failed');
      if (failures === 1) parts.onTrouble(failure);
    }
    // After a failed pass nudges do not count: they would try again at once.
    await sleeper.sleep(wait, { deaf: failures > 0 });
  }
}
