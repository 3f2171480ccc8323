import type { Clock } from '../../../base/clock.ts';
import type { Progress } from '../../../engine/supervisor/handler.ts';
import type { LineSink } from '../cycle/child.ts';

const KEPT_CHARACTERS = 60_000;
const TELL_EVERY_MS = 1_000;

/** What a cycle and its programs print: the end of it is kept, and the count is told. */
export interface Output extends LineSink {
  /** The last lines. */
  text(): string;
}

export function keepOutput(
  clock: Pick<Clock, 'monotonic'>,
  progress: (progress: Progress) => void,
): Output {
  const lines: string[] = [];
  let characters = 0;
  let count = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  function take(line: string): void {
    lines.push(line);
    characters += line.length + 1;
    while (characters > KEPT_CHARACTERS && lines.length > 1) {
      characters -= (lines.shift() as string).length + 1;
    }
    count += 1;
    if (clock.monotonic() - toldAt < TELL_EVERY_MS) return;
    toldAt = clock.monotonic();
    progress({ done: count, total: null, unit: count === 1 ? 'line' : 'lines' });
  }
  return { out: take, err: take, text: () => lines.join('\n').slice(-KEPT_CHARACTERS) };
}
