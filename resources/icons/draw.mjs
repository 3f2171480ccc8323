// Draws every icon of Lull: `node resources/icons/draw.mjs`. The results are kept beside it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { icns, png } from './png.mjs';
import { box, disc, grown, join, paint, ring, stroke, without } from './shapes.mjs';

const here = import.meta.dirname;

// ---- the states of the tray icon, on a field of 16 by 16 units

/** Lull's mark: a swell and a trough, between two x, at a height, so many units high. */
function wave(left, right, middle, height, width) {
  const at = (t) => left + (right - left) * t;
  const [high, low] = [middle - height, middle + height];
  const points = [
    [at(0), middle],
    [at(0.1), middle],
    [at(0.15), high],
    [at(0.3), high],
    [at(0.46), high],
    [at(0.48), low],
    [at(0.64), low],
    [at(0.78), low],
    [at(0.84), middle],
    [at(1), middle],
  ];
  return stroke(points, width);
}

const bar = (x) => box(x - 0.95, 4.9, x + 0.95, 11.1, 0.6);
const round = ring(8, 8, 6.6, 1.4);
const dot = disc(12.7, 3.3, 2.7);

const STATES = {
  /** Calm water. */
  idle: wave(1.5, 14.5, 8, 2.6, 1.9),
  /** A full disc: something is being done. */
  working: without(disc(8, 8, 7.3), wave(3.2, 12.8, 8, 2.4, 1.6)),
  /** The wave is held. */
  waiting: join(round, wave(4.2, 11.8, 8, 1.7, 1.4)),
  paused: join(round, bar(6.1), bar(9.9)),
  /** A dot, as everywhere where something is new. */
  'needs-you': join(without(wave(1.4, 14.6, 9.2, 2.9, 1.7), grown(dot, 1.2)), dot),
};

/** Template images are black; macOS takes their alpha and colours it. */
const BLACK = [0, 0, 0];
const WHITE = [255, 255, 255];
const PALE = [220, 235, 242];
const INK = [42, 107, 140];
const GREY = [94, 103, 120];
const WARM = [217, 119, 6];

for (const [state, glyph] of Object.entries(STATES)) {
  for (const points of [16, 18]) {
    const name = `tray-${state}-${points}Template`;
    save(`${name}.png`, png(paint([[glyph, BLACK]], points, 16), 72));
    save(`${name}@2x.png`, png(paint([[glyph, BLACK]], points * 2, 16), 144));
  }
  save(`tray-${state}-light.png`, png(paint([[glyph, WHITE]], 32, 16), 72));
  save(`tray-${state}-colour.png`, png(paint(coloured(state), 32, 16), 72));
}

/** The mark on a tile of its own, legible on a light and on a dark panel alike. */
function coloured(state) {
  const tile = box(0.5, 0.5, 15.5, 15.5, 4);
  const mark = wave(2.6, 13.4, 8, 2.4, 1.8);
  switch (state) {
    case 'working':
      return [
        [tile, INK],
        [mark, WHITE],
      ];
    case 'waiting':
      return [
        [tile, PALE],
        [without(tile, grown(tile, -1.3)), INK],
        [mark, INK],
      ];
    case 'paused':
      return [
        [tile, GREY],
        [join(bar(6.1), bar(9.9)), WHITE],
      ];
    case 'needs-you':
      return [
        [tile, PALE],
        [mark, INK],
        [grown(dot, 0.9), PALE],
        [dot, WARM],
      ];
    default:
      return [
        [tile, PALE],
        [mark, INK],
      ];
  }
}

// ---- the icon of the app, on a field of 100 by 100 units

/** As Apple's template has it, the tile fills 82 of 100 units and leaves the rest to the shadow. */
const APP = [
  [box(9, 9, 91, 91, 19), PALE],
  [wave(24, 76, 50, 13, 7.5), INK],
];

const bySize = Object.fromEntries(
  [16, 32, 48, 64, 128, 256, 512, 1024].map((size) => [size, png(paint(APP, size, 100), 72)]),
);
mkdirSync(path(here, 'app'), { recursive: true });
for (const [size, file] of Object.entries(bySize)) save(`app/${size}x${size}.png`, file);
save('lull.icns', icns(bySize));

function save(name, bytes) {
  writeFileSync(path(here, name), bytes);
}
