import type { Store } from '../../base/store/database.ts';
import type { RunsTable } from '../../base/store/runs.ts';
import type { Queue, Sweep } from '../queue/queue.ts';

export interface LedgerParts {
  readonly store: Pick<Store, 'tx'>;
  readonly runs: RunsTable;
  readonly queue: Pick<Queue, 'sweep'>;
  readonly isIdempotent: (kind: string) => boolean;
  /** Tells the owner what was broken off; part of the sweep's transaction. */
  readonly report: (sweep: Sweep, now: number) => void;
}

export interface Begun {
  readonly runId: number;
  /** Earlier runs that never stopped by themselves. */
  readonly unclean: readonly number[];
  readonly sweep: Sweep;
}

/**
 * Opens a run in the ledger and settles what earlier ones left, in one transaction and before the
 * first claim: jobs found running are requeued or failed, the owner's reports are written, and the
 * runs that ended uncleanly are closed as such.
 */
export function beginRun(
  parts: LedgerParts,
  host: { version: string; pid: number },
  now: number,
): Begun {
  return parts.store.tx(() => {
    const runId = parts.runs.start(host.version, host.pid, now);
    const sweep = parts.queue.sweep(runId, parts.isIdempotent);
    parts.report(sweep, now);
    const unclean = parts.runs.unstopped(runId).map((run) => run.id);
    const found = {
      by: runId,
      requeued: sweep.requeued.map((job) => job.id),
      failed: [...sweep.failed, ...sweep.givenUp].map((job) => job.id),
      cancelled: sweep.cancelled.map((job) => job.id),
    };
    for (const id of unclean) parts.runs.stopUnclean(id, now, found);
    return { runId, unclean, sweep };
  });
}
