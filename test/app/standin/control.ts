import { createServer } from 'node:net';
import { hearBrowser, order, privilegedSchemes, setBrowser } from './browser.ts';
import type { ElectronModule } from './electron-module.ts';
import { openMenu, type ShownItem } from './menus.ts';
import { shownNotifications } from './notifications.ts';
import { eventWith, fail, isReady, log, MAC, prevented, StandinEvent } from './state.ts';
import {
  answerOpenDialog,
  defaultSession,
  permissionAnswers,
  powerMonitor,
  type StandinDisplay,
  setDark,
  setDisplays,
} from './system.ts';
import { trays } from './tray.ts';
import { pageKeeper, windows } from './windows.ts';
import { wire } from './wire.ts';

const first = <T>(set: Iterable<T>, what: string): T => [...set][0] ?? fail(`there is no ${what}`);
const tray = () => first(trays, 'tray icon');
const windowAt = (index = 0) => [...windows][index] ?? fail(`there is no window ${index}`);
const notification = (id: string) =>
  shownNotifications.findLast((one) => one.id === id) ?? fail(`there is no notification ${id}`);

/** What a test may look at and do: as a person at the screen, or as the system. */
export function controls({ app }: Pick<ElectronModule, 'app'>) {
  return {
    pid: () => process.pid,
    ready: () => isReady(),
    /** Process ids of the utility processes. */
    workers: () => app.getAppMetrics().map((one) => one.pid),
    log: () => log,
    tray: () => {
      const { icon, title, toolTip, menu, made } = tray();
      return { icon, title, toolTip, menu: menu?.shown() ?? null, made };
    },
    menu: (): ShownItem[] => (openMenu() ?? tray().menu ?? fail('no menu is open')).shown(),
    /** A press on the icon: on macOS either button, elsewhere only the first. */
    press: ({ button = 'click' }: { button?: 'click' | 'right-click' }) => {
      if (!MAC && button !== 'click') fail('only macOS tells of a secondary press');
      const { bounds } = tray();
      const told = MAC ? bounds : { x: 0, y: 0, width: 0, height: 0 };
      tray().emit(button, new StandinEvent(), told, { x: told.x, y: told.y });
    },
    /** Chooses in the open menu, or in the attached one. */
    choose: ({ path }: { path: string[] }) => {
      const menu = openMenu() ?? tray().menu ?? fail('no menu is open');
      menu.close();
      menu.choose(path);
    },
    moveTray: (bounds: Electron.Rectangle) => {
      tray().bounds = bounds;
    },
    displays: ({ displays }: { displays: StandinDisplay[] }) => setDisplays(displays),
    dark: ({ on }: { on: boolean }) => setDark(on),
    windows: () =>
      [...windows].map((one) => ({
        id: one.id,
        bounds: one.getBounds(),
        visible: one.isVisible(),
        focused: one.isFocused(),
        url: one.webContents.getURL(),
        options: { ...one.options, webPreferences: { ...one.options.webPreferences } },
        set: one.set,
      })),
    blur: ({ index }: { index?: number }) => windowAt(index).blur(),
    close: ({ index }: { index?: number }) => windowAt(index).close(),
    resize: ({ width, height }: { width: number; height: number }) =>
      windowAt().setBounds({ width, height }),
    crash: ({ index }: { index?: number }) =>
      void order('goto', { window: windowAt(index).id, url: 'chrome://crash' }).catch(() => {}),
    notifications: () => shownNotifications.map(({ id, live, options }) => ({ id, live, options })),
    /** A notification that is clicked leaves the screen. */
    clickNotification: ({ id }: { id: string }) => {
      notification(id).live = false;
      notification(id).emit('click', new StandinEvent());
    },
    closeNotification: ({ id }: { id: string }) => notification(id).leave('userCanceled'),
    failNotification: ({ id, reason }: { id: string; reason: string }) =>
      void notification(id).emit('failed', new StandinEvent(), reason),
    power: ({ event }: { event: string }) => {
      const given = eventWith({});
      powerMonitor.emit(event, given);
      return { prevented: given.defaultPrevented };
    },
    permission: ({ name, url }: { name: string; url: string }) =>
      permissionAnswers({ getURL: () => url }, name, url),
    sessionListeners: () => defaultSession.eventNames().map(String),
    schemes: () => privilegedSchemes(),
    answerDialog: (answer: { response: number; checked?: boolean }) => answerOpenDialog(answer),
    /** An event of a page that the app may prevent, such as will-attach-webview; whether it did. */
    contentsEvent: ({ event }: { event: string }) => prevented(windowAt().webContents, event),
    appEvent: ({ event }: { event: string }) => void app.emit(event, new StandinEvent()),
    /** An error in the main process that nobody catches. */
    fault: ({ message }: { message: string }) =>
      void setImmediate(() => {
        throw new Error(message);
      }),
    quit: () => void setImmediate(() => app.quit()),
  };
}

export type Controls = ReturnType<typeof controls>;

/** Serves the controls on a Unix socket; who connects there has the browser of the windows. */
export function serveControls(path: string, table: Controls): void {
  createServer((socket) => {
    const ask = wire(socket, (name, input) => {
      if (name === 'page') return hearBrowser(input, pageKeeper);
      const control = table[name as keyof Controls] ?? fail(`there is no control ${name}`);
      return control(input);
    });
    setBrowser(ask);
  }).listen(path);
}
