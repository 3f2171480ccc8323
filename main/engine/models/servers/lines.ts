import { ModelError } from '../server.ts';

/** A line is one object; one longer than this is no object but a fault. */
const LONGEST_LINE = 32 * 1024 * 1024;

export interface StreamWatch {
  /** Bytes arrived. */
  beat(): void;
  /** All that counts has arrived; what may still come is worth a moment only. */
  lastWords(): void;
  /** The end was passed on; `rest` settles when the body has ended too. */
  finished(rest: Promise<unknown>): void;
}

export interface Lines {
  /** The next complete lines; when the stream has ended, what was left of one, and `ended`. */
  more(): Promise<{ lines: string[]; ended: boolean }>;
  /** Reads on without looking. */
  rest(): Promise<unknown>;
  cancel(reason: unknown): Promise<void>;
}

/** A body as lines, letters split over bytes put together; ends of lines may be CRLF or LF. */
export function linesOf(
  body: ReadableStream<Uint8Array>,
  watch: StreamWatch,
  label: string,
): Lines {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  return {
    rest: () => reader.read(),
    cancel: (reason) => reader.cancel(reason),
    async more() {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) {
          const left = rest + decoder.decode();
          rest = '';
          return { lines: [left], ended: true };
        }
        watch.beat();
        rest += decoder.decode(value, { stream: true });
        if (rest.length > LONGEST_LINE) {
          throw new ModelError('malformed', `${label} sent a line without end`);
        }
        const lines = rest.split('\n');
        rest = lines.pop() ?? '';
        if (lines.length === 0) continue;
        return { lines: lines.map((line) => line.replace(/\r$/, '')), ended: false };
      }
    },
  };
}
