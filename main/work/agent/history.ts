/** What a session remembers of one finished turn. */
export interface Remembered {
  prompt: string;
  result: string;
}

/**
 * Reads a session's finished turns, the oldest first; it may return more than are used. From the
 * store at once, from a worker process by asking.
 */
export type HistoryReader = (
  session: string,
) => readonly Remembered[] | Promise<readonly Remembered[]>;

const LAST = 4;
const PROMPT_CHARACTERS = 512;
const RESULT_CHARACTERS = 2048;
const BYTES = 16_384;

/**
 * The part of a session's history that goes into a prompt: the last 4 turns, prompts cut at 512 and
 * results at 2,048 characters, and the oldest left out while all together pass 16,384 bytes.
 */
export function recentTurns(turns: readonly Remembered[]): Remembered[] {
  const kept: Remembered[] = [];
  let bytes = 0;
  for (const turn of turns.slice(-LAST).reverse()) {
    const short = {
      prompt: cutText(turn.prompt, PROMPT_CHARACTERS),
      result: cutText(turn.result, RESULT_CHARACTERS),
    };
    bytes += Buffer.byteLength(short.prompt) + Buffer.byteLength(short.result);
    if (bytes > BYTES) break;
    kept.unshift(short);
  }
  return kept;
}

/** At most `most` UTF-16 units of the text; a character is never split. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  const splits = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, Math.max(0, splits ? most - 1 : most));
}
