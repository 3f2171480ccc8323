import { LullError } from '../../../base/errors.ts';

/** The largest file that is read, in bytes. */
export const LARGEST_IMPORT_BYTES = 10 * 1024 * 1024;

export interface Decoded {
  text: string;
  /** What the owner should know about how the bytes were read. */
  note: string | null;
}

/** Files that people send instead of a text file, by their first bytes. */
const OTHERS: ReadonlyArray<readonly [readonly number[], string]> = [
  [[0x50, 0x4b, 0x03, 0x04], 'an Excel workbook or another zip archive'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old Excel workbook'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF'],
  [[0x1f, 0x8b], 'a gzip archive'],
];

/**
 * Text of an export in UTF-8, UTF-16 of either order (with or without a byte order mark) or, when it
 * is none of these, windows-1252. Throws LullError `invalid` for what is empty, too large or no text.
 */
export function decode(bytes: Uint8Array): Decoded {
  if (bytes.length > LARGEST_IMPORT_BYTES) {
    throw new LullError(
      'invalid',
      `the file has ${(bytes.length / 1_048_576).toFixed(1)} MB, and 10 MB is the most that is read`,
      'export fewer columns, or split the file',
    );
  }
  const other = OTHERS.find(([start]) => start.every((byte, i) => bytes[i] === byte));
  if (other) throw notText(`this is ${other[1]}`);
  const encoding = markedEncoding(bytes) ?? unmarkedUtf16(bytes) ?? 'utf-8';
  let text = tryDecode(bytes, encoding);
  let note: string | null = null;
  if (text === null && encoding === 'utf-8') {
    text = tryDecode(bytes, 'windows-1252');
    note = 'the text is not UTF-8, so it was read as windows-1252: check names with accents';
  }
  // Some files made by old programs end in a Ctrl-Z.
  if (text?.endsWith('\u001a')) text = text.slice(0, -1);
  if (text === null || hasControls(text)) throw notText('this is a binary file');
  if (text.trim() === '') throw new LullError('invalid', 'the file is empty');
  return { text, note };
}

function notText(what: string): LullError {
  return new LullError('invalid', `${what}, not a table in text`, 'save it as CSV and import that');
}

function tryDecode(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function markedEncoding(bytes: Uint8Array): string | null {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  return null;
}

/**
 * UTF-16 without a mark: separators, digits and line ends have a zero byte on one side, always the
 * same side. A fifth of the units is enough, so that names in any script may surround them.
 */
function unmarkedUtf16(bytes: Uint8Array): string | null {
  if (bytes.length < 4 || bytes.length % 2 === 1) return null;
  const sample = bytes.subarray(0, 65_536);
  let even = 0;
  let odd = 0;
  for (const [i, byte] of sample.entries()) {
    if (byte !== 0) continue;
    if (i % 2 === 0) even++;
    else odd++;
  }
  const units = sample.length / 2;
  if (odd > units / 5 && even * 20 <= odd) return 'utf-16le';
  if (even > units / 5 && odd * 20 <= even) return 'utf-16be';
  return null;
}

/** Control characters other than tab, line ends, vertical tab and form feed: not a text file. */
function hasControls(text: string): boolean {
  return /[^\P{Cc}\t\n\v\f\r]/u.test(text);
}
