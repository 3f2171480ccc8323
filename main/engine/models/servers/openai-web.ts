import type OpenAI from 'openai';
import { ModelError } from '../server.ts';
import type { Patience } from '../watchdog.ts';
import { checkedEvents, eventsOfWhole } from './openai-events.ts';
import {
  type CallLimits,
  type CallParts,
  callLimits,
  RefusedCall,
  type StreamRules,
  watchedCall,
} from './watched-call.ts';

const EVENTS: StreamRules = { type: 'event-stream', read: checkedEvents };

/** One server's HTTP: its own paths, and the client for chats. Everything throws ModelError. */
export interface Web {
  readonly label: string;
  /** The answer's JSON, or its text where it is none. */
  get(path: string, signal?: AbortSignal): Promise<unknown>;
  post(path: string, body: object, signal?: AbortSignal): Promise<unknown>;
  /** The same, waited for as long as a load may take. */
  patiently: Pick<Web, 'get' | 'post'>;
  /** The answer whatever its status, so that paths can be tried; throws only where none came. */
  probe(path: string, signal?: AbortSignal): Promise<{ status: number; value: unknown }>;
  chat<T>(signal: AbortSignal, work: (client: OpenAI) => Promise<T>): Promise<T>;
}

export interface WebParts extends CallParts {
  /** Base address, with or without `/v1`. */
  readonly url: string;
  readonly patience: Patience;
}

export function openaiWeb(parts: WebParts): Web {
  const root = parts.url.replace(/\/+$/, '').replace(/\/v1$/, '');
  const limits = callLimits(parts.patience);

  async function ask(
    path: string,
    init: RequestInit,
    within: CallLimits,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    return watchedCall(parts, within, signal, null, async (fetching) => {
      const response = await fetching(root + path, init);
      const text = await response.text();
      if (!(response.headers.get('content-type') ?? '').includes('json')) return text;
      return JSON.parse(text);
    });
  }

  const asking = (within: CallLimits): Pick<Web, 'get' | 'post'> => ({
    get: (path, signal) => ask(path, { method: 'GET' }, within, signal),
    post: (path, body, signal) => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return ask(path, init, within, signal);
    },
  });

  return {
    get label() {
      return parts.label;
    },
    ...asking(limits.short),
    patiently: asking(limits.loading),
    async probe(path, signal) {
      try {
        return { status: 200, value: await ask(path, { method: 'GET' }, limits.short, signal) };
      } catch (error) {
        if (error instanceof RefusedCall) return { status: error.status, value: error.message };
        if (error instanceof ModelError && error.fault === 'malformed') {
          return { status: 200, value: null };
        }
        throw error;
      }
    },
    chat: (signal, work) =>
      watchedCall(parts, limits.talking, signal, EVENTS, async (fetching) => {
        const { default: Client } = await import('openai');
        const client = new Client({
          baseURL: `${root}/v1`,
          // The client wants one; our fetch sends none of its headers.
          apiKey: 'none',
          organization: null,
          project: null,
          adminAPIKey: null,
          webhookSecret: null,
          maxRetries: 0,
          timeout: 2 ** 31 - 1,
          logLevel: 'off',
          fetch: async (input, init) => {
            const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
            const answer = await fetching(input, { ...init, headers });
            if (answer.headers.get('content-type')?.includes(EVENTS.type)) return answer;
            return new Response(eventsOfWhole(await answer.text(), parts.label));
          },
        });
        return work(client);
      }),
  };
}
