import { ModelError } from '../server.ts';
import { faultOf, sentenceOf } from './ollama-faults.ts';

/** A line is one object; one longer than this is no object but a fault. */
const LONGEST_LINE = 32 * 1024 * 1024;

export interface LineWatch {
  /** Bytes arrived. */
  beat(): void;
  /** The line with `done: true` was passed on; `rest` settles when the body has ended too. */
  finished(rest: Promise<unknown>): void;
}

/**
 * The stream as whole lines that the client can read: blank ones dropped, an error line or one that
 * is not of the API turned into a ModelError. It ends after the line with `done: true`; a stream
 * that ends without one is truncated, however clean its end.
 */
export function wholeLines(
  body: ReadableStream<Uint8Array>,
  watch: LineWatch,
  label: string,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';

  /** The next complete lines, or what was left of one when the stream ended. */
  async function more(): Promise<{ lines: string[]; ended: boolean }> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        const left = rest + decoder.decode();
        rest = '';
        return { lines: [left], ended: true };
      }
      watch.beat();
      rest += decoder.decode(value, { stream: true });
      if (rest.length > LONGEST_LINE) throw new ModelError('malformed', `${label}: endless line`);
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) return { lines, ended: false };
    }
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let sent = false; !sent; ) {
        const { lines, ended } = await more();
        for (const line of lines.filter((one) => one.trim() !== '')) {
          const chunk = checked(line, ended, label);
          controller.enqueue(encoder.encode(`${line}\n`));
          sent = true;
          if (chunk.done !== true) continue;
          controller.close();
          watch.finished(ended ? Promise.resolve() : reader.read());
          return;
        }
        if (ended) {
          throw new ModelError('truncated', `${label} ended its answer without finishing it`);
        }
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function checked(line: string, ended: boolean, label: string): { done?: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw ended
      ? new ModelError('truncated', `${label} broke off inside a line`, { cause: error })
      : new ModelError('malformed', `${label} sent a line that is not JSON`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ModelError('malformed', `${label} sent a line that is not an object`);
  }
  const chunk = value as Record<string, unknown>;
  if (chunk.error !== undefined) {
    const text = sentenceOf(line);
    throw new ModelError(faultOf(null, text), `${label}: ${text}`);
  }
  const message = chunk.message;
  const speaks = typeof message === 'object' && message !== null && !Array.isArray(message);
  if (!speaks && chunk.done !== true) {
    const keys = Object.keys(chunk).join(', ').slice(0, 200);
    throw new ModelError('malformed', `${label} sent a line of another kind (${keys})`);
  }
  return chunk;
}
