import { app, dialog } from 'electron';
import type { Clock } from '../../base/clock.ts';
import { nextMorning } from '../../base/next-morning.ts';
import type { RunNowView } from '../contract.ts';
import type { Reply } from '../dispatch.ts';
import { refusalNews } from '../news.ts';
import type { DetachedWindow } from './detached.ts';
import type { Host } from './host-port.ts';
import type { MenuAction } from './menu-model.ts';
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
      await ask('pause', { scope: action.scope, ...span(action.lasts, doings.clock.now()) });
      return;
    case 'resume':
      await ask('resume', { scope: action.scope });
      return;
    case 'run-now':
      return runNow(action.job, action.title);
  }

  /** Null: it was refused, and that was told. */
  async function ask(command: string, input: object): Promise<unknown> {
    let reply: Reply;
    try {
      reply = await (await doings.opening).dispatch(command, input);
    } catch {
      return null; // The host could not be opened; that was said in its own place.
    }
    if (reply.ok) return reply.value;
    doings.notices.tell([refusalNews(reply)]);
    return null;
  }

  /** Says what would be waived, and waives it only at the owner's word. */
  async function runNow(job: number, title: string): Promise<void> {
    const asks = (await ask('jobs.runNow', { id: job })) as RunNowView | null;
    if (!asks) return;
    const { waits, waives, text } = asks;
    app.focus({ steal: true }); // else the question may open behind other windows
    const { response, checkboxChecked } = await dialog.showMessageBox({
      message: `Run "${title}" now?`,
      detail: [text, ...[...waives, ...waits].map(({ reason }) => `• ${reason}`)].join('\n'),
      buttons: ['Run now', 'Cancel'],
      defaultId: 0,
      cancelId: 1,
      ...(waits.some(({ onBattery }) => onBattery) && { checkboxLabel: 'Also on battery' }),
    });
    if (response !== 0) return;
    await ask('jobs.runNow', { id: job, confirm: true, onBattery: checkboxChecked });
  }
}

type Lasts = Extract<MenuAction, { do: 'pause' }>['lasts'];

function span(lasts: Lasts, now: number): { forSeconds?: number; until?: number } {
  if (lasts === 'till-resumed') return {};
  return lasts === 'till-morning' ? { until: nextMorning(now).at } : { forSeconds: lasts };
}
