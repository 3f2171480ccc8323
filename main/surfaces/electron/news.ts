import { money } from '../../base/money.ts';
import { oneLine } from '../../desk/view-model/text.ts';
import type { PanelView } from '../contract.ts';
import { DRAFTS, draftAddress, NOW } from './addresses.ts';

/** Something the owner is told outside the panel, once. */
export interface News {
  /** Survives restarts: `draft-7`, `notice-3`, or `drafts` for several at once. */
  key: string;
  title: string;
  body: string;
}

/** Told when the icon is not to be seen; there is always a second way in. */
export const HIDDEN_ICON: News = {
  key: 'icon',
  title: 'The icon of Lull is hidden',
  body: 'Show it in System Settings → Menu Bar. Until then, open Lull from Applications or Spotlight.',
};

/** Told when what was chosen in the menu could not be done. */
export function refusalNews({
  message,
  hint,
}: {
  message: string;
  hint?: string | undefined;
}): News {
  return {
    key: 'refusal',
    title: 'Lull',
    body: oneLine([message, hint].filter(Boolean).join(': ')),
  };
}

export type NewsInput = Pick<PanelView, 'drafts' | 'notices'>;

export interface NewsChange {
  tell: News[];
  /** Keys of what is decided or over, so that it need not be told any more. */
  withdraw: string[];
}

export interface NewsReader {
  /** What became news with this view. */
  read(view: NewsInput): NewsChange;
}

/**
 * Compares each view with all that was seen before. What is there at the start is not told: it was,
 * or the panel shows it. What returns (a dismissal taken back, a row that a cut list shows again) is
 * no news either.
 */
export function newsReader(): NewsReader {
  let seen: { draft: number; notice: number } | null = null;
  let open: string[] = [];
  return {
    read({ drafts, notices }) {
      const fresh = seen && {
        drafts: drafts.filter(({ id }) => id > (seen?.draft ?? 0)),
        notices: notices.filter(({ id }) => id > (seen?.notice ?? 0)),
      };
      seen = {
        draft: Math.max(seen?.draft ?? 0, ...drafts.map(({ id }) => id)),
        notice: Math.max(seen?.notice ?? 0, ...notices.map(({ id }) => id)),
      };
      const before = open;
      open = [...drafts.map(draftKey), ...notices.map(noticeKey)];
      return {
        tell: fresh ? [...draftNews(fresh.drafts), ...fresh.notices.map(noticeNews)] : [],
        withdraw: before.filter((key) => !open.includes(key)),
      };
    },
  };
}

/** More than these at once are told in one. */
const MOST_AT_ONCE = 3;
const TOGETHER = 'drafts';

function draftNews(drafts: NewsInput['drafts']): News[] {
  if (drafts.length > MOST_AT_ONCE) {
    const body = oneLine(drafts.map(({ title }) => title).join(', '));
    return [{ key: TOGETHER, title: `${drafts.length} drafts for you`, body }];
  }
  return drafts.map((draft) => {
    const { title, totalCents, currency } = draft;
    const amount = totalCents === null ? '' : `, ${money(totalCents, currency ?? '')}`;
    return { key: draftKey(draft), title: 'A draft for you', body: oneLine(`${title}${amount}`) };
  });
}

function noticeNews(notice: NewsInput['notices'][number]): News {
  return { key: noticeKey(notice), title: 'Lull', body: oneLine(notice.text) };
}

/** Where a piece of news leads. Null: not one of ours. */
export function newsAddress(key: string): string | null {
  if (key === TOGETHER) return DRAFTS;
  if (key === HIDDEN_ICON.key || key === 'refusal') return NOW;
  const [, kind, id] = key.match(/^(draft|notice)-(\d+)$/) ?? [];
  if (kind === undefined) return null;
  return kind === 'draft' ? draftAddress(Number(id)) : NOW;
}

function draftKey({ id }: { id: number }): string {
  return `draft-${id}`;
}

function noticeKey({ id }: { id: number }): string {
  return `notice-${id}`;
}
