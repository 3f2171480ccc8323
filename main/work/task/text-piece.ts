import { failure, ok, type Result } from '../../base/errors.ts';

export interface TextPiece {
  text: string;
  /** Byte offsets in the file: the first byte of the text, and the first after it. */
  start: number;
  end: number;
  note?: string;
}

/**
 * The text in a piece of a file that begins at byte `offset`, whole characters only, its JSON at most
 * `most` characters long. UTF-8; what is not, but has no control characters, is read as
 * Windows-1252 and says so. Anything else is refused as no text.
 */
export function textPiece(
  bytes: Uint8Array,
  offset: number,
  atEnd: boolean,
  most: number,
): Result<TextPiece> {
  if (bytes.some((byte) => byte < 9 || (byte > 13 && byte < 27))) {
    return failure('refused', 'is not a text file');
  }
  const skipped = offset === 0 ? 0 : leading(bytes);
  const cut = bytes.length - (atEnd ? 0 : trailing(bytes));
  const whole = bytes.subarray(skipped, Math.max(skipped, cut));
  const decoded = decode('utf-8', whole);
  if (decoded === null) {
    const text = shortened(decode('windows-1252', bytes) ?? '', most);
    const note = 'not UTF-8: read as Windows-1252';
    return ok({ text, start: offset, end: offset + text.length, note });
  }
  const text = shortened(decoded, most);
  const start = offset + skipped;
  return ok({ text, start, end: start + Buffer.byteLength(text) });
}

function decode(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Bytes at the beginning that continue a character of the piece before. */
function leading(bytes: Uint8Array): number {
  let n = 0;
  while (n < 3 && n < bytes.length && ((bytes[n] as number) & 0xc0) === 0x80) n += 1;
  return n;
}

/** Bytes at the end that begin a character of the piece after. */
function trailing(bytes: Uint8Array): number {
  for (let n = 1; n <= Math.min(4, bytes.length); n++) {
    const byte = bytes[bytes.length - n] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > n ? n : 0;
  }
  return 0;
}

/** The longest beginning whose JSON has at most `most` characters. */
function shortened(text: string, most: number): string {
  let kept = text;
  for (;;) {
    const length = JSON.stringify(kept).length;
    if (length <= most) return kept;
    const shorter = Math.floor((kept.length * most) / length);
    kept = kept.slice(0, Math.min(shorter, kept.length - 1)).replace(/[\uD800-\uDBFF]$/, '');
  }
}
