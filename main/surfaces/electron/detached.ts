import type { BrowserWindow } from 'electron';
import { NOW } from '../addresses.ts';
import { pageWindow, showPlace } from './page.ts';

export interface DetachedWindow {
  /** Opens the panel as an ordinary window, or brings it to the front. */
  open(): void;
  destroy(): void;
}

/** The panel with room: an ordinary window that stays until it is closed. */
export function detachedWindow(preload: string, packaged: boolean): DetachedWindow {
  let window: BrowserWindow | null = null;
  return {
    open() {
      if (!window) {
        const made = pageWindow(preload, packaged, {
          width: 760,
          height: 800,
          minWidth: 340,
          minHeight: 400,
          autoHideMenuBar: true,
        });
        made.on('closed', () => {
          window = null;
        });
        made.webContents.on('render-process-gone', () => made.destroy());
        showPlace(made, NOW);
        window = made;
      }
      window.show();
      window.focus();
    },
    destroy: () => window?.destroy(),
  };
}
