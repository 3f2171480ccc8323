import type { Clock } from '../../../base/clock.ts';
import {
  type InstalledModel,
  ModelError,
  type ModelServer,
  type ResidentModel,
} from '../server.ts';
import { PATIENCE, type Patience } from '../watchdog.ts';
import { looksEmbedding, size } from './listed.ts';
import { callOllama } from './ollama-call.ts';
import { gather, keepAlive, wireRequest } from './ollama-chat.ts';
import { withTag } from './ollama-names.ts';
import { isBlanked, shapeOf } from './ollama-shape.ts';
import { callLimits, patientDispatcher } from './watched-call.ts';

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
  const dispatcher = patientDispatcher();
  const parts = { clock, dispatcher, host: options.url ?? DEFAULT_URL, label };

  const { short, loading, talking } = callLimits(patience);

  async function installed(signal?: AbortSignal): Promise<InstalledModel[]> {
    const answer = await callOllama(parts, short, signal, (client) => client.list());
    return modelsOf(answer, label).map((entry) => ({
      name: withTag(entry.name),
      digest: digestOf(entry),
      bytes: size(entry.size),
      remote: Boolean(entry.remote_host ?? entry.remote_model),
      ...abilitiesOf(entry),
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
        bytes: size(entry.size),
        numCtx: size(entry.context_length),
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

/** What the model is for; servers before 0.30 or so do not say, and then its family and name tell. */
function abilitiesOf(entry: Listed): Pick<InstalledModel, 'embedding' | 'tools'> {
  if (Array.isArray(entry.capabilities)) {
    const can = (what: string) => (entry.capabilities as unknown[]).includes(what);
    return { embedding: can('embedding') && !can('completion'), tools: can('tools') };
  }
  const { family } = (entry.details ?? {}) as { family?: unknown };
  return { embedding: /bert$/.test(String(family)) || looksEmbedding(entry.name), tools: null };
}
