import { ModelError } from '../server.ts';
import { faultOf, sentenceOf } from './answer-faults.ts';
import { linesOf, type StreamWatch } from './lines.ts';

/**
 * The stream as whole lines that the client can read: blank ones dropped, an error line or one that
 * is not of the API turned into a ModelError. It ends after the line with `done: true`; a stream
 * that ends without one is truncated, however clean its end.
 */
export function wholeLines(
  body: ReadableStream<Uint8Array>,
  watch: StreamWatch,
  label: string,
): ReadableStream<Uint8Array> {
  const source = linesOf(body, watch, label);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let sent = false; !sent; ) {
        const { lines, ended } = await source.more();
        for (const line of lines.filter((one) => one.trim() !== '')) {
          const chunk = checked(line, ended, label);
          controller.enqueue(encoder.encode(`${line}\n`));
          sent = true;
          if (chunk.done !== true) continue;
          controller.close();
          watch.lastWords();
          watch.finished(ended ? Promise.resolve() : source.rest());
          return;
        }
        if (ended) {
          throw new ModelError('truncated', `${label} ended its answer without finishing it`);
        }
      }
    },
    cancel: source.cancel,
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
