import type { Clock } from '../base/clock.ts';
import type { Failure } from '../base/errors.ts';
import { failpoint } from '../base/failpoint.ts';
import type { Store } from '../base/store/database.ts';
import type { Draft, DraftsTable } from '../base/store/drafts.ts';
import { mergeInto } from '../work/roster/worktree/merge.ts';
import type { CycleDraftBody } from './draft-bodies.ts';
import type { Notifier } from './notices.ts';
import { oneLine } from './view-model/text.ts';

export interface MergingParts {
  store: Pick<Store, 'tx'>;
  clock: Pick<Clock, 'now'>;
  drafts: DraftsTable;
  notices: Notifier;
  /** A cycle's draft was decided: its branch may be of no use any more. Must not throw. */
  cycleDecided: () => void;
}

/** What a merge comes to. */
export type MergeEnd =
  | { outcome: 'applied'; files: string[] }
  | { outcome: 'failed'; error: string };

/**
 * Merges approved cycles: one at a time in each repository, and each draft once at a time however often
 * it is asked for. Merging again finds it done, so a crash is finished by beginning anew.
 */
export function mergings(parts: MergingParts) {
  const { store, clock, drafts, notices } = parts;
  const underWay = new Map<number, Promise<MergeEnd>>();
  const lastOf = new Map<string, Promise<unknown>>();

  function begin(draft: Draft, body: CycleDraftBody): Promise<MergeEnd> {
    const known = underWay.get(draft.id);
    if (known) return known;
    const before = lastOf.get(body.root) ?? Promise.resolve();
    const end = before.then(() => merge(draft, body)).finally(() => underWay.delete(draft.id));
    underWay.set(draft.id, end);
    lastOf.set(
      body.root,
      end.catch(() => {}),
    );
    return end;
  }

  async function merge(draft: Draft, body: CycleDraftBody): Promise<MergeEnd> {
    failpoint('cycle.approved');
    const { root, target, head: commit } = body;
    const merged = await mergeInto({ root, target, commit, message: messageOf(draft, body) });
    failpoint('cycle.merged');
    const now = clock.now();
    if (!merged.ok) return fail(draft, merged, now);
    store.tx(() => {
      drafts.markApplied(draft.id, now);
      notices.settle({ kind: 'merge-failed', draft: draft.id }, now);
    });
    parts.cycleDecided();
    return { outcome: 'applied', files: [] };
  }

  function fail(draft: Draft, { message, hint }: Failure, now: number): MergeEnd {
    const error = hint === undefined ? message : `${message}; ${hint}`;
    store.tx(() => {
      drafts.markFailed(draft.id, error);
      notices.raise({ kind: 'merge-failed', draft: draft.id, message: error }, now, draft.id);
    });
    return { outcome: 'failed', error };
  }

  return {
    begin,
    /** Resolves when nothing is being merged; for the end of the host. */
    async idle(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled(underWay.values());
    },
  };
}

/** Of the merge commit: what it is, and where to read on. */
function messageOf(draft: Draft, { agent, cadence, reason }: CycleDraftBody): string {
  return `${oneLine(`Merge the ${cadence} cycle of ${agent}`)}\n\n${oneLine(reason, 500)}\nDraft ${draft.id} of Lull.\n`;
}
