import { join } from 'node:path';
import { app, Menu, protocol, session } from 'electron';
import type { Clock } from '../../base/clock.ts';
import { toFailure } from '../../base/errors.ts';
import type { Home } from '../../base/home.ts';
import { NOW } from '../addresses.ts';
import type { PanelView } from '../contract.ts';
import { newsReader } from '../news.ts';
import { mirrorView, type ViewMirror } from '../view-mirror.ts';
import { serveIpc } from './carrier.ts';
import { detachedWindow } from './detached.ts';
import type { Host, OpenHost } from './host-port.ts';
import { iconSight } from './icon-sight.ts';
import { drainBeforeQuit } from './leaving.ts';
import { loginItem } from './login.ts';
import { carryOut } from './menu-actions.ts';
import { menuModel } from './menu-model.ts';
import { notifications } from './notifications.ts';
import { ownWords } from './own-words.ts';
import { PANEL_SCHEME, panelFiles } from './panel-files.ts';
import { desktopPlatform } from './platform.ts';
import { popover } from './popover.ts';
import { guardPages } from './security.ts';
import { followSystem } from './system-events.ts';
import { trayIcon } from './tray.ts';
import { trayModel } from './tray-model.ts';
import { cannotStart } from './trouble.ts';

export interface DesktopParts {
  home: Home;
  clock: Clock;
  openHost: OpenHost;
  /** Linux: whether the desktop shows icons of apps; null where that is not known. */
  trayHost: () => Promise<boolean | null>;
}

/** What quitting may take beyond the grace that running work has. */
const LANDING_MS = 5_000;

/** What running work has where the system goes down, which waits for nobody long. */
const SHUTDOWN_GRACE_MS = 1_500;

/**
 * Builds the desktop around the host: the icon first, then the host, whose view the icon, the menu
 * and the notices follow. Called when the app is ready; `place` is what the panel opens with, if it
 * does: at the first start, and where a notification led here.
 */
export async function runDesktop(
  { home, clock, openHost, trayHost }: DesktopParts,
  place: string | null,
): Promise<void> {
  const platform = desktopPlatform();
  const mac = platform === 'darwin';
  const root = app.getAppPath();
  const preload = join(root, 'dist', 'preload.cjs');
  let host: Host | null = null;
  let mirror: ViewMirror | null = null;

  guardPages();
  protocol.handle(PANEL_SCHEME, panelFiles(join(root, 'dist', 'renderer')));
  Menu.setApplicationMenu(mac ? Menu.buildFromTemplate(APPLICATION_MENU) : null);

  const opening = openHost(home, () => panel.open(NOW));
  const panel = popover({
    clock,
    platform,
    preload,
    packaged: app.isPackaged,
    icon: () => tray.place(),
  });
  const detached = detachedWindow(preload, app.isPackaged);
  const notices = notifications(platform, panel.open, (reason) =>
    host?.log.warn({ reason }, 'a notification was refused'),
  );
  const tray = trayIcon(
    {
      platform,
      icons: join(root, 'resources', 'icons'),
      onPress: panel.toggle,
      onChoice: (action) => void carryOut(action, { clock, opening, panel, detached, notices }),
      // An attached menu must not change by the minute: it would close under the pointer.
      menu: () => menuModel(mac ? view() : withoutDetail(view()), clock.now()),
    },
    trayModel(null),
  );
  const sight = iconSight({ platform, clock, tray, trayHost });
  const news = newsReader();
  const carrier = serveIpc(
    opening,
    ownWords({
      ...{ hide: panel.hide, hold: panel.hold, login: loginItem(platform) },
      async icon() {
        const news = await sight.hidden();
        return { hidden: news && `${news.title}. ${news.body}` };
      },
    }),
  );

  session.defaultSession.on('will-download', (_event, item) => {
    panel.hold(true); // the dialog that asks where to takes the focus away
    item.once('done', () => panel.hold(false));
  });

  function view(): PanelView | null {
    return mirror?.view() ?? null;
  }

  function onView(next: PanelView): void {
    tray.show(trayModel(next));
    const { tell, withdraw } = news.read(next);
    if (!panel.isVisible()) notices.tell(tell);
    notices.withdraw(withdraw);
  }

  const leaving = drainBeforeQuit(
    clock,
    async () => {
      endEvents();
      mirror?.close();
      panel.hide();
      tray.show({ ...trayModel(view()), tooltip: 'Lull is stopping' });
      await (await opening).stop();
      carrier.close();
      tray.destroy();
    },
    async () => {
      const reply = await (await opening).dispatch('config.get', { key: 'yield.graceSeconds' });
      return LANDING_MS + (reply.ok ? Number(reply.value) * 1000 : 0);
    },
  );
  const endEvents = followSystem({
    onHint: () => host?.wake(),
    onLeave: panel.hide,
    onShutdown() {
      leaving.shutdown();
      host?.hurry(SHUTDOWN_GRACE_MS);
    },
  });

  app.on('second-instance', reopen);
  app.on('activate', reopen); // opened again from Finder or Spotlight
  function reopen(): void {
    panel.open(NOW);
    void sight.hidden().then((news) => news && notices.tell([news]));
  }

  try {
    host = await opening;
    mirror = mirrorView(host, onView);
  } catch (error) {
    tray.destroy();
    return cannotStart(home, clock, toFailure(error));
  }
  if (place) panel.open(place);
  else panel.warm();
  sight.follow((news) => notices.tell([news]));
}

/** Without it, the shortcuts for copying and closing would do nothing on macOS. */
const APPLICATION_MENU: Electron.MenuItemConstructorOptions[] = [
  { role: 'appMenu' },
  { role: 'editMenu' },
  { role: 'windowMenu' },
];

function withoutDetail(view: PanelView | null): PanelView | null {
  return view && { ...view, detail: '' };
}
