import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../base/store/database.ts';
import type { Queue } from '../queue/queue.ts';
import type { Duty } from './ports.ts';

/** How often upkeep looks for something to do, and how much it removes at a time. */
const EVERY_MS = 3_600_000;
const BATCH = 1000;

/**
 * Upkeep of the database as a duty: old finished jobs go in small batches, and while nothing runs the
 * write-ahead log is taken in, so that no claim has to do it. It follows the re-read of durable state
 * and never wakes the machine by itself.
 */
export function upkeepDuty(
  clock: Pick<Clock, 'monotonic'>,
  store: Pick<Store, 'tidy'>,
  queue: Pick<Queue, 'prune' | 'counts'>,
): Duty {
  let next = clock.monotonic();
  return {
    name: 'upkeep',
    nextDueAt: () => null,
    runOnce(now) {
      if (clock.monotonic() < next) return 0;
      const { queued, running } = queue.counts();
      if (running > 0) return 0;
      const removed = queue.prune(now, BATCH);
      // A full batch means that more is waiting: the rest follows with the next passes.
      if (removed < BATCH) next = clock.monotonic() + EVERY_MS;
      if (queued === 0) store.tidy();
      return 0;
    },
  };
}
