import type OpenAI from 'openai';
import { ModelError } from '../server.ts';
import type { ServerKey } from '../server-key.ts';
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

const STREAM_HEADERS = { 'content-type': 'application/json', accept: 'text/event-stream' };
/** What an HTTP header may hold, but for spaces. */
const SENDABLE = /^[\x21-\x7e]+$/;
const EVENTS: StreamRules = { type: 'event-stream', read: checkedEvents };

/** One server's HTTP: its own paths, and the client for chats. Everything throws ModelError. */
export interface Web {
  readonly label: string;
  /** A key goes with every request. */
  readonly hasKey: boolean;
  /** The answer's JSON, or its text where it is none. */
  get(path: string, signal?: AbortSignal): Promise<unknown>;
  post(path: string, body: object, signal?: AbortSignal): Promise<unknown>;
  /** The same, waited for as long as a load may take. */
  patiently: Pick<Web, 'get' | 'post'>;
  /** The answer whatever its status, so that paths can be tried; throws only where none came. */
  probe(path: string, signal?: AbortSignal): Promise<{ status: number; value: unknown }>;
  /** `token`: that of the job that asks, where the server wants a key. */
  chat<T>(
    token: string | undefined,
    signal: AbortSignal,
    work: (client: OpenAI) => Promise<T>,
  ): Promise<T>;
}

export interface WebParts extends CallParts {
  /** Base address, with or without `/v1`. */
  readonly url: string;
  readonly patience: Patience;
  readonly key: ServerKey | null;
}

export function openaiWeb(parts: WebParts): Web {
  const root = parts.url.replace(/\/+$/, '').replace(/\/v1$/, '');
  const limits = callLimits(parts.patience);
  const { key } = parts;

  async function bearer(token: string | undefined): Promise<{ authorization?: string }> {
    if (!key) return {};
    const value = await key.reveal(token);
    if (SENDABLE.test(value)) return { authorization: `Bearer ${value}` };
    throw new ModelError('denied', `${parts.label}: its key holds a character no header may hold`);
  }

  /** A server that refuses a key likes to repeat it. */
  async function quiet<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (key && error instanceof ModelError) error.message = key.scrub(error.message);
      throw error;
    }
  }

  async function ask(
    path: string,
    init: RequestInit,
    within: CallLimits,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    return quiet(async () => {
      const headers = { ...init.headers, ...(await bearer(undefined)) };
      return watchedCall(parts, within, signal, null, async (fetching) => {
        const response = await fetching(root + path, { ...init, headers });
        const said = await response.text();
        const text = key ? key.scrub(said) : said;
        if (!(response.headers.get('content-type') ?? '').includes('json')) return text;
        return JSON.parse(text);
      });
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
    hasKey: key !== null,
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
    chat: (token, signal, work) =>
      quiet(async () => {
        const authorization = await bearer(token);
        return watchedCall(parts, limits.talking, signal, EVENTS, async (fetching) => {
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
              const headers = { ...STREAM_HEADERS, ...authorization };
              const answer = await fetching(input, { ...init, headers });
              if (answer.headers.get('content-type')?.includes(EVENTS.type)) return answer;
              return new Response(eventsOfWhole(await answer.text(), parts.label));
            },
          });
          return work(client);
        });
      }),
  };
}
