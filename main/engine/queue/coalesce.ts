import { canonicalJson, sha256 } from '../../base/ids.ts';
import type { NewJob } from './job.ts';

/**
 * Kinds whose waiting job takes a further request of the same work in, each with the reason why one
 * pass serves both. A kind belongs here only if a pass reads everything anew when it starts and a
 * second pass right after it would find nothing to do. Not here, and why: dream, curate and shadow
 * write something new each time; research, ambassador and ambassador_task answer one question each.
 */
export const IDEMPOTENT_KINDS: ReadonlyMap<string, string> = new Map([
  ['chat_sync', 'takes in whatever exported conversations are new when it runs'],
  ['vault_sync', 'compares every note with its digest when it runs'],
  ['code_sync', 'compares every source file with its digest when it runs'],
  ['code_backfill', 'works through whatever files are not yet taken in'],
  ['chat_events', 'skips each session whose transcript digest it has seen'],
  ['integrate', 'skips each session whose events digest it has seen'],
]);

/**
 * The key under which a request may join a waiting job: kind, payload (keys sorted), tier and window.
 * Null when it must stand alone: the kind is not idempotent, or the request carries something of its
 * own (a session, a scope, a recipient, a time limit) that the waiting job would not honour.
 */
export function coalesceKey(job: NewJob): string | null {
  if (!IDEMPOTENT_KINDS.has(job.kind)) return null;
  const own =
    job.session != null ||
    job.subject != null ||
    job.expiresAt != null ||
    (job.route !== undefined && job.route.channel !== 'local');
  return own ? null : sha256(canonicalJson([job.kind, job.payload ?? {}, job.tier, job.numCtx]));
}
