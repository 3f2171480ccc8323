// Writes a picture as a PNG (RFC 2083): 8-bit RGBA, no filter, so that its bytes follow from its pixels.
import { crc32, deflateSync } from 'node:zlib';

/**
 * @param {{ size: number, rgba: Uint8Array }} picture a square
 * @param {number} dpi how many pixels an inch has; 144 marks a picture for screens of double density
 */
export function png({ size, rgba }, dpi) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const density = Buffer.alloc(9);
  const perMetre = Math.round(dpi / 0.0254);
  density.writeUInt32BE(perMetre, 0);
  density.writeUInt32BE(perMetre, 4);
  density[8] = 1;
  const rows = Buffer.alloc(size * (size * 4 + 1));
  for (let y = 0; y < size; y++) {
    rows.set(rgba.subarray(y * size * 4, (y + 1) * size * 4), y * (size * 4 + 1) + 1);
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('pHYs', density),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const out = Buffer.alloc(data.length + 12);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  data.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, data.length + 8)), data.length + 8);
  return out;
}

/** An icon file of macOS: a list of PNGs, each under the code of its size (ic11 is 16 pt at double density). */
export function icns(pngBySize) {
  const codes = {
    ic11: 32,
    ic12: 64,
    ic07: 128,
    ic13: 256,
    ic08: 256,
    ic14: 512,
    ic09: 512,
    ic10: 1024,
  };
  const parts = Object.entries(codes).map(([code, size]) => entry(code, pngBySize[size]));
  return entry('icns', Buffer.concat(parts));
}

function entry(code, data) {
  const head = Buffer.alloc(8);
  head.write(code, 0, 'latin1');
  head.writeUInt32BE(data.length + 8, 4);
  return Buffer.concat([head, data]);
}
