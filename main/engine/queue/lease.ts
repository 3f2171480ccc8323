import type { Job } from './job.ts';

/** Whether a deadline has passed. None, or one that is no number, has not: nothing is orphaned by it. */
export function deadlineLapsed(deadline: number | null, now: number): boolean {
  return deadline !== null && Number.isFinite(deadline) && now >= deadline;
}

/**
 * Whether a row is stranded, read off the row alone, with no sweep having run: it says running, but
 * no host lives (`liveRunId` null), or another run than the living one holds it, or its lease is over.
 * A lapsed lease under the living run is told, never acted on: a job that hangs looks the same.
 */
export function orphaned(
  job: Pick<Job, 'state' | 'claimedByRun' | 'leaseExpiresAt'>,
  now: number,
  liveRunId: number | null,
): boolean {
  if (job.state !== 'running') return false;
  return (
    liveRunId === null || job.claimedByRun !== liveRunId || deadlineLapsed(job.leaseExpiresAt, now)
  );
}

/** When the lease of a claim made now ends: `now` plus the kind's budget, null without one. */
export function leaseFrom(
  now: number,
  kind: string,
  budgetsSeconds: Readonly<Record<string, number>>,
): number | null {
  const seconds = Object.hasOwn(budgetsSeconds, kind) ? budgetsSeconds[kind] : undefined;
  return seconds === undefined ? null : now + seconds * 1000;
}
