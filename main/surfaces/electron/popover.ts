import { app, type BrowserWindow, screen } from 'electron';
import type { Clock } from '../../base/clock.ts';
import { NOW } from '../addresses.ts';
import { pageWindow, showPlace } from './page.ts';
import { type Box, barCorner, placePanel } from './panel-place.ts';

export interface PopoverParts {
  clock: Clock;
  platform: NodeJS.Platform;
  preload: string;
  packaged: boolean;
  /** Where the icon is; null where it is hidden or the desktop does not tell. */
  icon(): Box | null;
}

export interface Popover {
  /** Loads the page beforehand, so that the first opening is as quick as the others. */
  warm(): void;
  /** Opens it, or hides it if it is open; `icon` is the place that was pressed. */
  toggle(icon: Box | null): void;
  /** Opens it at a place of the panel (addresses.ts). */
  open(place: string): void;
  hide(): void;
  isVisible(): boolean;
  /** While held, it stays open though it loses the focus: a file chooser is in front of it. */
  hold(on: boolean): void;
  destroy(): void;
}

const SIZE = { width: 400, height: 600 };
const SMALLEST = { minWidth: 340, minHeight: 400 };
/** A press on the icon first takes the focus away, which hides the panel: that press means "close". */
const SAME_PRESS_MS = 250;

/** The panel under the icon: without a frame, over everything, gone as soon as it loses the focus. */
export function popover(parts: PopoverParts): Popover {
  const { clock } = parts;
  let window: BrowserWindow | null = null;
  let size = SIZE;
  let placed: Box | null = null;
  let blurredAt = Number.NEGATIVE_INFINITY;
  let held = false;

  /** The window, made at `place` if there is none. */
  function windowAt(place: string): BrowserWindow {
    window ??= create(place);
    return window;
  }

  function create(place: string): BrowserWindow {
    const mac = parts.platform === 'darwin';
    const made = pageWindow(parts.preload, parts.packaged, {
      ...SIZE,
      ...SMALLEST,
      show: false,
      frame: false,
      minimizable: false,
      maximizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      ...(mac ? { type: 'panel', hiddenInMissionControl: true } : {}),
    });
    made.setAlwaysOnTop(true, 'pop-up-menu');
    // Without skipTransformProcessType the Dock icon of an agent app would flicker.
    if (mac) made.setVisibleOnAllWorkspaces(true, { skipTransformProcessType: true });
    made.on('blur', () => {
      if (held || !made.isVisible()) return;
      blurredAt = clock.monotonic();
      hide();
    });
    // The page closes itself by Escape: it is hidden, for the next opening.
    made.on('close', (event) => {
      if (!quitting) event.preventDefault();
      hide();
    });
    made.webContents.on('render-process-gone', () => made.destroy()); // the next opening makes a new one
    made.on('closed', () => {
      if (window === made) window = null;
    });
    showPlace(made, place);
    return made;
  }

  let quitting = false;
  const leave = () => {
    quitting = true;
  };
  app.on('before-quit', leave);
  app.on('did-resign-active', hide); // blur does not always come when another icon is pressed
  screen.on('display-removed', hide);
  screen.on('display-metrics-changed', hide);

  function hide(): void {
    if (window?.isVisible()) window.hide();
  }

  function showAt(icon: Box | null, shown: BrowserWindow): void {
    const { width, height } = shown.getBounds();
    if (placed && (placed.width !== width || placed.height !== height)) size = { width, height };
    placed = placeFor(icon);
    shown.setBounds(placed);
    shown.show();
    shown.focus();
  }

  function placeFor(icon: Box | null): Box {
    const pointer = screen.getCursorScreenPoint();
    const on = screen.getDisplayNearestPoint(icon ?? pointer);
    const anchor = icon ?? (parts.platform === 'darwin' ? barCorner(on) : null);
    return placePanel(anchor, pointer, on, size);
  }

  return {
    warm: () => void windowAt(NOW),
    toggle(icon) {
      if (window?.isVisible()) return hide();
      if (clock.monotonic() - blurredAt < SAME_PRESS_MS) return;
      showAt(icon, windowAt(NOW));
    },
    open(place) {
      const shown = windowAt(place);
      showPlace(shown, place);
      showAt(parts.icon(), shown);
    },
    hide,
    isVisible: () => window?.isVisible() ?? false,
    hold(on) {
      held = on;
    },
    destroy() {
      app.off('before-quit', leave);
      app.off('did-resign-active', hide);
      screen.off('display-removed', hide);
      screen.off('display-metrics-changed', hide);
      window?.destroy();
    },
  };
}
