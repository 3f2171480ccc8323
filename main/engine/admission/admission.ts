import type { Config } from '../../base/config-schema.ts';
import { type Failure, failure } from '../../base/errors.ts';
import { failpoint } from '../../base/failpoint.ts';
import { canonicalJson } from '../../base/ids.ts';
import type { Store } from '../../base/store/database.ts';
import { countOf } from '../gates/words.ts';
import { classOf } from '../queue/birth.ts';
import type { Job, JobClass, NewJob } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';

/** A request for work with the identity of what asks for it: the same again is the same work. */
export type Request = NewJob & { source: string };

export type Admission =
  | { outcome: 'admitted'; job: Job }
  /** The same source asked for the same before; this is that job, whatever became of it. */
  | { outcome: 'duplicate'; job: Job }
  /** Taken in by an idempotent job that already waits. */
  | { outcome: 'coalesced'; job: Job }
  /** The source belongs to other work; nothing was stored. */
  | { outcome: 'conflict'; job: Job; failure: Failure }
  /** The class is full; nothing was stored. */
  | { outcome: 'refused'; failure: Failure };

export interface AdmissionParts {
  store: Pick<Store, 'join'>;
  queue: Pick<Queue, 'enqueue' | 'findBySource' | 'open'>;
  /** Read anew at each request. */
  config: () => { queue: Pick<Config['queue'], 'lightCapacity' | 'heavyCapacity'> };
}

/** Decides on one request; see `createAdmission`. */
export type Admit = (request: Request) => Admission;

/**
 * The door of the queue. A known source is answered first (duplicate or conflict), even when the
 * queue is full; then the class's capacity is asked. Light and heavy work are counted apart, over
 * what is queued, running and deferred; housekeeping is not counted and never refused. All in the
 * caller's transaction, or one of its own, so that work and the producer's cursor commit together.
 */
export function createAdmission({ store, queue, config }: AdmissionParts): Admit {
  return (request) =>
    store.join(() => {
      const known = queue.findBySource(request.source);
      if (known) return again(known, request);
      const jobClass = classOf(request);
      const full = fullness(jobClass);
      if (full) return { outcome: 'refused', failure: full };
      const { job, outcome } = queue.enqueue(request);
      failpoint('admission.inside');
      return { outcome: outcome === 'created' ? 'admitted' : 'coalesced', job };
    });

  function fullness(jobClass: JobClass): Failure | null {
    if (jobClass === 'housekeeping') return null;
    const { lightCapacity, heavyCapacity } = config().queue;
    const capacity = jobClass === 'heavy' ? heavyCapacity : lightCapacity;
    if (queue.open(jobClass, capacity) < capacity) return null;
    return failure(
      'queue_full',
      `the queue is full: ${countOf(capacity, `${jobClass} job`)} ${capacity === 1 ? 'waits or runs' : 'wait or run'} already`,
      `try again when one has ended, or raise queue.${jobClass}Capacity`,
    );
  }
}

/**
 * The same source again: the same work when kind, session, scope and payload are equal. Tier, window,
 * priority and title are left out: they follow the configuration, which may have changed in between.
 */
function again(job: Job, request: Request): Admission {
  if (identity(job) === identity(request)) return { outcome: 'duplicate', job };
  return {
    outcome: 'conflict',
    job,
    failure: failure(
      'conflict',
      `the identity "${request.source}" is taken by other work (job ${job.id})`,
      'give this work an identity of its own',
    ),
  };
}

function identity({ kind, session, subject, payload }: Job | Request): string {
  return canonicalJson([kind, session ?? null, subject ?? null, payload ?? {}]);
}
