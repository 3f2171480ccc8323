export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

export type Box = Point & Size;

/** One screen: all of it, and the part that menu bar and Dock leave. Device-independent pixels. */
export interface Screen {
  bounds: Box;
  workArea: Box;
  /** The one that is built in. */
  internal?: boolean;
}

/** Kept free between the panel and the edges of the screen. */
const MARGIN = 8;

/**
 * Where the panel opens: under its icon, or over it where the bar is at the bottom; without an icon
 * that can be located, where the pointer is. Always whole on `screen`, shrunk if the screen is small.
 */
export function placePanel(anchor: Box | null, pointer: Point, screen: Screen, size: Size): Box {
  const { workArea, bounds } = screen;
  const width = Math.min(size.width, workArea.width - 2 * MARGIN);
  const height = Math.min(size.height, workArea.height - MARGIN);
  const at = anchor ?? { ...pointer, width: 0, height: 0 };
  const middle = at.x + at.width / 2;
  const atTop = at.y + at.height / 2 < bounds.y + bounds.height / 2;
  const y = atTop ? at.y + at.height : at.y - height;
  return {
    x: Math.round(
      clamp(middle - width / 2, workArea.x + MARGIN, workArea.x + workArea.width - width - MARGIN),
    ),
    y: Math.round(clamp(y, workArea.y, workArea.y + workArea.height - height)),
    width,
    height,
  };
}

/** A menu bar beside a camera housing is as tall as the housing: 32 and more, others are 24 or 25. */
const HOUSING_HEIGHT = 30;
/** Half of what the housing surely takes of the screen's width; it is near an eighth of it. */
const HOUSING_HALF = 0.05;

/**
 * Why an icon with this place is not to be seen; null where it is. macOS puts an icon that its menu-bar
 * settings hide below the screen, or gives it no size (seen on macOS 26). Where the bar is too full, an
 * icon has an ordinary place, but under the camera housing of the built-in screen.
 */
export function hiddenBy(icon: Box, screens: readonly Screen[]): 'setting' | 'housing' | null {
  if (icon.width <= 0 || icon.height <= 0) return 'setting';
  const middle = icon.x + icon.width / 2;
  const on = screens.find(
    ({ bounds }) => icon.y === bounds.y && middle >= bounds.x && middle < bounds.x + bounds.width,
  );
  if (!on) return 'setting';
  const { bounds, workArea, internal } = on;
  if (!internal || workArea.y - bounds.y < HOUSING_HEIGHT) return null;
  const fromMiddle = Math.abs(middle - (bounds.x + bounds.width / 2));
  return fromMiddle < bounds.width * HOUSING_HALF ? 'housing' : null;
}

/** The top right corner of a screen, where icons of the menu bar are. */
export function barCorner({ bounds, workArea }: Screen): Box {
  return { x: bounds.x + bounds.width, y: workArea.y, width: 0, height: 0 };
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
