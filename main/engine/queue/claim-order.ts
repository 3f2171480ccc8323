import { type LoadKey, PRIORITY, sameLoadKey } from './job.ts';

/** Aging lifts a waiting job by ten points a step, to INTERACTIVE at most. */
const FLOOR = PRIORITY.interactive;
const POINTS_A_STEP = 10;

/** What decides a job's place in the queue. */
export interface Standing extends LoadKey {
  id: number;
  priority: number;
  createdAt: number;
}

export interface Order {
  /** Wall time of the decision, epoch ms. */
  now: number;
  /** How long a job waits for each step of aging, ms. */
  stepMs: number;
  /** What is resident: a job with one of these keys needs no swap. */
  loaded: readonly LoadKey[];
}

/**
 * The priority a waiting job counts with; smaller goes first. At or above the floor's urgency it
 * stays as it is, else it improves by ten points for each whole step waited, never past the floor, so
 * that old background work ties with interactive work and never passes a reactive alarm. A clock that
 * was set back counts as no wait at all.
 */
export function effectivePriority(
  priority: number,
  createdAt: number,
  { now, stepMs }: Pick<Order, 'now' | 'stepMs'>,
): number {
  if (priority <= FLOOR) return priority;
  const steps = Math.floor(Math.max(0, now - createdAt) / stepMs);
  return Math.max(FLOOR, priority - POINTS_A_STEP * steps);
}

/**
 * The order of claims: the lowest effective priority; within that band a job whose load key is
 * resident; then first come, first served: the earlier `createdAt`, then the lower id. While the
 * clock runs forward the last two are one and the same, the lowest id; after it was set back the
 * time decides, as it does for aging. The comparison is total and the same for the same facts.
 */
export function compareStanding(a: Standing, b: Standing, order: Order): number {
  return (
    effectivePriority(a.priority, a.createdAt, order) -
      effectivePriority(b.priority, b.createdAt, order) ||
    swap(a, order.loaded) - swap(b, order.loaded) ||
    a.createdAt - b.createdAt ||
    a.id - b.id
  );
}

/** The first in that order, or null of none. */
export function firstOf<T extends Standing>(candidates: Iterable<T>, order: Order): T | null {
  let best: T | null = null;
  for (const one of candidates) {
    if (best === null || compareStanding(one, best, order) < 0) best = one;
  }
  return best;
}

function swap(key: LoadKey, loaded: readonly LoadKey[]): 0 | 1 {
  return loaded.some((one) => sameLoadKey(one, key)) ? 0 : 1;
}
