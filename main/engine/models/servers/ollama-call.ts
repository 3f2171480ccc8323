import { Ollama } from 'ollama';
import { type Dispatcher, fetch as undiciFetch } from 'undici';
import type { Clock } from '../../../base/clock.ts';
import { ModelError } from '../server.ts';
import { type Stage, type Watchdog, watchdog } from '../watchdog.ts';
import { faultOf, sentenceOf, translate } from './ollama-faults.ts';
import { type LineWatch, wholeLines } from './ollama-lines.ts';

export interface CallParts {
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly host: string;
  readonly label: string;
}

export interface CallLimits {
  /** Until the headers. */
  readonly first: Stage;
  /** Between bytes after that. */
  readonly between: Stage;
}

/** Bodies that are not streams are small; a larger one is no answer. */
const LARGEST_BODY = 256 * 1024 * 1024;
/** After the last line the body ends at once; a server that leaves it open is cut off. */
const LAST_BYTES: Stage = { waitingFor: 'end of the answer', ms: 1000 };

/**
 * Runs one request through a client of its own. The client cannot be aborted before headers, retries
 * nothing, prints what it cannot read and has a fixed time limit inside `fetch`; so its `fetch` is
 * ours: abort and silence reach the socket, error answers become ModelError, streams come as whole
 * checked lines.
 */
export async function callOllama<T>(
  parts: CallParts,
  limits: CallLimits,
  signal: AbortSignal | undefined,
  work: (client: Ollama) => Promise<T>,
): Promise<T> {
  const { clock, label } = parts;
  if (signal?.aborted) throw new ModelError('aborted', 'the call was stopped');
  const silence = new AbortController();
  const dog = watchdog(clock, limits.first, () => silence.abort());
  const stop = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  let ending = false;
  const watch: LineWatch = {
    beat: dog.beat,
    finished(rest) {
      ending = true;
      dog.enter(LAST_BYTES);
      void rest.catch(() => {}).finally(dog.stop);
    },
  };
  const client = new Ollama({
    host: parts.host,
    fetch: ((input: string, init: RequestInit | undefined) =>
      watchedFetch(parts, input, { ...init, signal: stop }, dog, limits, watch)) as typeof fetch,
  });
  try {
    return await work(client);
  } catch (error) {
    if (signal?.aborted) throw new ModelError('aborted', 'the call was stopped', { cause: error });
    const late = dog.expired();
    if (!late) throw translate(error, label);
    const text = `${label}: no ${late.waitingFor} for ${Math.round(late.ms / 1000)} s`;
    throw new ModelError('stalled', text, { cause: error });
  } finally {
    if (!ending) {
      dog.stop();
      silence.abort();
    }
  }
}

async function watchedFetch(
  parts: CallParts,
  input: string,
  init: RequestInit,
  dog: Watchdog,
  limits: CallLimits,
  watch: LineWatch,
): Promise<Response> {
  const response = await undiciFetch(input, {
    ...(init as object),
    dispatcher: parts.dispatcher,
  });
  dog.enter(limits.between);
  const body = response.body as ReadableStream<Uint8Array> | null;
  if (!response.ok) {
    const sentence = sentenceOf(await readAll(body, dog)) || `status ${response.status}`;
    throw new ModelError(faultOf(response.status, sentence), `${parts.label}: ${sentence}`);
  }
  const type = response.headers.get('content-type') ?? '';
  const headers = { 'content-type': type };
  if (!body || !type.includes('ndjson')) return new Response(await readAll(body, dog), { headers });
  return new Response(wholeLines(body, watch, parts.label), { headers });
}

async function readAll(body: ReadableStream<Uint8Array> | null, dog: Watchdog): Promise<string> {
  if (!body) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    dog.beat();
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LARGEST_BODY) throw new ModelError('malformed', 'the answer has no end');
  }
  return text + decoder.decode();
}
