import type { Job } from '../../main/engine/queue/job.ts';
import { MORNING } from '../support/desk.ts';

/** A queued job as the queue would give it, with what a test says of it. */
export function aJob(over: Partial<Job> = {}): Job {
  return {
    id: 1,
    kind: 'brief',
    tier: 'routine',
    numCtx: 4096,
    class: 'light',
    priority: 50,
    state: 'queued',
    title: 'Opening brief',
    payload: {},
    source: null,
    session: null,
    subject: null,
    route: { channel: 'local', recipient: '' },
    retryOf: null,
    coalesced: 0,
    attempts: 0,
    maxAttempts: 1,
    uncleanExits: 0,
    checkpoint: null,
    waiver: null,
    result: null,
    error: null,
    reasonCode: null,
    reason: null,
    notBefore: null,
    expiresAt: null,
    reviveAt: null,
    createdAt: MORNING,
    startedAt: null,
    finishedAt: null,
    claimNo: 0,
    claimedByRun: null,
    leaseExpiresAt: null,
    cancelAskedAt: null,
    ...over,
  };
}
