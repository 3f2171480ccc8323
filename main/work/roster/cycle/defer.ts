import { randomUUID } from 'node:crypto';
import type { SchedulerSettings } from '../repository/config.ts';
import type { Deferral } from './run-state.ts';

/**
 * What follows from a lock that could not be asked, now (epoch milliseconds): how it is counted, and
 * whether the run is put off. It is, where the configuration allows it (not strict), as long as the first
 * failure is not older than the retry window and the count does not exceed the most deferrals. A deferral
 * counts for its own agent only.
 */
export function decideDeferral(
  settings: Pick<SchedulerSettings, 'strictLock' | 'degradedLockRetryWindowMs' | 'maxDeferrals'>,
  before: Deferral | null,
  agent: string,
  category: string,
  idempotencyKey: string,
  now: number,
): { deferral: Deferral; putOff: boolean } {
  const own = before?.selected_agent === agent ? before : null;
  const deferral: Deferral = {
    attempt_count: (own?.attempt_count ?? 0) + 1,
    first_failure_timestamp: own?.first_failure_timestamp ?? new Date(now).toISOString(),
    backend_category: category,
    idempotency_key: own?.idempotency_key ?? idempotencyKey,
    selected_agent: agent,
  };
  const since = now - Date.parse(deferral.first_failure_timestamp);
  return {
    deferral,
    putOff:
      !settings.strictLock &&
      since <= settings.degradedLockRetryWindowMs &&
      deferral.attempt_count <= settings.maxDeferrals,
  };
}

/** A key by which all attempts for one agent on one day are known as one. */
export function newIdempotencyKey(cadence: string, agent: string, day: string): string {
  return `${cadence}:${agent}:${day}:${randomUUID()}`;
}
