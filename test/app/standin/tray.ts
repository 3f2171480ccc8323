import { EventEmitter } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Menu } from './menus.ts';
import { fail, MAC, onlyReady } from './state.ts';

export interface IconFile {
  path: string;
  size: number;
  /** Its sibling of double density, which Electron finds by name. */
  double: number | null;
  template: boolean;
}

export const trays = new Set<Tray>();
let made = 0;

export class Tray extends EventEmitter {
  /** How many icons have been made, with this one. */
  readonly made = ++made;
  icon: IconFile;
  title = '';
  toolTip = '';
  menu: Menu | null = null;
  /** Where the menu bar shows it; a test may move or hide it. */
  bounds: Electron.Rectangle = { x: 1200, y: 0, width: 24, height: 24 };

  // macOS only, see macMethods.
  declare setTitle: Electron.Tray['setTitle'];
  declare getBounds: Electron.Tray['getBounds'];
  declare setIgnoreDoubleClickEvents: Electron.Tray['setIgnoreDoubleClickEvents'];
  declare popUpContextMenu: (menu?: Menu) => void;

  constructor(image: string) {
    super();
    onlyReady('Tray');
    this.icon = readIcon(image);
    trays.add(this);
    if (MAC) Object.assign(this, macMethods(this));
  }

  setImage(image: string): void {
    this.icon = readIcon(image);
  }

  setToolTip(text: string): void {
    this.toolTip = text;
  }

  setContextMenu(menu: Menu | null): void {
    this.menu = menu;
  }

  destroy(): void {
    trays.delete(this);
  }

  isDestroyed(): boolean {
    return !trays.has(this);
  }
}

/** Other platforms have no such methods at all: calling one is a TypeError, here as there. */
function macMethods(tray: Tray) {
  return {
    setTitle(title: string): void {
      tray.title = title;
    },
    getBounds: () => ({ ...tray.bounds }),
    popUpContextMenu: (menu?: Menu) => (menu ?? tray.menu)?.popup(),
    setIgnoreDoubleClickEvents: () => {},
  } satisfies Partial<Tray>;
}

function readIcon(path: string): IconFile {
  if (!existsSync(path)) fail(`there is no image ${path}`);
  const size = sizeOf(path);
  const sibling = path.replace(/\.png$/, '@2x.png');
  const double = existsSync(sibling) ? sizeOf(sibling) : null;
  if (double !== null && double !== 2 * size) fail(`${sibling} is not twice the size of ${path}`);
  return { path, size, double, template: /Template$/.test(basename(path, '.png')) };
}

function sizeOf(path: string): number {
  const bytes = readFileSync(path);
  if (bytes.readUInt32BE(0) !== 0x89504e47) fail(`${path} is no PNG`);
  return bytes.readUInt32BE(16);
}
