import { failpoint } from '../../base/failpoint.ts';
import type { Store } from '../../base/store/database.ts';
import type { DraftsTable } from '../../base/store/drafts.ts';
import type { TranscriptsTable } from '../../base/store/transcripts.ts';
import type { Queue } from '../queue/queue.ts';
import type { Land } from './ports.ts';

/**
 * Lands a finished run: completion, transcript, draft and what the session remembers, in one
 * transaction behind the fence. A void claim leaves nothing.
 */
export function lander(
  store: Pick<Store, 'tx'>,
  queue: Pick<Queue, 'complete' | 'fail'>,
  drafts: Pick<DraftsTable, 'insert'>,
  transcripts: Pick<TranscriptsTable, 'insert' | 'remember'>,
): Land {
  return (claim, landing, failed, now) =>
    store.tx(() => {
      const { job } = claim;
      const ended =
        failed === null ? queue.complete(claim, landing.result) : queue.fail(claim, failed);
      if (!ended) return false;
      if (landing.transcript) {
        transcripts.insert({ ...landing.transcript, job: job.id, claimNo: claim.claimNo, at: now });
      }
      failpoint('land.inside');
      if (landing.draft) drafts.insert({ ...landing.draft, job: job.id, createdAt: now });
      if (landing.remember && job.session !== null && failed === null) {
        transcripts.remember({ ...landing.remember, session: job.session, job: job.id, at: now });
      }
      return true;
    });
}
