/** Characters of one stream that are shown; the rest is heard, not shown. */
const MOST_SHOWN = 20_000;
/** Characters of one stream that are kept for reading. */
const MOST_KEPT = 1_000_000;

/** One output stream of a child: shown line by line, kept from its beginning, searched to its end. */
export interface Hearing {
  take(text: string): void;
  /** The stream is over: shows what stands without a line feed. */
  end(): void;
  kept(): string;
}

/**
 * Hears a stream. `show` gets its lines, up to 20,000 characters and then one mark; `found` collects
 * which of the `markers` stand anywhere in it. However much comes, only the beginning is held.
 */
export function hear(
  stream: 'stdout' | 'stderr',
  show: (line: string) => void,
  markers: readonly string[],
  found: Set<string>,
): Hearing {
  const seam = Math.max(0, ...markers.map((marker) => marker.length - 1));
  let kept = '';
  let shown = 0;
  let line = '';
  let before = '';

  function search(text: string): void {
    if (markers.length === found.size) return;
    const joined = before + text;
    for (const marker of markers) if (joined.includes(marker)) found.add(marker);
    before = seam > 0 ? joined.slice(-seam) : '';
  }

  function display(text: string): void {
    if (shown > MOST_SHOWN) return;
    const room = MOST_SHOWN - shown;
    shown += text.length;
    const lines = (line + text.slice(0, room)).split('\n');
    line = lines.pop() ?? '';
    for (const one of lines) show(one.replace(/\r$/, ''));
    if (text.length <= room) return;
    if (line !== '') show(line);
    line = '';
    show(`… [${stream} goes on; only its first 20,000 characters are shown]`);
  }

  return {
    take(text) {
      search(text);
      display(text);
      if (kept.length < MOST_KEPT) kept += text.slice(0, MOST_KEPT - kept.length);
    },
    end() {
      if (line !== '') show(line);
      line = '';
    },
    kept: () => kept,
  };
}
