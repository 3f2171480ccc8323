import type { Duty } from '../engine/supervisor/ports.ts';
import type { Drafts } from './drafts.ts';

/**
 * Carries out what was approved and could not be finished: the disk was full, or the database in use,
 * when the end was to be stored. Without it that would wait for the next start of the host.
 */
export function approvalDuty(drafts: Pick<Drafts, 'resumeApproved'>): Duty {
  return {
    name: 'approvals',
    runOnce: () =>
      drafts.resumeApproved().filter(({ approval }) => approval.outcome !== 'underway').length,
    nextDueAt: () => null,
  };
}
