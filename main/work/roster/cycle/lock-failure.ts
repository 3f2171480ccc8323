import { backendCategory } from './backend-category.ts';
import { decideDeferral, newIdempotencyKey } from './defer.ts';
import { excerpt } from './excerpt.ts';
import type { LockTries } from './lock.ts';
import type { Outcome, Run } from './run.ts';
import { writeRunState } from './run-state.ts';
import type { LogMetadata } from './task-log.ts';

/** `npm run lock:lock -- --agent A --cadence C`, as the logs name it. */
function lockCommand(run: Run): string {
  return `npm run lock:lock -- --agent ${run.agent} --cadence ${run.options.cadence}`;
}

/** How the attempts for an agent are known as one. */
export function correlationId(run: Run): string {
  const { cadence } = run.options;
  return ownKey(run) ?? `${cadence}:${run.agent}:${run.state.run_date}`;
}

/** The key of all attempts for the agent today: that of an earlier one, else a new one. */
export function idempotencyKeyOf(run: Run): string {
  return ownKey(run) ?? newIdempotencyKey(run.options.cadence, run.agent, run.state.run_date);
}

function ownKey(run: Run): string | null {
  const before = run.state.lock_deferral;
  return before?.selected_agent === run.agent ? before.idempotency_key : null;
}

/**
 * What follows from a lock whose backend failed: the run is put off, or has failed (exit 2). The log names
 * the key that the lock was given.
 */
export function backendFailure(run: Run, tries: LockTries, idempotencyKey: string): Outcome {
  const { settings, around, state, agent } = run;
  const { cadence } = run.options;
  const category = backendCategory(tries.answer.stderr);
  const { deferral, putOff } = decideDeferral(
    settings,
    state.lock_deferral,
    agent,
    category,
    idempotencyKey,
    around.clock.now(),
  );
  const metadata: LogMetadata = {
    ...lockMetadata(run, tries),
    lock_idempotency_key: deferral.idempotency_key,
    deferral_attempt_count: deferral.attempt_count,
    deferral_first_failure_timestamp: deferral.first_failure_timestamp,
  };
  run.state = { ...state, lock_deferral: putOff ? deferral : null };
  writeRunState(run.logs, run.state);
  const remedy = `Look at the relays with \`lull lock health --cadence ${cadence}\`.`;
  if (putOff) {
    const { attempt_count: count, first_failure_timestamp: since } = deferral;
    const detail =
      `The lock could not be asked (${category}); put off ${count} of at most ` +
      `${settings.maxDeferrals} times since ${since}. Prompt not executed. ${remedy}`;
    const reason = 'Lock backend deferred';
    return { end: { status: 'deferred', reason, detail, code: 0, metadata } };
  }
  const attempts = tries.attempts === 1 ? 'one attempt' : `${tries.attempts} attempts`;
  const detail = `The lock could not be asked (${category}) in ${attempts}. Prompt not executed. ${remedy}`;
  return { end: { status: 'failed', reason: 'Lock backend error', detail, code: 2, metadata } };
}

/** The end of a cycle whose lock command failed in another way: its own exit code. */
export function lockFailure(run: Run, tries: LockTries, what: string): Outcome {
  run.state = { ...run.state, lock_deferral: null };
  writeRunState(run.logs, run.state);
  const { code } = tries.answer;
  return {
    end: {
      status: 'failed',
      reason: 'Failed to acquire lock',
      detail: `${what} ended with exit code ${code}. Prompt not executed.`,
      code: code || 1,
      metadata: lockMetadata(run, tries),
    },
  };
}

function lockMetadata(run: Run, { answer, attempts, pausesMs }: LockTries): LogMetadata {
  const { env } = run.around;
  return {
    failure_category: 'lock_backend_error',
    failure_class: 'backend_unavailable',
    backend_category: backendCategory(answer.stderr),
    lock_attempts_total: attempts,
    lock_backoff_schedule_ms: pausesMs.join(', ') || '(none)',
    lock_correlation_id: correlationId(run),
    lock_command: lockCommand(run),
    lock_stderr_excerpt: excerpt(answer.stderr, env),
    lock_stdout_excerpt: excerpt(answer.stdout, env),
  };
}
