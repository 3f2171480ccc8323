import { failure, ok, type Result } from '../base/errors.ts';
import type { Draft, DraftsPage } from '../base/store/drafts.ts';
import type { TranscriptsTable } from '../base/store/transcripts.ts';
import { type Approval, type ApproveParts, approver } from './approve.ts';
import { type CycleDraftBody, readBody } from './draft-bodies.ts';
import { refused, unknownDraft } from './draft-refusals.ts';
import { type DraftDetail, type DraftRow, draftDetail, draftRow } from './view-model/draft.ts';

export interface DraftsParts extends ApproveParts {
  transcripts: Pick<TranscriptsTable, 'get'>;
  /** A cycle's draft waits again: its branch is put back. Must not throw. */
  cycleRestored: (body: CycleDraftBody) => void;
}

/** What the owner can do with drafts. Every refusal is one line, and has changed nothing. */
export interface Drafts {
  list(page: DraftsPage): DraftRow[];
  show(id: number): Result<DraftDetail>;
  /** Approves, or says what changed and asks again; however often it is called, the effect is one. */
  approve(id: number, confirm?: string): Result<Approval>;
  dismiss(id: number): Result<DraftRow>;
  /** Takes a dismissal back. */
  restore(id: number): Result<DraftRow>;
  /** Puts a pending draft off: until a moment (epoch ms), or (null) until the next lull begins. */
  snooze(id: number, until: number | null): Result<DraftRow>;
  /** Ends a snooze; what is not snoozed stays as it is. */
  wake(id: number): Result<DraftRow>;
  /** Finishes what a crash, or a commit that failed, has left approved. */
  resumeApproved(): Array<{ id: number; approval: Approval }>;
  /** Resolves when nothing approved is being carried out any more; to be awaited before the end. */
  idle(): Promise<void>;
}

export function openDrafts(parts: DraftsParts): Drafts {
  const { store, clock, drafts, transcripts, notices } = parts;
  const { approve, resumeApproved, idle } = approver(parts);

  /** Changes one draft inside a transaction and gives its row afterwards. */
  function change(id: number, act: (draft: Draft) => Result<true>): Result<DraftRow> {
    return store.tx(() => {
      const draft = drafts.get(id);
      if (!draft) return unknownDraft(id);
      const done = act(draft);
      return done.ok ? ok(draftRow(drafts.get(id) as Draft)) : done;
    });
  }

  return {
    list: (page) => drafts.list(page).map(draftRow),

    show(id) {
      const draft = drafts.get(id);
      if (!draft) return unknownDraft(id);
      return draftDetail(draft, transcripts.get(draft.job)?.messages ?? []);
    },

    approve,
    resumeApproved,
    idle,

    dismiss(id) {
      const dismissed = change(id, (draft) => {
        if (draft.state === 'dismissed') return ok(true);
        if (!drafts.dismiss(id, clock.now())) return refused(draft, 'dismissed');
        for (const kind of ['order-failed', 'merge-failed'] as const) {
          notices.settle({ kind, draft: id }, clock.now());
        }
        return ok(true);
      });
      if (dismissed.ok && dismissed.value.kind === 'cycle') parts.cycleDecided();
      return dismissed;
    },

    snooze: (id, until) =>
      change(id, (draft) => {
        if (draft.state !== 'pending') return refused(draft, 'snoozed');
        drafts.snoozes.put(id, clock.now(), until);
        return ok(true);
      }),

    wake: (id) =>
      change(id, () => {
        drafts.snoozes.remove(id);
        return ok(true);
      }),

    restore(id) {
      const restored = change(id, (draft) => {
        if (draft.state === 'pending') return ok(true);
        if (draft.state !== 'dismissed') return refused(draft, 'restored');
        const newest = draft.topic === null ? null : drafts.newestOfTopic(draft.topic);
        if (newest && newest.id > id) {
          return failure(
            'refused',
            `draft ${id} cannot be restored: draft ${newest.id} is newer and about the same`,
            `look at draft ${newest.id} instead`,
          );
        }
        drafts.restore(id);
        return ok(true);
      });
      const draft = restored.ok && restored.value.kind === 'cycle' ? drafts.get(id) : null;
      const body = draft && readBody(draft);
      if (body?.ok && body.value.kind === 'cycle') parts.cycleRestored(body.value);
      return restored;
    },
  };
}
