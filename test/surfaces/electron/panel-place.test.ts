import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  barCorner,
  hiddenBy,
  placePanel,
  type Screen,
} from '../../../main/surfaces/electron/panel-place.ts';

const SIZE = { width: 400, height: 600 };
const MAC: Screen = {
  bounds: { x: 0, y: 0, width: 1440, height: 900 },
  workArea: { x: 0, y: 25, width: 1440, height: 875 },
};
/** To the left of the first one, and higher up. */
const SECOND: Screen = {
  bounds: { x: -1920, y: -200, width: 1920, height: 1080 },
  workArea: { x: -1920, y: -175, width: 1920, height: 1055 },
};
const KDE: Screen = {
  bounds: { x: 0, y: 0, width: 1920, height: 1080 },
  workArea: { x: 0, y: 0, width: 1920, height: 1036 },
};
const icon = (x: number, y: number) => ({ x, y, width: 24, height: 24 });
const POINTER = { x: 5, y: 5 };

describe('the place of the panel', () => {
  it('D1 is under the icon, centred', () => {
    expect(placePanel(icon(700, 0), POINTER, MAC, SIZE)).toEqual({ ...SIZE, x: 512, y: 25 });
  });

  it('D1 keeps a margin at the edge of the screen', () => {
    expect(placePanel(icon(1410, 0), POINTER, MAC, SIZE)).toMatchObject({ x: 1032, y: 25 });
    expect(placePanel(icon(2, 0), POINTER, MAC, SIZE)).toMatchObject({ x: 8, y: 25 });
  });

  it('D1 is on the screen of the icon that was pressed', () => {
    expect(placePanel(icon(-300, -200), POINTER, SECOND, SIZE)).toMatchObject({ x: -488, y: -175 });
  });

  it('D1 is over an icon in a bar at the bottom', () => {
    expect(placePanel(icon(1800, 1050), POINTER, KDE, SIZE)).toMatchObject({ x: 1512, y: 436 });
  });

  it('D1 is at the pointer where no icon can be located', () => {
    expect(placePanel(null, { x: 1700, y: 1060 }, KDE, SIZE)).toMatchObject({ x: 1500, y: 436 });
    expect(placePanel(barCorner(MAC), POINTER, MAC, SIZE)).toMatchObject({ x: 1032, y: 25 });
  });

  it('D1 is always whole on the screen, however small that is', () => {
    const side = fc.integer({ min: 320, max: 4000 });
    const place = fc.integer({ min: -5000, max: 5000 });
    fc.assert(
      fc.property(side, side, place, place, place, place, (width, height, x, y, left, top) => {
        const screen = {
          bounds: { x: left, y: top, width, height },
          workArea: { x: left, y: top + 25, width, height: height - 25 },
        };
        const box = placePanel(icon(x, y), POINTER, screen, SIZE);
        expect(box.x).toBeGreaterThanOrEqual(left);
        expect(box.y).toBeGreaterThanOrEqual(top + 25);
        expect(box.x + box.width).toBeLessThanOrEqual(left + width);
        expect(box.y + box.height).toBeLessThanOrEqual(top + height);
      }),
    );
  });
});

describe('a hidden icon', () => {
  const screens = [MAC, SECOND];
  it.each([
    ['in the menu bar', icon(1200, 0), true],
    ['in the menu bar of the second screen', icon(-100, -200), true],
    ['below the screen, as macOS puts a hidden one', icon(1200, 900), false],
    ['without a size', { x: 1200, y: 0, width: 0, height: 0 }, false],
    ['beside every screen', icon(3000, 0), false],
    ['in the middle of the screen', icon(1200, 300), false],
  ])('D1 an icon %s counts as seen: %s', (_where, bounds, seen) => {
    expect(hiddenBy(bounds, screens)).toBe(seen ? null : 'setting');
  });

  const HOUSED = {
    bounds: { x: 0, y: 0, width: 1512, height: 982 },
    workArea: { x: 0, y: 38, width: 1512, height: 944 },
    internal: true,
  };
  it.each([
    ['under the housing', icon(745, 0), HOUSED, 'housing'],
    ['beside the housing', icon(870, 0), HOUSED, null],
    ['there on a screen that is not built in', icon(745, 0), { ...HOUSED, internal: false }, null],
    [
      'there where the bar has no housing',
      icon(745, 0),
      { ...HOUSED, workArea: { ...HOUSED.workArea, y: 24 } },
      null,
    ],
  ] as const)('D1 an icon %s', (_where, bounds, screen, by) => {
    expect(hiddenBy(bounds, [screen])).toBe(by);
  });
});
