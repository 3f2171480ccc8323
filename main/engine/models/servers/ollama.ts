import { Agent } from 'undici';
import type { Clock } from '../../../base/clock.ts';
import {
  type InstalledModel,
  ModelError,
  type ModelServer,
  type ResidentModel,
} from '../server.ts';
import { PATIENCE, type Patience } from '../watchdog.ts';
import { type CallLimits, callOllama } from './ollama-call.ts';
import { gather, keepAlive, wireRequest } from './ollama-chat.ts';
import { withTag } from './ollama-names.ts';
import { isBlanked, shapeOf } from './ollama-shape.ts';

export interface OllamaOptions {
  clock: Clock;
  name: string;
  /** Base address; Ollama's usual one when left out. */
  url?: string | undefined;
  patience?: Patience;
}

const DEFAULT_URL = 'http://127.0.0.1:11434';

/**
 * An Ollama server over its own API (not `/v1`, which takes no window and swallows errors). Names are
 * given and taken with their tag. Every method throws ModelError; `close` waits for calls under way.
 */
export function ollamaServer(options: OllamaOptions): ModelServer & { close(): Promise<void> } {
  const { clock, name, patience = PATIENCE } = options;
  const label = name.toLowerCase() === 'ollama' ? 'Ollama' : `Ollama (${name})`;
  // Node's fetch gives up after 300 s without headers or body; a cold load takes longer.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const parts = { clock, dispatcher, host: options.url ?? DEFAULT_URL, label };

  const stage = (waitingFor: string, ms: number) => ({ waitingFor, ms });
  const short: CallLimits = {
    first: stage('answer', patience.answer),
    between: stage('rest of the answer', patience.answer),
  };
  const loading: CallLimits = {
    first: stage('loaded model', patience.load),
    between: short.between,
  };
  const talking: CallLimits = {
    // The server may have dropped the model since: then it loads it before the first token.
    first: stage('first token', patience.load + patience.firstToken),
    between: stage('further output', patience.betweenTokens),
  };

  async function installed(signal?: AbortSignal): Promise<InstalledModel[]> {
    const answer = await callOllama(parts, short, signal, (client) => client.list());
    return modelsOf(answer, label).map((entry) => ({
      name: withTag(entry.name),
      digest: digestOf(entry),
      bytes: sound(entry.size),
      remote: Boolean(entry.remote_host ?? entry.remote_model),
    }));
  }

  return {
    name,
    label,
    installed,
    async ping(signal) {
      const { version } = await callOllama(parts, short, signal, (client) => client.version());
      if (typeof version !== 'string') throw new ModelError('malformed', `${label}: no version`);
      return version;
    },

    async resident(signal): Promise<ResidentModel[]> {
      const answer = await callOllama(parts, short, signal, (client) => client.ps());
      return modelsOf(answer, label).map((entry) => ({
        name: withTag(entry.name),
        digest: digestOf(entry),
        bytes: sound(entry.size),
        numCtx: sound(entry.context_length),
      }));
    },

    async describe(model, signal) {
      const entry = (await installed(signal)).find((one) => one.name === withTag(model));
      const show = async (verbose: boolean) => {
        const request = { model, verbose };
        const answer = await callOllama(parts, short, signal, (client) => client.show(request));
        const info: unknown = answer?.model_info;
        const known = typeof info === 'object' && info !== null;
        return {
          info: (known ? info : {}) as Record<string, unknown>,
          format: answer?.details?.format,
        };
      };
      let shown = await show(false);
      if (isBlanked(shown.info)) shown = await show(true);
      return shapeOf(shown.info, shown.format, entry?.bytes ?? null);
    },

    async load(model, numCtx, keepAliveMinutes, signal) {
      const answer = await callOllama(parts, loading, signal, (client) =>
        client.generate({
          model,
          prompt: '',
          stream: false,
          keep_alive: keepAlive(keepAliveMinutes),
          options: { num_ctx: numCtx },
        }),
      );
      if (answer?.done !== true) {
        throw new ModelError('truncated', `${label} did not say that ${model} is loaded`);
      }
    },

    async unload(model, signal) {
      await callOllama(parts, short, signal, (client) =>
        client.generate({ model, prompt: '', stream: false, keep_alive: 0 }),
      );
    },

    chat: (request, signal) =>
      callOllama(parts, talking, signal, async (client) =>
        gather(await client.chat(wireRequest(request)), request),
      ),

    close: () => dispatcher.close(),
  };
}

type Listed = Record<string, unknown> & { name: string };

function modelsOf(answer: unknown, label: string): Listed[] {
  const models = (answer as { models?: unknown } | null)?.models;
  if (!Array.isArray(models)) throw new ModelError('malformed', `${label}: no list of models`);
  return models.filter((entry) => typeof entry?.name === 'string' && entry.name !== '');
}

/** Identity of the file; the name stands in where a server gives none. */
function digestOf(entry: Listed): string {
  return typeof entry.digest === 'string' && entry.digest ? entry.digest : withTag(entry.name);
}

/** A count the API may carry; what cannot be true (negative, a fraction, beyond 2^53) is unknown. */
function sound(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
}
