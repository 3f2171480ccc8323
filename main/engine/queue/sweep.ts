import type { EventsTable } from '../../base/store/events.ts';
import type { JobRow } from '../../base/store/job-row.ts';
import type { JobsTable } from '../../base/store/jobs.ts';
import { toJob } from './from-row.ts';
import { deadlineLapsed } from './lease.ts';
import type { Sweep } from './queue.ts';

/** A job found running at this many unclean exits is not started again by itself. */
const LAST_UNCLEAN_EXIT = 3;

type Fate = 'requeued' | 'failed' | 'givenUp' | 'cancelled';

/** What becomes of a row that an earlier run left running. Its attempt stays spent. */
function fateOf(row: JobRow, isIdempotent: (kind: string) => boolean): Fate {
  if (row.cancel_asked_at !== null) return 'cancelled';
  if (row.unclean_exits + 1 >= LAST_UNCLEAN_EXIT) return 'givenUp';
  return row.checkpoint !== null || isIdempotent(row.kind) ? 'requeued' : 'failed';
}

/**
 * Settles what earlier runs left running; call it in a transaction, before the first claim of a run.
 * Only rows of another run are touched: ids of runs rise, so what says `runId` is this run's own work,
 * and one of those with a lapsed lease is reported alone, for its holder may well be alive.
 */
export function sweepOrphans(
  jobs: JobsTable,
  events: EventsTable,
  now: number,
  runId: number,
  isIdempotent: (kind: string) => boolean,
): Sweep {
  const sweep: Sweep = { requeued: [], failed: [], givenUp: [], cancelled: [], leaseExpired: [] };
  for (const row of jobs.running()) {
    if (row.claimed_by_run === runId) {
      if (deadlineLapsed(row.lease_expires_at, now)) sweep.leaseExpired.push(toJob(row));
      continue;
    }
    const { id, claim_no } = row;
    const fate = fateOf(row, isIdempotent);
    const run = row.claimed_by_run ?? '?';
    jobs.countUncleanExit(id, claim_no);
    if (fate === 'requeued') jobs.requeue(0, id, claim_no);
    else if (fate === 'failed') {
      jobs.fail(`orphaned by unclean exit of run #${run}`, now, id, claim_no);
    } else if (fate === 'givenUp') {
      jobs.fail(
        `found running at ${row.unclean_exits + 1} unclean exits, the last of run #${run}; ` +
          'not started again by itself',
        now,
        id,
        claim_no,
      );
    } else jobs.cancelClaimed('cancelled by the owner', now, id, claim_no);
    events.record(now, 'job.swept', id, { run: row.claimed_by_run, fate });
    sweep[fate].push(toJob(jobs.get(id) as JobRow));
  }
  return sweep;
}
