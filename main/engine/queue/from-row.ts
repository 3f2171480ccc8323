import type { JobRow } from '../../base/store/job-row.ts';
import type { Claim, Job, Waiver } from './job.ts';

export function toJob(row: JobRow): Job {
  return jobOf(row, JSON.parse(row.payload));
}

/** The job of a row whose payload is at hand. */
export function jobOf(row: JobRow, payload: unknown): Job {
  return {
    id: row.id,
    kind: row.kind,
    tier: row.tier,
    numCtx: row.num_ctx,
    class: row.class,
    priority: row.priority,
    state: row.state,
    title: row.title,
    payload,
    source: row.source,
    session: row.session,
    subject: row.subject,
    route: { channel: row.channel, recipient: row.recipient },
    retryOf: row.retry_of,
    coalesced: row.coalesced,
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    uncleanExits: row.unclean_exits,
    checkpoint: row.checkpoint === null ? null : JSON.parse(row.checkpoint),
    waiver: row.waiver === null ? null : (JSON.parse(row.waiver) as Waiver),
    result: row.result,
    error: row.error,
    reasonCode: row.reason_code,
    reason: row.reason,
    notBefore: row.not_before,
    expiresAt: row.expires_at,
    reviveAt: row.revive_at,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    claimNo: row.claim_no,
    claimedByRun: row.claimed_by_run,
    leaseExpiresAt: row.lease_expires_at,
    cancelAskedAt: row.cancel_asked_at,
  };
}

export function toClaim(row: JobRow): Claim {
  const job = toJob(row);
  return { job, id: job.id, claimNo: job.claimNo };
}
