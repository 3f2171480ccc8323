import { failure } from '../base/errors.ts';
import type { DraftHead } from '../base/store/drafts.ts';

export function unknownDraft(id: number) {
  return failure('not_found', `there is no draft ${id}`, 'lull drafts list shows them');
}

/** Why a draft in this state cannot be changed that way. */
export function refused(draft: DraftHead, wish: 'approved' | 'dismissed' | 'restored' | 'snoozed') {
  const start = `draft ${draft.id} cannot be ${wish}`;
  switch (draft.state) {
    case 'superseded':
      return failure(
        'refused',
        `${start}: draft ${draft.supersededBy} has taken its place`,
        `look at draft ${draft.supersededBy} instead`,
      );
    case 'dismissed':
      return failure('refused', `${start}: it was dismissed`, 'take the dismissal back first');
    case 'approved':
      return failure('refused', `${start}: it was approved and is being carried out`);
    case 'applied':
      return failure('refused', `${start}: it was approved and carried out`);
    case 'apply-failed':
      return failure(
        'refused',
        `${start}: carrying it out failed`,
        'approve it again, or dismiss it',
      );
    case 'pending':
      return failure('refused', `${start}: it waits for your word`);
  }
}
