import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config-schema.ts';
import { LullError } from '../../base/errors.ts';
import { canonicalJson } from '../../base/ids.ts';
import type { Store } from '../../base/store/database.ts';
import { eventsTable } from '../../base/store/events.ts';
import type { JobRow } from '../../base/store/job-row.ts';
import { jobsTable } from '../../base/store/jobs.ts';
import { birthRow } from './birth.ts';
import { compareStanding, firstOf, type Order, type Standing } from './claim-order.ts';
import { jobOf, toClaim, toJob } from './from-row.ts';
import { type Claim, type Job, type LoadKey, type NewJob, PRIORITY } from './job.ts';
import { leaseFrom } from './lease.ts';
import { pruner } from './prune.ts';
import type { ClaimRequest, Enqueued, Queue } from './queue.ts';
import { sweepOrphans } from './sweep.ts';

export interface QueueOptions {
  clock: Pick<Clock, 'now'>;
  /** Read anew at each call, so that a changed setting holds from then on. */
  config: () => Pick<Config, 'queue' | 'jobBudgetsSeconds'>;
}

const CANCELLED = 'cancelled by the owner';
const DAY_MS = 86_400_000;
const MISSED = 'its time was over before it could start';

/**
 * The durable queue over one store, whose only writer it is. All it knows is in the database: a
 * transaction of the caller's that rolls back takes back everything done here.
 */
