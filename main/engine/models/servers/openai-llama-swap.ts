import { ModelError } from '../server.ts';
import { looksEmbedding, size } from './listed.ts';
import type { Flavour } from './openai-flavour.ts';
import type { Web } from './openai-web.ts';
import { RefusedCall } from './watched-call.ts';

interface Entry {
  id: string;
  meta?: { n_ctx?: unknown; llamaswap?: { n_ctx?: unknown; peerID?: unknown } } | null;
}

interface Running {
  model: string;
  state?: unknown;
}

export function isLlamaSwap(value: unknown): boolean {
  return Array.isArray((value as { running?: unknown } | null)?.running);
}

/** States in which a model's process holds memory. */
const HOLDS_MEMORY: ReadonlySet<unknown> = new Set(['starting', 'ready', 'stopping']);

/**
 * llama-swap: a door before processes that it starts and stops. A request starts the model it names,
 * and by its usual configuration stops the one that ran. It knows no windows and no memory.
 */
export function llamaSwap(web: Web): Flavour {
  /**
   * Windows of models that we started. They are asked for once, at the load: whatever reaches a
   * model's process starts it anew if it has stopped, and puts off the end of its stay.
   */
  const windows = new Map<string, number | null>();
  const pathOf = (model: string) => model.split('/').map(encodeURIComponent).join('/');

  async function list(signal?: AbortSignal): Promise<Entry[]> {
    const value = await web.get('/v1/models', signal);
    const data = (value as { data?: unknown } | null)?.data;
    if (!Array.isArray(data)) throw new ModelError('malformed', `${web.label}: no list of models`);
    return data.filter((one) => typeof one?.id === 'string' && one.id !== '');
  }

  async function running(signal?: AbortSignal): Promise<Running[]> {
    const value = await web.get('/running', signal);
    if (!isLlamaSwap(value)) throw new ModelError('malformed', `${web.label}: no list of models`);
    const entries = (value as { running: Running[] }).running;
    return entries.filter((one) => typeof one?.model === 'string' && HOLDS_MEMORY.has(one.state));
  }

  async function windowOf(model: string, signal?: AbortSignal): Promise<number | null> {
    const { value } = await web.probe(`/upstream/${pathOf(model)}/props`, signal);
    const props = value as { default_generation_settings?: { n_ctx?: unknown } } | null;
    return size(props?.default_generation_settings?.n_ctx);
  }

  return {
    title: 'llama-swap',
    extras: (request) => (request.tools.length > 0 ? { parallel_tool_calls: true } : {}),
    manner: async () => ({
      setsWindow: false,
      unloads: true,
      tells: true,
      swaps: true,
      expires: false,
      measures: false,
    }),
    async version(signal) {
      await running(signal);
      return 'llama-swap';
    },

    async installed(signal) {
      return (await list(signal)).map(({ id, meta }) => ({
        name: id,
        digest: id,
        bytes: null,
        remote: typeof meta?.llamaswap?.peerID === 'string',
        embedding: looksEmbedding(id),
        tools: null,
      }));
    },

    async resident(signal) {
      const here = await running(signal);
      for (const model of windows.keys()) {
        if (!here.some((one) => one.model === model)) windows.delete(model);
      }
      return here.map(({ model }) => ({
        name: model,
        digest: model,
        bytes: null,
        numCtx: windows.get(model) ?? null,
      }));
    },

    async load(model, _numCtx, _keepAlive, signal) {
      try {
        await web.patiently.get(`/upstream/${pathOf(model)}/health`, signal);
      } catch (error) {
        // Not every program behind it has such a path; that it runs is what counts.
        const lacksPath = error instanceof RefusedCall && error.status === 404;
        const here = lacksPath ? await running(signal) : [];
        if (!here.some((one) => one.model === model && one.state === 'ready')) throw error;
      }
      windows.set(model, await windowOf(model, signal));
    },

    async unload(model, signal) {
      await web.post(`/api/models/unload/${pathOf(model)}`, {}, signal);
    },
  };
}
