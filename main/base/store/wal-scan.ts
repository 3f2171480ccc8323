import { closeSync, openSync, readSync, statSync } from 'node:fs';

const HEADER = 32;
const FRAME = 24;
const READ_AT_ONCE = 1 << 20;

/**
 * Looks whether committed changes in a write-ahead log have become unreadable. SQLite takes a log up to
 * the first frame whose checksum is wrong, and says nothing: that is right for what a loss of power
 * leaves of the last transaction, and hides damage further up. So: a break with two or more commits of
 * the same generation at or behind it is damage; with one, it is taken for that last transaction.
 * Format: https://sqlite.org/fileformat2.html#the_write_ahead_log
 *
 * Reads the file itself, so it may only be called while this process has the database closed: closing
 * the handle would drop SQLite's locks. Returns how many commits are lost; 0 for a good log, or none.
 */
export function lostCommits(wal: string): number {
  const size = statSync(wal, { throwIfNoEntry: false })?.size ?? 0;
  if (size < HEADER) return 0;
  const file = openSync(wal, 'r');
  try {
    const header = Buffer.alloc(HEADER);
    readSync(file, header, 0, HEADER, 0);
    const page = pageSize(header);
    const sums = sumsFor(header.readUInt32BE(0));
    if (page === null || !sums) return size > HEADER + FRAME ? 1 : 0;
    let [a, b] = sums(header, 0, 24, 0, 0);
    // The header is flushed before the first frame is written: a wrong one was never half written.
    if (a !== header.readUInt32BE(24) || b !== header.readUInt32BE(28))
      return size > HEADER + FRAME ? 1 : 0;
    let broken = false;
    let lost = 0;
    for (const frame of frames(file, FRAME + page, size)) {
      if (!broken) {
        if (!sameGeneration(header, frame)) {
          // The log begins anew over the frames of an older generation: its end, or a damaged salt.
          broken = true;
          continue;
        }
        [a, b] = sums(frame, 0, 8, a, b);
        [a, b] = sums(frame, FRAME, page, a, b);
        broken = a !== frame.readUInt32BE(16) || b !== frame.readUInt32BE(20);
      }
      if (broken && sameGeneration(header, frame) && frame.readUInt32BE(4) !== 0) lost += 1;
    }
    return lost > 1 ? lost : 0;
  } finally {
    closeSync(file);
  }
}

/** The whole frames of a log, each only until the next is asked for: many are read at once. */
function* frames(file: number, length: number, size: number): Generator<Buffer> {
  const many = Buffer.alloc(length * Math.max(1, Math.floor(READ_AT_ONCE / length)));
  for (let at = HEADER; at + length <= size; at += many.length) {
    const whole = Math.min(many.length, Math.floor((size - at) / length) * length);
    readSync(file, many, 0, whole, at);
    for (let from = 0; from < whole; from += length) yield many.subarray(from, from + length);
  }
}

function pageSize(header: Buffer): number | null {
  const size = header.readUInt32BE(8);
  return size >= 512 && size <= 65_536 && (size & (size - 1)) === 0 ? size : null;
}

function sameGeneration(header: Buffer, frame: Buffer): boolean {
  return header.compare(frame, 8, 16, 16, 24) === 0;
}

type Sums = (bytes: Buffer, from: number, length: number, a: number, b: number) => [number, number];

/** The checksum of the log, over words in the byte order that its magic number names. */
function sumsFor(magic: number): Sums | null {
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return null;
  const big = magic === 0x377f0683;
  return (bytes, from, length, a, b) => {
    let [x, y] = [a, b];
    for (let at = from; at < from + length; at += 8) {
      x = (x + (big ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + y) >>> 0;
      y = (y + (big ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + x) >>> 0;
    }
    return [x, y];
  };
}
