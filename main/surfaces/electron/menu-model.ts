import { HEAVY_TIERS } from '../../base/config-schema.ts';
import { money } from '../../base/money.ts';
import { nextMorning } from '../../base/next-morning.ts';
import { oneLine } from '../../desk/view-model/text.ts';
import { momentInWords } from '../../engine/gates/words.ts';
import { DRAFTS, draftAddress, NOW, SETTINGS } from '../addresses.ts';
import type { PanelView } from '../contract.ts';

type Scope = 'all' | 'heavy';

/** What choosing an item does. A pause lasts so many seconds, or to a time known when it is chosen. */
export type MenuAction =
  /** Opens the panel at a place (addresses.ts). */
  | { do: 'open'; at: string }
  /** Opens the panel as a window of its own. */
  | { do: 'window' }
  | { do: 'pause'; scope: Scope; lasts: number | 'till-morning' | 'till-resumed' }
  | { do: 'resume'; scope: Scope }
  /** Asks first: it says what is waived. */
  | { do: 'run-now'; job: number; title: string }
  | { do: 'quit' };

export type MenuItem =
  | { kind: 'line' }
  | { kind: 'choice'; label: string; action: MenuAction }
  | { kind: 'menu'; label: string; items: MenuItem[] };

export type MenuInput = Pick<PanelView, 'status' | 'detail' | 'drafts' | 'waiting'>;

const MOST_DRAFTS = 5;
const MOST_JOBS = 8;
const LABEL_LENGTH = 60;
const LINE: MenuItem = { kind: 'line' };

/**
 * The menu of the tray icon. Pure: the same view at the same moment gives the same menu. Null: the
 * host has not said anything yet. `now` is epoch ms.
 */
export function menuModel(view: MenuInput | null, now: number): MenuItem[] {
  const opening = [
    choice('Open Lull', { do: 'open', at: NOW }),
    choice('Open in a window', { do: 'window' }),
  ];
  const closing = [
    choice('Settings…', { do: 'open', at: SETTINGS }),
    choice('Quit Lull', { do: 'quit' }),
  ];
  if (view === null) return [...opening, LINE, ...closing];
  return [
    ...[view.status.line, view.detail]
      .filter(Boolean)
      .map((line) => choice(line, { do: 'open', at: NOW })),
    LINE,
    ...opening,
    LINE,
    ...drafts(view),
    ...runNow(view),
    ...pauses(view, now),
    LINE,
    ...closing,
  ];
}

function drafts({ status, drafts }: MenuInput): MenuItem[] {
  if (drafts.length === 0) return [];
  const newest = drafts.slice(0, MOST_DRAFTS).map(({ id, title, totalCents, currency }) => {
    const amount = totalCents === null ? '' : `, ${money(totalCents, currency ?? '')}`;
    return choice(`${title}${amount}`, { do: 'open', at: draftAddress(id) });
  });
  const all = `All drafts (${status.drafts.pending})…`;
  return [...newest, choice(all, { do: 'open', at: DRAFTS }), LINE];
}

function runNow({ waiting }: MenuInput): MenuItem[] {
  const heavy = waiting.filter(({ tier }) => HEAVY_TIERS.has(tier)).slice(0, MOST_JOBS);
  if (heavy.length === 0) return [];
  const items = heavy.map(({ id, title }) =>
    choice(`${title}…`, { do: 'run-now', job: id, title }),
  );
  return [{ kind: 'menu', label: 'Run now', items }, LINE];
}

function pauses({ status }: MenuInput, now: number): MenuItem[] {
  return [...pauseOf('all', status.paused.all, now), ...pauseOf('heavy', status.paused.heavy, now)];
}

const NAME = { all: 'everything', heavy: 'heavy work' } as const;

function pauseOf(scope: Scope, paused: { until: number | null } | null, now: number): MenuItem[] {
  const menu: MenuItem = {
    kind: 'menu',
    label: paused ? `Change the pause of ${NAME[scope]}` : `Pause ${NAME[scope]}`,
    items: durations(scope, now),
  };
  if (!paused) return [menu];
  const until = paused.until === null ? '' : ` (paused until ${momentInWords(paused.until, now)})`;
  return [choice(`Resume ${NAME[scope]}${until}`, { do: 'resume', scope }), menu];
}

function durations(scope: Scope, now: number): MenuItem[] {
  return [
    choice('30 minutes', { do: 'pause', scope, lasts: 1800 }),
    choice('1 hour', { do: 'pause', scope, lasts: 3600 }),
    choice('2 hours', { do: 'pause', scope, lasts: 7200 }),
    choice(nextMorning(now).label, { do: 'pause', scope, lasts: 'till-morning' }),
    choice('Until resumed', { do: 'pause', scope, lasts: 'till-resumed' }),
  ];
}

function choice(label: string, action: MenuAction): MenuItem {
  return { kind: 'choice', label: oneLine(label, LABEL_LENGTH), action };
}
