import { app } from 'electron';
import type { Clock } from '../../base/clock.ts';
import type { DetachedWindow } from './detached.ts';
import type { Host } from './host-port.ts';
import type { MenuAction } from './menu-model.ts';
import { refusalNews } from './news.ts';
import { nextMorning } from './next-morning.ts';
import type { Notifications } from './notifications.ts';
import type { Popover } from './popover.ts';

export interface MenuDoings {
  clock: Pick<Clock, 'now'>;
  opening: Promise<Host>;
  panel: Pick<Popover, 'open'>;
  detached: DetachedWindow;
  notices: Notifications;
}

/** Does what was chosen in the menu. A refusal of the host is told; never rejects. */
export async function carryOut(action: MenuAction, doings: MenuDoings): Promise<void> {
  switch (action.do) {
    case 'open':
      return doings.panel.open(action.at);
    case 'window':
      return doings.detached.open();
    case 'quit':
      return app.quit();
    case 'pause':
      return ask('pause', { scope: action.scope, ...span(action.lasts, doings.clock.now()) });
    case 'resume':
      return ask('resume', { scope: action.scope });
  }

  async function ask(command: string, input: object): Promise<void> {
    try {
      const reply = await (await doings.opening).dispatch(command, input);
      if (!reply.ok) doings.notices.tell([refusalNews(reply)]);
    } catch {
      // The host could not be opened; that was said in its own place.
    }
  }
}

type Lasts = Extract<MenuAction, { do: 'pause' }>['lasts'];

function span(lasts: Lasts, now: number): { forSeconds?: number; until?: number } {
  if (lasts === 'till-resumed') return {};
  return lasts === 'till-morning' ? { until: nextMorning(now).at } : { forSeconds: lasts };
}
