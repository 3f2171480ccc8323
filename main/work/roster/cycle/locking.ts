import type { Keeping, NewClaim } from '../lock/port.ts';
import { answerOf, askWithRetries } from './ask-lock.ts';
import { backendFailure, correlationId, idempotencyKeyOf, lockFailure } from './lock-failure.ts';
import type { Outcome, Run } from './run.ts';

/** Takes the lock of the chosen agent; a race that is lost leads back, without that agent. */
export async function takeLock(run: Run): Promise<Outcome> {
  const { cadence, platform, model } = run.options;
  const { say, signal } = run.around;
  const { agent, lock } = run;
  if (run.checkFault) {
    if (run.checkFault.answer.code === 2) {
      return backendFailure(run, run.checkFault, idempotencyKeyOf(run));
    }
    return lockFailure(run, run.checkFault, 'The check of the lock');
  }
  const claim = { agent, cadence, platform, model };
  const idempotencyKey = idempotencyKeyOf(run);
  const tries = await askWithRetries(run, 'The lock', (id) =>
    lock.acquire(claim, { id, correlationId: correlationId(run), idempotencyKey }),
  );
  if (signal.aborted && tries.answer.code !== 0) return 'on';
  switch (tries.answer.code) {
    case 0:
      run.held = keepTelling(run, claim);
      return 'on';
    case 2:
      return backendFailure(run, tries, idempotencyKey);
    case 3:
      // Each agent is lost once at most, so that the way back is gone as often as the roster is long.
      run.lost.add(agent);
      say.out(`[cycle] Somebody else has ${agent}; choosing again.`);
      return 'again';
    default:
      return lockFailure(run, tries, 'The lock');
  }
}

/** The lock is renewed while the run lasts. A lost one is told, not acted on: completing it decides. */
function keepTelling(run: Run, claim: NewClaim): Keeping {
  const { say } = run.around;
  const held = run.lock.keep(claim, (line) => say.err(`[lock] ${line}`));
  held.lost.addEventListener('abort', () => {
    say.err(`[cycle] The lock is lost: ${held.lost.reason}`);
  });
  return held;
}

/** Publishes that the run is done: the last gate before its log says so. */
export async function completeLock(run: Run): Promise<Outcome> {
  const { cadence, platform, model } = run.options;
  const { agent } = run;
  const asked = run.lock.complete({ agent, cadence, platform, model });
  const answer = await answerOf(run, asked);
  if (answer.code === 0) return 'on';
  const command = `npm run lock:complete -- --agent ${agent} --cadence ${cadence}`;
  return {
    end: {
      status: 'failed',
      reason: `Completion publish failed. Retry ${command} after verifying relay connectivity`,
      detail: `lock:complete ended with exit code ${answer.code}.`,
      code: answer.code,
      metadata: { failure_category: 'lock_backend_error', failure_class: 'backend_unavailable' },
    },
  };
}
