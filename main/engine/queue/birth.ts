import { HEAVY_TIERS, type Tier } from '../../base/config-schema.ts';
import type { JobRow, NewJobRow } from '../../base/store/job-row.ts';
import { coalesceKey } from './coalesce.ts';
import { type JobClass, type NewJob, PRIORITY } from './job.ts';

/** What a job counts against when nothing else is said: heavy tiers are heavy, others light. */
export function classOf(job: { tier: Tier; class?: JobClass | undefined }): JobClass {
  return job.class ?? (HEAVY_TIERS.has(job.tier) ? 'heavy' : 'light');
}

/** The whole row a request becomes, but for its id. A start in the future makes it wait until then. */
export function birthRow(job: NewJob, now: number): JobRow & NewJobRow {
  const later = job.notBefore != null && job.notBefore > now;
  return {
    id: 0,
    kind: job.kind,
    tier: job.tier,
    num_ctx: job.numCtx,
    class: classOf(job),
    priority: job.priority ?? PRIORITY.default,
    state: later ? 'deferred' : 'queued',
    created_at: now,
    source: job.source ?? null,
    session: job.session ?? null,
    subject: job.subject ?? null,
    channel: job.route?.channel ?? 'local',
    recipient: job.route?.recipient ?? '',
    retry_of: job.retryOf ?? null,
    coalesce_key: coalesceKey(job),
    coalesced: 0,
    attempts: 0,
    max_attempts: job.maxAttempts ?? 1,
    unclean_exits: 0,
    not_before: job.notBefore ?? null,
    expires_at: job.expiresAt ?? null,
    revive_at: later ? (job.notBefore ?? null) : null,
    started_at: null,
    finished_at: null,
    claim_no: 0,
    claimed_by_run: null,
    lease_expires_at: null,
    cancel_asked_at: null,
    reason_code: null,
    reason: null,
    waiver: null,
    title: job.title,
    payload: JSON.stringify(job.payload ?? {}),
    checkpoint: null,
    result: null,
    error: null,
  };
}
