import { money } from '../base/money.ts';
import { oneLine } from '../desk/view-model/text.ts';
import { DRAFTS, draftAddress, NOW } from './addresses.ts';
import type { PanelView } from './contract.ts';

/** Something the owner is told outside the panel, once. */
export interface News {
  /** Survives restarts: `draft-7`, `notice-3`, or `drafts` for several at once. */
  key: string;
  title: string;
  body: string;
}

/** What can keep an icon from being seen: the system's settings, a camera housing, or a desktop without a place for it. */
export type HiddenBy = 'setting' | 'housing' | 'desktop';

const ICON = 'icon';
const FROM_APPLICATIONS = 'Until then, open Lull from Applications or Spotlight.';
const SHOW_ICON: Readonly<Record<HiddenBy, string>> = {
  setting: `Show it in System Settings → Menu Bar. ${FROM_APPLICATIONS}`,
  housing: `The menu bar is full, and the icon lies under the camera. Quit an app whose icon is there, or switch icons off in System Settings → Menu Bar. ${FROM_APPLICATIONS}`,
  desktop:
    'This desktop shows no icons of apps. On GNOME, the extension AppIndicator shows them; elsewhere, add a system tray. Until then, open Lull once more, or say: lull open.',
};

/** Told when the icon is not to be seen; there is always a second way in. */
export function hiddenIconNews(by: HiddenBy): News {
  return { key: ICON, title: 'The icon of Lull is hidden', body: SHOW_ICON[by] };
}

const REFUSAL = 'refusal';

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

export type NewsInput = Pick<PanelView, 'drafts' | 'notices' | 'telling'>;

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
 * Compares each view with all that was told before. What is there at the start is not told: it was,
 * or the panel shows it. What returns (a dismissal taken back, a row that a cut list shows again) is
 * no news either. What may not be told now, in quiet hours, is told later if it still stands then.
 */
export function newsReader(): NewsReader {
  let told: { draft: number; notice: number } | null = null;
  let open: string[] = [];
  return {
    read(view) {
      const { drafts, notices, telling } = view;
      const before = told ?? { draft: highest(drafts), notice: highest(notices) };
      const newDrafts = drafts.filter(({ id }) => telling.drafts && id > before.draft);
      const newNotices = notices.filter(
        ({ id, kind }) =>
          id > before.notice && (isDigest(kind) ? telling.digest : telling.failures),
      );
      told = {
        draft: Math.max(before.draft, highest(newDrafts)),
        notice: Math.max(before.notice, highest(newNotices)),
      };
      const gone = open;
      open = [...drafts.map(draftKey), ...notices.map(noticeKey)];
      return {
        tell: [...draftNews(newDrafts), ...newNotices.map(noticeNews)],
        withdraw: gone.filter((key) => !open.includes(key)),
      };
    },
  };
}

function highest(rows: readonly { id: number }[]): number {
  return Math.max(0, ...rows.map(({ id }) => id));
}

function isDigest(kind: string): boolean {
  return kind === 'digest';
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
  const title = isDigest(notice.kind) ? 'Welcome back' : 'Lull';
  return { key: noticeKey(notice), title, body: oneLine(notice.text, 400) };
}

/** Where a piece of news leads. Null: not one of ours. */
export function newsAddress(key: string): string | null {
  if (key === TOGETHER) return DRAFTS;
  if (key === ICON || key === REFUSAL) return NOW;
  const [, notice, draft] = key.match(/^(?:(notice-\d+)|(?:notice-\d+-)?draft-(\d+))$/) ?? [];
  if (draft !== undefined) return draftAddress(Number(draft));
  return notice === undefined ? null : NOW;
}

function draftKey({ id }: { id: number }): string {
  return `draft-${id}`;
}

/** With the draft that it is about, so that the key alone leads there. */
function noticeKey({ id, draft }: { id: number; draft: number | null }): string {
  return draft === null ? `notice-${id}` : `notice-${id}-draft-${draft}`;
}