export function openQueue(store: Store, { clock, config }: QueueOptions): Queue {
  const jobs = jobsTable(store.db);
  const events = eventsTable(store.db);
  const prune = pruner(jobs);

  const stored = (id: number): Job => toJob(jobs.get(id) as JobRow);
  const orNull = (row: JobRow | undefined): Job | null => (row ? toJob(row) : null);
  const order = (now: number, loaded: readonly LoadKey[]): Order => ({
    now,
    loaded,
    stepMs: config().queue.agingStepSeconds * 1000,
  });

  function enqueue(job: NewJob): Enqueued {
    const row = birthRow(job, clock.now());
    const add = (): Enqueued => {
      row.id = jobs.insert(row);
      return { job: jobOf(row, job.payload ?? {}), outcome: 'created' };
    };
    const key = row.coalesce_key;
    if (key === null || row.state !== 'queued' || row.retry_of !== null) return add();
    return store.join(() => {
      const waiting = jobs.byCoalesceKey(key);
      if (!waiting) return add();
      jobs.coalesce(row.priority, waiting.id);
      // The first time says that it happened; the count on the row says how often.
      if (waiting.coalesced === 0) {
        events.record(clock.now(), 'job.coalesced', waiting.id, { source: row.source });
      }
      return { job: stored(waiting.id), outcome: 'coalesced' };
    });
  }

  function enqueueAll(
    job: Omit<NewJob, 'payload' | 'source'>,
    payloads: readonly unknown[],
  ): number[] {
    const row = birthRow(job, clock.now());
    if (row.coalesce_key === null)
      return jobs.insertAll(
        row,
        payloads.map((one) => JSON.stringify(one ?? {})),
      );
    return store.join(() => payloads.map((payload) => enqueue({ ...job, payload }).job.id));
  }

  /** The id and kind of the best job that may be taken; the reasons for the order are its own. */
  function pick(request: ClaimRequest): (Standing & { kind: string }) | null {
    const { blockedTiers, waived, now, loaded } = request;
    const candidates: (Standing & { kind: string })[] = jobs.heads
      .claimable()
      .filter((head) => !blockedTiers.has(head.tier));
    if (waived && blockedTiers.size > 0) {
      for (const row of jobs.waived()) {
        if (!blockedTiers.has(row.tier)) continue;
        const job = toJob(row);
        if (waived(job)) candidates.push(job);
      }
    }
    return firstOf(candidates, order(now, loaded));
  }

  function claim(request: ClaimRequest): Claim | null {
    const { now, runId } = request;
    // This is the one writer, so what is picked here is still there below; most passes find nothing,
    // and a transaction that writes nothing costs more than the look.
    let best = pick(request);
    if (!best) return null;
    return store.join(() => {
      for (; best; best = pick(request)) {
        const lease = leaseFrom(now, best.kind, config().jobBudgetsSeconds);
        const row = jobs.take(best.id, runId, now, lease);
        if (row) return toClaim(row);
        miss(best.id, now);
      }
      return null;
    });
  }

  /** Changes rows together; without any there is no transaction. */
  function each<T>(rows: readonly JobRow[], change: (row: JobRow) => T): T[] {
    return rows.length === 0 ? [] : store.join(() => rows.map(change));
  }

  function miss(id: number, now: number): void {
    jobs.missWaiting('missed', MISSED, now, id);
    events.record(now, 'job.missed', id, { at: now });
  }

  /** Lets a claim go by `release`, unless the owner has asked for its end: then it ends cancelled. */
  function letGo({ id, claimNo }: Claim, release: (now: number) => boolean): boolean {
    return store.join(() => {
      const row = jobs.get(id);
      if (row?.state !== 'running' || row.claim_no !== claimNo) return false;
      const now = clock.now();
      return row.cancel_asked_at === null ? release(now) : cancelClaimed(id, claimNo, now);
    });
  }

  function cancelClaimed(id: number, claimNo: number, now: number): boolean {
    const done = jobs.cancelClaimed(CANCELLED, now, id, claimNo);
    if (done) events.record(now, 'job.cancelled', id, { while: 'running' });
    return done;
  }

  /** Records a deferral once for each cause in a row: a job refused every five minutes is one event. */
  function recordDeferral(now: number, id: number, payload: object): void {
    const last = events.latestForJob(id);
    const again =
      last?.kind === 'job.deferred' && canonicalJson(last.payload) === canonicalJson(payload);
    if (!again) events.record(now, 'job.deferred', id, payload);
  }

  return {
    enqueue,
    enqueueAll,
    countOnto: (id, occurrences, expiresAt) => jobs.countOnto(occurrences, expiresAt, id),
    claim,

    complete: ({ id, claimNo }, result) => jobs.complete(result, clock.now(), id, claimNo),
    fail: ({ id, claimNo }, error) => jobs.fail(error, clock.now(), id, claimNo),
    retryLater: (held, error, reviveAt) =>
      letGo(held, (now) => {
        const { id, claimNo, job } = held;
        if (job.attempts >= job.maxAttempts) return jobs.fail(error, now, id, claimNo);
        const reason = `attempt ${job.attempts} of ${job.maxAttempts} failed: ${error}`;
        recordDeferral(now, id, { code: 'retry', reason });
        return jobs.defer(0, error, 'retry', reason, reviveAt, id, claimNo);
      }),
    defer: (held, code, reason, reviveAt) =>
      letGo(held, (now) => {
        recordDeferral(now, held.id, { code, reason });
        return jobs.defer(1, null, code, reason, reviveAt, held.id, held.claimNo);
      }),
    yieldBack: (held, cause) =>
      letGo(held, (now) => {
        if (cause === 'cancelled') return cancelClaimed(held.id, held.claimNo, now);
        events.record(now, 'job.yielded', held.id, { cause });
        return jobs.requeue(1, held.id, held.claimNo);
      }),
    saveCheckpoint: ({ id, claimNo, job }, token, also) => {
      const lease = leaseFrom(clock.now(), job.kind, config().jobBudgetsSeconds);
      const text = canonicalJson(token);
      if (!also) return jobs.saveCheckpoint(text, lease, id, claimNo);
      return store.join(() => {
        const saved = jobs.saveCheckpoint(text, lease, id, claimNo);
        if (saved) also();
        return saved;
      });
    },

    cancel: (id, reason = CANCELLED) =>
      store.join(() => {
        const row = jobs.get(id);
        if (!row) throw missing(id);
        const now = clock.now();
        if (jobs.cancelWaiting('cancelled', reason, now, id)) {
          events.record(now, 'job.cancelled', id, { while: row.state });
          return 'cancelled';
        }
        if (!jobs.askCancel(now, id)) return 'ended';
        if (row.cancel_asked_at === null) events.record(now, 'job.cancel-asked', id, {});
        return 'asked';
      }),
    retry: (id) =>
      store.join(() => {
        const row = jobs.get(id);
        if (!row) throw missing(id);
        if (row.finished_at === null) {
          throw new LullError('conflict', `job ${id} has not ended: it is ${row.state}`);
        }
        const again = jobs.openRetry(id);
        return again ? toJob(again) : enqueue(sameWork(toJob(row))).job;
      }),
    waive: (id, waiver) =>
      store.join(() => {
        const row = jobs.get(id);
        if (!row || !jobs.waive(canonicalJson(waiver), PRIORITY.interactive, id)) return false;
        jobs.revive(id);
        events.record(clock.now(), 'job.waived', id, waiver);
        return true;
      }),

    revive: (now) =>
      each(jobs.due(now), (row) => {
        jobs.revive(row.id);
        events.record(now, 'job.revived', row.id, { was: row.reason_code ?? 'not-before' });
        return stored(row.id);
      }),
    reviveDeferred: () => each(jobs.untimed(), (row) => jobs.revive(row.id)).length,
    expire: (now) =>
      each(jobs.expired(now), (row) => {
        miss(row.id, now);
        return stored(row.id);
      }),
    sweep: (runId, isIdempotent) =>
      store.join(() => sweepOrphans(jobs, events, clock.now(), runId, isIdempotent)),

    get: (id) => orNull(jobs.get(id)),
    findBySource: (source) => orNull(jobs.bySource(source)),
    list: ({ state, before, limit }) =>
      jobs.list(state, before ?? Number.MAX_SAFE_INTEGER, limit).map(toJob),
    openOf: (kind) => jobs.openOf(kind).map(toJob),
    waiting(limit) {
      const at = order(clock.now(), []);
      return jobs.heads
        .all()
        .flatMap((lane) => jobs.lane(lane, limit))
        .map(toJob)
        .sort((a, b) => compareStanding(a, b, at))
        .slice(0, limit);
    },
    running: () => jobs.running().map(toJob),
    counts: jobs.counts,
    open: jobs.open,
    hasQueued: (tiers) => tiers.some(jobs.queuedIn),
    depth: jobs.depth,
    nextTimes: jobs.nextTimes,
    prune: (now, atMost) => {
      const { keepFinishedDays, keepFinishedCount } = config().queue;
      const keep = { days: keepFinishedDays, count: keepFinishedCount };
      return store.join(() => {
        const removed = prune(now, keep, atMost);
        return removed + events.forget(now - keep.days * DAY_MS, atMost - removed);
      });
    },
  };
}

function missing(id: number): LullError {
  return new LullError('not_found', `there is no job ${id}`, 'see: lull jobs list');
}

/** The same work as a new job: its own start and end, no time limits of the old one. */
function sameWork(job: Job): NewJob {
  const { kind, tier, numCtx, title, priority, payload, session, subject, route, maxAttempts } =
    job;
  return {
    kind,
    tier,
    numCtx,
    title,
    priority,
    class: job.class,
    payload,
    session,
    subject,
    route,
    maxAttempts,
    retryOf: job.id,
  };
}
