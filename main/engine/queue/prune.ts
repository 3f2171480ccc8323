import type { PruneRow } from '../../base/store/job-reads.ts';
import type { JobsTable } from '../../base/store/jobs.ts';

/** The most rows one call reads, and so the most it removes. */
const WINDOW = 1000;
const DAY_MS = 86_400_000;
/** An order applied this recently is named when a like one is approved, so its job stays. */
const APPLIED_KEPT_MS = 7 * DAY_MS;

export interface Keep {
  /** Finished jobs older than this go, days. */
  days: number;
  /** Of the newest this many ids, finished ones go by age alone. */
  count: number;
}

interface Bounds {
  finishedBefore: number;
  lastIdByCount: number;
  newestId: number;
}

/** Whether a row goes. The newest never does: it keeps its id from being used again. */
function goes(row: PruneRow, bounds: Bounds): boolean {
  return (
    row.finishedAt !== null &&
    row.held === 0 &&
    row.id !== bounds.newestId &&
    (row.finishedAt < bounds.finishedBefore || row.id <= bounds.lastIdByCount)
  );
}

/**
 * Removes finished jobs past the kept age or count, from the oldest id up. A call reads at most 1000
 * rows and goes on where the last one stopped, so that what is kept (work that waits, jobs whose
 * draft the owner has not dealt with) is not read again and again. "Count" is counted in ids: nothing
 * has to be added up over the history.
 */
export function pruner(jobs: JobsTable) {
  let cursor = 0;
  return (now: number, keep: Keep, atMost: number): number => {
    const newestId = jobs.newestId();
    const bounds = {
      finishedBefore: now - keep.days * DAY_MS,
      lastIdByCount: newestId - keep.count,
      newestId,
    };
    let removed = 0;
    const rows = jobs.window(now - APPLIED_KEPT_MS, cursor, WINDOW);
    for (const row of rows) {
      if (removed >= atMost) return removed;
      if (row.createdAt >= bounds.finishedBefore && row.id > bounds.lastIdByCount) {
        cursor = 0;
        return removed;
      }
      if (goes(row, bounds) && jobs.remove(row.id)) removed += 1;
      cursor = row.id;
    }
    if (rows.length < WINDOW) cursor = 0;
    return removed;
  };
}
