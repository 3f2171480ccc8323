import { onTestFinished } from 'vitest';
import { type Config, configSchema } from '../../../main/base/config-schema.ts';
import { openStore, type Store } from '../../../main/base/store/database.ts';
import { type EventsTable, eventsTable } from '../../../main/base/store/events.ts';
import type { Claim, Job, NewJob } from '../../../main/engine/queue/job.ts';
import { openQueue } from '../../../main/engine/queue/open-queue.ts';
import type { ClaimRequest, Queue } from '../../../main/engine/queue/queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';

export interface TestQueue {
  store: Store;
  queue: Queue;
  events: EventsTable;
  clock: FakeClock;
  config: Config;
  /** Adds a job with whatever is said, and sensible rest. */
  add(job?: Partial<NewJob>): Job;
  /** Claims for run 1 with every gate open. */
  claim(request?: Partial<ClaimRequest>): Claim | null;
  /** Claims and insists on getting a job. */
  take(request?: Partial<ClaimRequest>): Claim;
}

/** A queue over a real database in memory, closed after the test. */
export async function testQueue(): Promise<TestQueue> {
  const store = await openStore(':memory:', { backups: '/nowhere', now: 1 });
  onTestFinished(() => store.close());
  return over(store);
}

export function over(store: Store): TestQueue {
  const clock = new FakeClock();
  const config = configSchema.parse({});
  const queue = openQueue(store, { clock, config: () => config });
  const claim = (request: Partial<ClaimRequest> = {}) =>
    queue.claim({
      runId: 1,
      now: clock.now(),
      blockedTiers: new Set(),
      loaded: [],
      ...request,
    });
  return {
    store,
    queue,
    events: eventsTable(store.db),
    clock,
    config,
    add: (job = {}) =>
      queue.enqueue({ kind: 'brief', tier: 'routine', numCtx: 16_384, title: 'a job', ...job }).job,
    claim,
    take(request) {
      const claimed = claim(request);
      if (!claimed) throw new Error('nothing was claimed');
      return claimed;
    },
  };
}
