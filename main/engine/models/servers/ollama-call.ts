import { Ollama } from 'ollama';
import { wholeLines } from './ollama-lines.ts';
import { type CallLimits, type CallParts, type StreamRules, watchedCall } from './watched-call.ts';

const LINES: StreamRules = { type: 'ndjson', read: wholeLines };

/** Runs one request through an Ollama client of its own, watched. Throws ModelError. */
export function callOllama<T>(
  parts: CallParts & { readonly host: string },
  limits: CallLimits,
  signal: AbortSignal | undefined,
  work: (client: Ollama) => Promise<T>,
): Promise<T> {
  return watchedCall(parts, limits, signal, LINES, (fetching) =>
    work(new Ollama({ host: parts.host, fetch: fetching })),
  );
}
