import { Menu, type MenuItemConstructorOptions, nativeTheme, screen, Tray } from 'electron';
import type { MenuAction, MenuItem } from './menu-model.ts';
import { type Box, hiddenBy } from './panel-place.ts';
import { trayImage } from './tray-image.ts';
import type { TrayModel } from './tray-model.ts';

export interface TrayIconParts {
  platform: NodeJS.Platform;
  /** The folder of icons. */
  icons: string;
  /** Pressed; the icon's place, or null where the desktop does not tell it. */
  onPress(icon: Box | null): void;
  onChoice(action: MenuAction): void;
  /** The menu as it is at this moment. */
  menu(): MenuItem[];
}

export interface TrayIcon {
  /** Shows what changed; what is the same is left alone. */
  show(model: TrayModel): void;
  /** Where the icon is; null where it is hidden or the desktop does not tell. */
  place(): Box | null;
  /** macOS only: the system was told not to show the icon, or has no room for it; null: it is shown. */
  hiddenBy(): 'setting' | 'housing' | null;
  /** Makes the icon anew as it is, in the place that the desktop has for it now. */
  renew(): void;
  destroy(): void;
}

/**
 * The icon in the menu bar. On macOS a press opens the panel and a secondary press the menu, made at
 * that moment. Linux shows a menu only if it is attached beforehand, so it is replaced when it changes.
 */
export function trayIcon(parts: TrayIconParts, first: TrayModel): TrayIcon {
  const mac = parts.platform === 'darwin';
  let shown = { image: imageOf(first), ...first, menu: '' };
  let tray = make();
  if (!mac) attachMenu();
  nativeTheme.on('updated', redraw);
  screen.on('display-metrics-changed', redraw);

  function make(): Tray {
    const made = new Tray(shown.image);
    made.setToolTip(shown.tooltip);
    made.on('click', (_event, bounds) => parts.onPress(mac ? visible(bounds) : null));
    if (mac) {
      made.setIgnoreDoubleClickEvents(true); // else a fast second press is swallowed
      made.on('right-click', () => made.popUpContextMenu(menuOf(parts.menu(), parts.onChoice)));
    }
    return made;
  }

  function imageOf({ state }: TrayModel): string {
    const { bounds, workArea } = screen.getPrimaryDisplay();
    return trayImage(parts.icons, state, {
      platform: parts.platform,
      barHeight: workArea.y - bounds.y,
      dark: nativeTheme.shouldUseDarkColors,
    });
  }

  function redraw(): void {
    show(shown);
  }

  function show(model: TrayModel): void {
    const image = imageOf(model);
    if (image !== shown.image) tray.setImage(image);
    if (model.tooltip !== shown.tooltip) tray.setToolTip(model.tooltip);
    if (mac && model.count !== shown.count) {
      tray.setTitle(model.count, { fontType: 'monospacedDigit' });
    }
    shown = { ...shown, ...model, image };
    if (!mac) attachMenu();
  }

  function attachMenu(): void {
    const items = parts.menu();
    const menu = JSON.stringify(items);
    if (menu === shown.menu) return; // replacing an open menu would close it
    shown.menu = menu;
    tray.setContextMenu(menuOf(items, parts.onChoice));
  }

  function place(): Box | null {
    return mac && !tray.isDestroyed() ? visible(tray.getBounds()) : null;
  }

  function visible(bounds: Box): Box | null {
    return hiddenBy(bounds, screen.getAllDisplays()) === null ? bounds : null;
  }

  return {
    show,
    place,
    hiddenBy: () =>
      mac && !tray.isDestroyed() ? hiddenBy(tray.getBounds(), screen.getAllDisplays()) : null,
    renew() {
      if (tray.isDestroyed()) return;
      tray.destroy();
      tray = make();
      shown.menu = '';
      if (!mac) attachMenu();
    },
    destroy() {
      nativeTheme.off('updated', redraw);
      screen.off('display-metrics-changed', redraw);
      tray.destroy();
    },
  };
}

/** Binds a menu's model to Electron. An ampersand would mark a key, so it is doubled. */
function menuOf(items: readonly MenuItem[], onChoice: (action: MenuAction) => void): Menu {
  return Menu.buildFromTemplate(items.map(template));

  function template(item: MenuItem): MenuItemConstructorOptions {
    if (item.kind === 'line') return { type: 'separator' };
    const label = item.label.replaceAll('&', '&&');
    if (item.kind === 'menu') return { label, submenu: item.items.map(template) };
    return { label, click: () => onChoice(item.action) };
  }
}
