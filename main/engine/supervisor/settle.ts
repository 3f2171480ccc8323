import { sleep } from '../../base/clock.ts';
import { type ErrorCode, toFailure } from '../../base/errors.ts';
import { failpoint } from '../../base/failpoint.ts';
import type { Claim } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';
import type { Outcome } from './handler.ts';
import type { Land, Surroundings } from './ports.ts';
import { backOff } from './wake-plan.ts';

export interface SettleParts extends Surroundings {
  readonly queue: Queue;
  readonly land: Land;
  /** Told once when a result cannot be stored, and again when it was. */
  readonly onStuck: (message: string | null, code?: ErrorCode) => void;
  /** Aborted when the host must go: the result is then left to the next start. */
  readonly quit: AbortSignal;
}

/**
 * Carries an outcome out, fenced by the claim. A result that cannot be stored (disk full, busy) is
 * held and tried again with back-off until it commits, for a last time when the host goes; a void
 * claim is dropped, for the job has been claimed anew or ended otherwise.
 */
export async function settle(parts: SettleParts, claim: Claim, outcome: Outcome): Promise<boolean> {
  for (let failures = 0; ; ) {
    try {
      const done = apply(parts, claim, outcome);
      if (failures > 0) parts.onStuck(null);
      if (!done) parts.log.warn({ job: claim.id, outcome: outcome.kind }, 'the claim was void');
      return done;
    } catch (error) {
      failures += 1;
      const { code, message } = toFailure(error);
      parts.log.error({ job: claim.id, code, message, failures }, 'an outcome was not stored');
      if (failures === 1) parts.onStuck(`${claim.job.title}: the result is held: ${message}`, code);
      if (code === 'failed' && failures >= 3) return giveUp(parts, claim, message);
      if (parts.quit.aborted) return false;
      await sleep(parts.clock, backOff(failures), parts.quit);
    }
  }
}

/** A landing that the database refuses for what it says cannot mend itself: the job fails with it. */
function giveUp(parts: SettleParts, claim: Claim, message: string): boolean {
  try {
    return parts.queue.fail(claim, `the result could not be stored: ${message}`);
  } catch {
    return false;
  } finally {
    parts.onStuck(null);
  }
}

function apply(parts: SettleParts, claim: Claim, outcome: Outcome): boolean {
  const { queue } = parts;
  const now = parts.clock.now();
  switch (outcome.kind) {
    case 'done': {
      failpoint('land.before');
      const landed = parts.land(claim, outcome.landing, null, now);
      failpoint('land.after');
      return landed;
    }
    case 'failed':
      return outcome.landing
        ? parts.land(claim, outcome.landing, outcome.error, now)
        : queue.fail(claim, outcome.error);
    case 'retry':
      return claim.job.attempts < claim.job.maxAttempts
        ? queue.retryLater(claim, outcome.error, now + outcome.afterMs)
        : queue.fail(claim, outcome.error);
    case 'deferred':
      return queue.defer(claim, outcome.code, outcome.reason, outcome.reviveAt);
    case 'yielded':
      return queue.yieldBack(claim, outcome.cause);
  }
}
