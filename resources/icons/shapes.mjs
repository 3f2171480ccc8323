// Shapes as functions of a point that say how far it lies outside (negative: inside), and their painting.
// Only arithmetic that every machine does alike (no sine, no hypot), so that all draw the same pixels.

const distance = (x, y) => Math.sqrt(x * x + y * y);

export const disc = (cx, cy, r) => (x, y) => distance(x - cx, y - cy) - r;

export const ring = (cx, cy, r, width) => (x, y) =>
  Math.abs(distance(x - cx, y - cy) - r) - width / 2;

/** A rectangle with round corners, by two opposite corners. */
export const box = (left, top, right, bottom, radius) => (x, y) => {
  const dx = Math.abs(x - (left + right) / 2) - (right - left) / 2 + radius;
  const dy = Math.abs(y - (top + bottom) / 2) - (bottom - top) / 2 + radius;
  return distance(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
};

/** A line of `width` with round ends along cubic curves: a start, then three points a curve. */
export function stroke(points, width) {
  const line = flatten(points);
  const [xs, ys] = [0, 1].map((k) => line.map((point) => point[k]));
  const frame = box(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys), 0);
  return (x, y) => {
    const away = frame(x, y);
    if (away > width) return away - width / 2; // it lies at least so far outside: no need to look closer
    let nearest = Number.POSITIVE_INFINITY;
    for (let i = 1; i < line.length; i++) {
      nearest = Math.min(nearest, toSegment(x, y, line[i - 1], line[i]));
    }
    return nearest - width / 2;
  };
}

export const join =
  (...shapes) =>
  (x, y) =>
    Math.min(...shapes.map((shape) => shape(x, y)));

export const without = (shape, hole) => (x, y) => Math.max(shape(x, y), -hole(x, y));

/** A shape somewhat larger on all sides. */
export const grown = (shape, by) => (x, y) => shape(x, y) - by;

function toSegment(x, y, a, b) {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const along = ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy);
  const t = Math.max(0, Math.min(1, along));
  return distance(x - a[0] - t * dx, y - a[1] - t * dy);
}

function flatten([start, ...rest]) {
  const line = [start];
  const steps = 24;
  for (let i = 0; i < rest.length; i += 3) {
    const [p0, p1, p2, p3] = [line.at(-1), rest[i], rest[i + 1], rest[i + 2]];
    for (let n = 1; n <= steps; n++) {
      const t = n / steps;
      const u = 1 - t;
      line.push(
        [0, 1].map(
          (k) =>
            u * u * u * p0[k] + 3 * u * u * t * p1[k] + 3 * u * t * t * p2[k] + t * t * t * p3[k],
        ),
      );
    }
  }
  return line;
}

/**
 * Paints layers of [shape, [red, green, blue]] over each other into a square of `size` pixels that
 * shows `units` units of the shapes. Edges are smoothed over one pixel.
 */
export function paint(layers, size, units) {
  const scale = units / size;
  const rgba = new Uint8Array(size * size * 4);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      let [red, green, blue, alpha] = [0, 0, 0, 0];
      for (const [shape, colour] of layers) {
        const cover = coverage(shape, x, y, scale);
        if (cover === 0) continue;
        const under = alpha * (1 - cover);
        const next = cover + under;
        red = (colour[0] * cover + red * under) / next;
        green = (colour[1] * cover + green * under) / next;
        blue = (colour[2] * cover + blue * under) / next;
        alpha = next;
      }
      const at = (y * size + x) * 4;
      rgba[at] = Math.round(red);
      rgba[at + 1] = Math.round(green);
      rgba[at + 2] = Math.round(blue);
      rgba[at + 3] = Math.round(alpha * 255);
    }
  }
  return { size, rgba };
}

const GRID = 6;

function coverage(shape, px, py, scale) {
  const far = shape((px + 0.5) * scale, (py + 0.5) * scale);
  if (far > scale) return 0;
  if (far < -scale) return 1;
  let inside = 0;
  for (let i = 0; i < GRID; i++) {
    for (let j = 0; j < GRID; j++) {
      const x = (px + (i + 0.5) / GRID) * scale;
      const y = (py + (j + 0.5) / GRID) * scale;
      if (shape(x, y) <= 0) inside++;
    }
  }
  return inside / (GRID * GRID);
}
