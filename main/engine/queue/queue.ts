import type { Tier } from '../../base/config-schema.ts';
import type { JobState } from '../../base/store/job-states.ts';
import type { YieldCause } from '../supervisor/handler.ts';
import type { Claim, Job, JobClass, LoadKey, NewJob } from './job.ts';

/**
 * The durable queue. Every changing call is one transaction, or part of the caller's. Calls that end
 * or alter a claim are fenced by (id, running, claim_no): they return false, having changed nothing,
 * when the claim is void.
 */
export interface Queue {
  /** Adds a job; a waiting idempotent one of the same key takes it in instead. Unbounded. */
  enqueue(job: NewJob): Enqueued;
  /**
   * Adds one job for each payload, all alike but for it, in one transaction; returns their ids in
   * order. For batches: an idempotent kind goes through `enqueue`, so ids may repeat.
   */
  enqueueAll(job: Omit<NewJob, 'payload' | 'source'>, payloads: readonly unknown[]): number[];
  /**
   * Counts `occurrences` more onto a waiting job that has no checkpoint, and moves its latest start
   * to `expiresAt` where that is not null. False, with nothing changed, when it no longer waits.
   */
  countOnto(id: number, occurrences: number, expiresAt: number | null): boolean;
  /** Takes the best job that may run now (facts/claim order: aged priority, loaded key, age, id). */
  claim(request: ClaimRequest): Claim | null;

  complete(claim: Claim, result: string | null): boolean;
  fail(claim: Claim, error: string): boolean;
  /** The attempt is spent; the job waits for its back-off, deferred until `reviveAt`. */
  retryLater(claim: Claim, error: string, reviveAt: number): boolean;
  /** The attempt is given back; waits for `reviveAt`, or (null) for a change of conditions. */
  defer(claim: Claim, code: string, reason: string, reviveAt: number | null): boolean;
  /** Back to the queue from its last checkpoint, attempt given back. Cause `cancelled` ends it. */
  yieldBack(claim: Claim, cause: YieldCause): boolean;
  /**
   * Commits a resume token while the job runs on; its lease starts anew. `also` joins the transaction,
   * and is not called for a void claim.
   */
  saveCheckpoint(claim: Claim, token: unknown, also?: () => void): boolean;

  /**
   * Ends a waiting job, for a reason that it then shows (without one: by the owner); for a running one says
   * `asked`, and the supervisor carries it out.
   */
  cancel(id: number, reason?: string): 'cancelled' | 'asked' | 'ended';
  /** A new job with the same work, naming the old one; the old one must have ended. */
  retry(id: number): Job;
  /** Lets one waiting job pass what the waiver names, until it ends, and with the owner's urgency. */
  waive(id: number, waiver: NonNullable<Job['waiver']>): boolean;

  /** Queues deferred jobs whose time has come; returns them. */
  revive(now: number): Job[];
  /** Queues deferred jobs that wait for a change of conditions (no `reviveAt`); returns how many. */
  reviveDeferred(): number;
  /** Closes waiting jobs whose window is over as missed; returns them. */
  expire(now: number): Job[];
  /** Before the first claim of a run: what earlier runs left running is requeued or failed. */
  sweep(runId: number, isIdempotent: (kind: string) => boolean): Sweep;

  get(id: number): Job | null;
  findBySource(source: string): Job | null;
  /** Newest first; `before` is the last id of the page before. */
  list(filter: { state?: JobState; before?: number; limit: number }): Job[];
  /** Queued, deferred and running jobs of a kind. */
  openOf(kind: string): Job[];
  /** In the order they would be claimed were every gate open. */
  waiting(limit: number): Job[];
  running(): Job[];
  counts(): { queued: number; running: number; deferred: number };
  /** Queued + running + deferred of one class; stops counting at `atMost`. */
  open(jobClass: JobClass, atMost: number): number;
  /** Any job queued in these tiers? */
  hasQueued(tiers: readonly Tier[]): boolean;
  depth(): number;
  /** The next moments at which the clock alone changes something here. */
  nextTimes(): { reviveAt: number | null; expiresAt: number | null; leaseEnd: number | null };
  /** Removes finished jobs past the kept age or count, then events past that age; at most `atMost`. */
  prune(now: number, atMost: number): number;
}

export interface Enqueued {
  job: Job;
  outcome: 'created' | 'coalesced';
}

export interface ClaimRequest {
  runId: number;
  now: number;
  /** Tiers no job may be taken from, unless its waiver was checked by `waived`. */
  blockedTiers: ReadonlySet<Tier>;
  /** What is resident: jobs with one of these keys need no swap. */
  loaded: readonly LoadKey[];
  /** Decides whether a waived job may pass although its tier is blocked. */
  waived?: (job: Job) => boolean;
}

export interface Sweep {
  requeued: Job[];
  failed: Job[];
  /** Found running at three unclean exits: failed for good. */
  givenUp: Job[];
  /** The owner had asked to cancel them before the host went down. */
  cancelled: Job[];
  /** Running by this run with a lapsed lease: reported, never touched. */
  leaseExpired: Job[];
}
