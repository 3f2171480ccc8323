import { Agent, type Dispatcher, fetch as undiciFetch } from 'undici';
import type { Clock } from '../../../base/clock.ts';
import { ModelError, type ModelFault } from '../server.ts';
import { type Patience, type Stage, type Watchdog, watchdog } from '../watchdog.ts';
import { brokeOff, faultOf, sentenceOf, translate } from './answer-faults.ts';
import type { StreamWatch } from './lines.ts';

export interface CallParts {
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  /** The server's name in messages. */
  readonly label: string;
}

export interface CallLimits {
  /** Until the headers. */
  readonly first: Stage;
  /** Between bytes after that. */
  readonly between: Stage;
}

/** Limits for a short question, a load, and a chat. */
export function callLimits(
  patience: Patience,
): Record<'short' | 'loading' | 'talking', CallLimits> {
  const stage = (waitingFor: string, ms: number): Stage => ({ waitingFor, ms });
  const rest = stage('rest of the answer', patience.answer);
  return {
    short: { first: stage('answer', patience.answer), between: rest },
    loading: { first: stage('loaded model', patience.load), between: rest },
    talking: {
      // The server may have dropped the model since: then it loads it before the first token.
      first: stage('first token', patience.load + patience.firstToken),
      between: stage('further output', patience.betweenTokens),
    },
  };
}

/** Node's fetch gives up after 300 s without headers or body; a cold load takes longer. */
export function patientDispatcher(): Dispatcher {
  return new Agent({ headersTimeout: 0, bodyTimeout: 0 });
}

/** How the streams of one API are read. */
export interface StreamRules {
  /** What the content type of a stream contains. */
  readonly type: string;
  /** The stream in a form that its client can only read right; faults are ModelErrors in it. */
  read(
    body: ReadableStream<Uint8Array>,
    watch: StreamWatch,
    label: string,
  ): ReadableStream<Uint8Array>;
}

/** An answer with an error status. */
export class RefusedCall extends ModelError {
  readonly status: number;
  constructor(status: number, fault: ModelFault, message: string) {
    super(fault, message);
    this.status = status;
  }
}

/** Bodies that are not streams are small; a larger one is no answer. */
const LARGEST_BODY = 256 * 1024 * 1024;
/** After the last words the body ends at once; a server that leaves it open is cut off. */
const LAST_BYTES: Stage = { waitingFor: 'end of the answer', ms: 1000 };

/**
 * Runs one request through a client that is given our `fetch`. Clients cannot be aborted before
 * headers, or end in silence when they are; some retry, print what they cannot read, or have a time
 * limit of their own. Here abort and silence reach the socket, error answers become ModelErrors, and
 * a stream is what its rules make of it.
 */
export async function watchedCall<T>(
  parts: CallParts,
  limits: CallLimits,
  signal: AbortSignal | undefined,
  streams: StreamRules | null,
  work: (fetching: typeof fetch) => Promise<T>,
): Promise<T> {
  const { clock, label } = parts;
  if (signal?.aborted) throw new ModelError('aborted', 'the call was stopped');
  const silence = new AbortController();
  const dog = watchdog(clock, limits.first, () => silence.abort());
  const stop = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  let ending = false;
  const watch: StreamWatch = {
    beat: dog.beat,
    lastWords: () => dog.enter(LAST_BYTES),
    finished(rest) {
      ending = true;
      void rest.catch(() => {}).finally(dog.stop);
    },
  };
  const fetching = (input: unknown, init: RequestInit | undefined) =>
    fetchWatched(parts, String(input), { ...init, signal: stop }, dog, limits, streams, watch);
  try {
    return await work(fetching as typeof fetch);
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

async function fetchWatched(
  parts: CallParts,
  input: string,
  init: RequestInit,
  dog: Watchdog,
  limits: CallLimits,
  streams: StreamRules | null,
  watch: StreamWatch,
): Promise<Response> {
  const { dispatcher, label } = parts;
  // A redirect would take the request, and what is in it, to a server that nobody configured.
  const send = () =>
    undiciFetch(input, { ...(init as object), dispatcher, redirect: 'manual' as const });
  const response = await send().catch((error) => {
    // A connection kept from before the server's restart breaks at its first use; a read may go again.
    if ((init.method ?? 'GET') !== 'GET' || init.signal?.aborted || !brokeOff(error)) throw error;
    return send();
  });
  dog.enter(limits.between);
  const body = response.body as ReadableStream<Uint8Array> | null;
  if (!response.ok) {
    const sentence = sentenceOf(await readAll(body, dog)) || `status ${response.status}`;
    const fault = faultOf(response.status, sentence);
    throw new RefusedCall(response.status, fault, `${label}: ${sentence}`);
  }
  const type = response.headers.get('content-type') ?? '';
  const headers = { 'content-type': type };
  if (!body || !streams || !type.includes(streams.type)) {
    return new Response(await readAll(body, dog), { headers });
  }
  return new Response(streams.read(body, watch, label), { headers });
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
