import { join } from 'node:path';
import type { TrayState } from './tray-model.ts';

export interface TrayLook {
  platform: NodeJS.Platform;
  /** Height of the menu bar in points; only macOS tells it. */
  barHeight: number;
  /** The desktop is dark, and so, most likely, is its panel. */
  dark: boolean;
}

/** Bars of screens with a camera housing are taller than this, and their icons a little larger. */
const TALL_BAR = 30;

/**
 * The file of the icon for a state, below the folder of icons. macOS gets a template, which it colours
 * itself (the ending of the name says so, and its @2x sibling is found by name). Other desktops show a
 * picture as it is: coloured, or light for a dark desktop.
 */
export function trayImage(icons: string, state: TrayState, look: TrayLook): string {
  if (look.platform !== 'darwin') {
    return join(icons, `tray-${state}-${look.dark ? 'light' : 'colour'}.png`);
  }
  return join(icons, `tray-${state}-${look.barHeight > TALL_BAR ? 18 : 16}Template.png`);
}
