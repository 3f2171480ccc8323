export interface FrameReader {
  push(chunk: Buffer): void;
}

/**
 * Cuts a stream of bytes into lines. A line of more than `largest` bytes is reported once through
 * `onOverflow`, after which nothing more is read: where the next frame begins cannot be known.
 */
export function frameReader(
  onFrame: (line: string) => void,
  onOverflow: () => void,
  largest: number,
): FrameReader {
  let parts: Buffer[] = [];
  let size = 0;
  let over = false;
  return {
    push(chunk) {
      let rest = chunk;
      while (!over) {
        const end = rest.indexOf(0x0a);
        const piece = end < 0 ? rest : rest.subarray(0, end);
        size += piece.length;
        if (size > largest) {
          over = true;
          parts = [];
          onOverflow();
          return;
        }
        parts.push(piece);
        if (end < 0) return;
        const line = Buffer.concat(parts).toString('utf8');
        parts = [];
        size = 0;
        rest = rest.subarray(end + 1);
        if (line.trim() !== '') onFrame(line);
      }
    },
  };
}

/** One value as one frame: a line of JSON. */
export function frame(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
