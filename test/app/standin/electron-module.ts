import { type Application, application } from './application.ts';
import { protocol } from './browser.ts';
import { ipcMain } from './ipc.ts';
import type { Launch } from './launch.ts';
import { Menu } from './menus.ts';
import { Notification } from './notifications.ts';
import { safeStorage } from './safe-storage.ts';
import { prevented, StandinEvent } from './state.ts';
import { dialog, nativeTheme, powerMonitor, screen, session } from './system.ts';
import { Tray } from './tray.ts';
import { utilityProcess } from './utility.ts';
import { BrowserWindow, setWindowWorld, windows } from './windows.ts';

/** Puts the `electron` module together: only what the app uses, which test/app/fit.test.ts checks. */
export function electronModule(launch: Launch) {
  let leaving = false;
  const app: Application = application(launch, {
    closeAll() {
      leaving = true;
      for (const window of windows) {
        window.close();
        if (!window.isDestroyed()) {
          leaving = false;
          return false;
        }
      }
      return true;
    },
  });
  setWindowWorld({
    onCreated: (contents) => app.emit('web-contents-created', new StandinEvent(), contents),
    onAllClosed() {
      if (leaving) return;
      if (app.listenerCount('window-all-closed') > 0) prevented(app, 'window-all-closed');
      else app.quit();
    },
  });
  return {
    ...{ app, BrowserWindow, dialog, ipcMain, Menu, nativeTheme, Notification, powerMonitor },
    ...{ protocol, safeStorage, screen, session, Tray, utilityProcess },
  };
}

export type ElectronModule = ReturnType<typeof electronModule>;

/** How the facades, which the app imports in place of Electron, find the module. */
export const MODULE = Symbol.for('electron.standin');
