import { BrowserWindow, type BrowserWindowConstructorOptions } from 'electron';
import { panelUrl } from './panel-files.ts';

/** A window for the panel's page: no Node, isolated, and no tools for developers once packaged. */
export function pageWindow(
  preload: string,
  packaged: boolean,
  options: BrowserWindowConstructorOptions,
): BrowserWindow {
  return new BrowserWindow({
    title: 'Lull',
    ...options,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      spellcheck: false, // would fetch dictionaries
      devTools: !packaged,
    },
  });
}

/** Moves a window to a place of the panel; the page itself stays, if it is there already. */
export function showPlace(window: BrowserWindow, place: string): void {
  const url = panelUrl(place);
  if (window.webContents.getURL() === url) return;
  window.loadURL(url).catch(() => {}); // another place was asked for while it loaded
}
