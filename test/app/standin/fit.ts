import type { EventEmitter } from 'node:events';
import type { ElectronModule } from './electron-module.ts';

/**
 * Checked by the compiler alone: what the stand-in offers is called and typed as in electron.d.ts. A
 * member that Electron types otherwise, or that it does not have, must be listed here, or this file
 * does not compile.
 */
type Own<T> = Exclude<keyof T, keyof EventEmitter>;
type Instance<C> = C extends abstract new (...args: never[]) => infer I ? I : never;

/** Members of ours that Electron types in another way. */
type Misfit<Mine, Theirs> = {
  [K in Own<Mine> & keyof Theirs]: Mine[K] extends Theirs[K] ? never : K;
}[Own<Mine> & keyof Theirs];
/** Members of ours that Electron does not know: what a test reads and sets. */
type Extra<Mine, Theirs> = Exclude<Own<Mine>, keyof Theirs>;
/** `true` where the two are the same; otherwise nothing fits. */
type Exactly<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;

type Shown<N extends keyof ElectronModule> = Instance<ElectronModule[N]>;

interface Fit {
  app: Exactly<Misfit<ElectronModule['app'], Electron.App>, never>;
  appExtra: Exactly<Extra<ElectronModule['app'], Electron.App>, never>;
  tray: Exactly<Misfit<Shown<'Tray'>, Electron.Tray>, 'setContextMenu' | 'popUpContextMenu'>;
  trayExtra: Exactly<
    Extra<Shown<'Tray'>, Electron.Tray>,
    'icon' | 'title' | 'toolTip' | 'menu' | 'bounds' | 'made'
  >;
  notification: Exactly<Misfit<Shown<'Notification'>, Electron.Notification>, never>;
  notificationExtra: Exactly<
    Extra<Shown<'Notification'>, Electron.Notification>,
    'options' | 'live' | 'leave'
  >;
  window: Exactly<Misfit<Shown<'BrowserWindow'>, Electron.BrowserWindow>, 'webContents'>;
  windowExtra: Exactly<
    Extra<Shown<'BrowserWindow'>, Electron.BrowserWindow>,
    'options' | 'live' | 'page' | 'urls' | 'set' | 'loading' | 'sync' | 'tell' | 'frame' | 'hear'
  >;
  contents: Exactly<Misfit<Shown<'BrowserWindow'>['webContents'], Electron.WebContents>, never>;
  contentsExtra: Exactly<
    Extra<Shown<'BrowserWindow'>['webContents'], Electron.WebContents>,
    'window' | 'openHandler'
  >;
  menu: Exactly<Misfit<Shown<'Menu'>, Electron.Menu>, 'items'>;
  menuExtra: Exactly<Extra<Shown<'Menu'>, Electron.Menu>, 'shown' | 'close' | 'choose'>;
  ipc: Exactly<Misfit<ElectronModule['ipcMain'], Electron.IpcMain>, never>;
  screen: Exactly<
    Misfit<ElectronModule['screen'], Electron.Screen>,
    'getAllDisplays' | 'getPrimaryDisplay' | 'getDisplayNearestPoint'
  >;
  theme: Exactly<Misfit<ElectronModule['nativeTheme'], Electron.NativeTheme>, never>;
  session: Exactly<Misfit<ElectronModule['session']['defaultSession'], Electron.Session>, never>;
  protocol: Exactly<Misfit<ElectronModule['protocol'], Electron.Protocol>, never>;
  dialog: Exactly<Misfit<ElectronModule['dialog'], Electron.Dialog>, 'showMessageBox'>;
  utility: Exactly<Misfit<ElectronModule['utilityProcess'], typeof Electron.UtilityProcess>, never>;
  safeStorage: Exactly<Misfit<ElectronModule['safeStorage'], Electron.SafeStorage>, never>;
  names: Exactly<Exclude<keyof ElectronModule, keyof typeof Electron.CrossProcessExports>, never>;
}

/** Names the first that does not fit. */
type Wrong = { [K in keyof Fit]: [Fit[K]] extends [never] ? K : never }[keyof Fit];
export const wrong: [Wrong] extends [never] ? 'nothing' : Wrong = 'nothing';
