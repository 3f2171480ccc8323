import type { Job } from '../engine/queue/job.ts';
import type { Outcome } from '../engine/supervisor/handler.ts';
import type { Notifier } from './notices.ts';

/** What the owner is told, or no longer told, when a run has ended: failures, once per cause. */
export function settled(notices: Notifier, job: Job, outcome: Outcome, now: number): void {
  switch (outcome.kind) {
    case 'failed':
      notices.raise({ kind: 'job-failed', title: job.title, message: outcome.error }, now);
      return;
    case 'deferred':
      if (outcome.code === 'model-unreachable') {
        notices.raise(
          { kind: 'server-unreachable', server: job.tier, message: outcome.reason },
          now,
        );
      }
      if (outcome.code === 'model-denied') {
        notices.raise({ kind: 'server-denies', server: job.tier, message: outcome.reason }, now);
      }
      return;
    case 'done':
      notices.settle({ kind: 'server-denies', server: job.tier }, now);
      notices.settle({ kind: 'job-failed', title: job.title }, now);
      notices.settle({ kind: 'server-unreachable', server: job.tier }, now);
      return;
    default:
      return;
  }
}
