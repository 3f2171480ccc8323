import { type InstalledModel, ModelError } from '../server.ts';
import { size } from './listed.ts';
import type { Flavour } from './openai-flavour.ts';
import type { Web } from './openai-web.ts';

interface Model {
  key: string;
  type?: unknown;
  size_bytes?: unknown;
  max_context_length?: unknown;
  loaded_instances: { id?: unknown; config?: { context_length?: unknown } }[];
  capabilities?: { trained_for_tool_use?: unknown } | null;
}

export function isLmStudio(value: unknown): boolean {
  const list = (value as { models?: unknown } | null)?.models;
  return Array.isArray(list) && list.every((one) => Array.isArray(one?.loaded_instances));
}

/**
 * LM Studio from 0.4 on, by its own API beside `/v1`. A loaded model stays until it is told to leave; a
 * second load makes a second instance of it (lmstudio-ai/lmstudio-bug-tracker#634), so what is there
 * is looked at first. It tells the size of files, never memory.
 */
export function lmStudio(web: Web): Flavour {
  /** The instances that our loads made, by model. */
  const instances = new Map<string, string>();

  async function list(signal?: AbortSignal): Promise<Model[]> {
    const value = await web.get('/api/v1/models', signal);
    if (!isLmStudio(value)) throw new ModelError('malformed', `${web.label}: no list of models`);
    const { models } = value as { models: Model[] };
    return models.filter((one) => typeof one.key === 'string' && one.key !== '');
  }

  async function find(model: string, signal?: AbortSignal): Promise<Model> {
    const found = (await list(signal)).find((one) => one.key === model);
    if (found) return found;
    throw new ModelError('not_found', `${web.label} does not have the model ${model}`);
  }

  return {
    title: 'LM Studio',
    mayMistakeModel: true,
    manner: async () => ({
      setsWindow: true,
      unloads: true,
      tells: true,
      swaps: false,
      expires: false,
      measures: false,
    }),
    async version(signal) {
      await list(signal);
      return 'LM Studio';
    },

    async installed(signal) {
      return (await list(signal)).map((one) => ({
        name: one.key,
        digest: one.key,
        bytes: size(one.size_bytes),
        remote: false,
        embedding: one.type === 'embedding',
        tools: toolsOf(one),
      }));
    },

    async resident(signal) {
      return (await list(signal)).flatMap((one) =>
        one.loaded_instances.map((instance) => ({
          name: one.key,
          digest: one.key,
          bytes: null,
          numCtx: size(instance.config?.context_length),
        })),
      );
    },

    async load(model, numCtx, _keepAlive, signal) {
      const found = await find(model, signal);
      if (found.loaded_instances.length > 0) return;
      const most = size(found.max_context_length) ?? numCtx;
      const body = { model, context_length: Math.min(numCtx, most) };
      const answer = await web.patiently.post('/api/v1/models/load', body, signal);
      const { status, instance_id } = (answer ?? {}) as { status?: unknown; instance_id?: unknown };
      if (status !== 'loaded') {
        throw new ModelError('truncated', `${web.label} did not say that ${model} is loaded`);
      }
      if (typeof instance_id === 'string') instances.set(model, instance_id);
    },

    async unload(model, signal) {
      const ids = (await find(model, signal)).loaded_instances.map((one) => String(one.id));
      const own = instances.get(model);
      // After a restart of Lull nobody remembers; the first instance bears the model's own name.
      const ours = [own, model].find((id) => id !== undefined && ids.includes(id)) ?? ids[0];
      instances.delete(model);
      if (ours === undefined) return;
      await web.post('/api/v1/models/unload', { instance_id: ours }, signal);
    },
  };
}

function toolsOf({ capabilities }: Model): boolean | null {
  const trained = capabilities?.trained_for_tool_use;
  return typeof trained === 'boolean' ? trained : null;
}

interface OldModel {
  id: string;
  type?: unknown;
  state?: unknown;
  loaded_context_length?: unknown;
}

export function isOldLmStudio(value: unknown): boolean {
  const list = (value as { data?: unknown } | null)?.data;
  return Array.isArray(list) && list.length > 0 && list.every((one) => 'state' in (one ?? {}));
}

/**
 * LM Studio before 0.4: it lists what is loaded, loads a model for the request that names it, with its
 * own window, and cannot be told to unload one; it does so after the time that came with the request.
 */
export function oldLmStudio(web: Web): Flavour {
  async function list(signal?: AbortSignal): Promise<OldModel[]> {
    const value = await web.get('/api/v0/models', signal);
    if (!isOldLmStudio(value)) throw new ModelError('malformed', `${web.label}: no list of models`);
    const { data } = value as { data: OldModel[] };
    return data.filter((one) => typeof one.id === 'string' && one.id !== '');
  }

  /** Seconds a model stays that a request makes it load; for ever is not among the choices. */
  const stay = (minutes: number | null) => ({ ttl: minutes === null ? 86_400 : minutes * 60 });

  return {
    title: 'LM Studio',
    mayMistakeModel: true,
    manner: async () => ({
      setsWindow: false,
      unloads: false,
      tells: true,
      swaps: true,
      expires: true,
      measures: false,
    }),
    async version(signal) {
      await list(signal);
      return 'LM Studio before 0.4';
    },

    async installed(signal) {
      return (await list(signal)).map(
        (one): InstalledModel => ({
          name: one.id,
          digest: one.id,
          bytes: null,
          remote: false,
          embedding: one.type === 'embeddings',
          tools: null,
        }),
      );
    },

    async resident(signal) {
      const loaded = (await list(signal)).filter((one) => one.state === 'loaded');
      return loaded.map((one) => ({
        name: one.id,
        digest: one.id,
        bytes: null,
        numCtx: size(one.loaded_context_length),
      }));
    },

    async load(model, _numCtx, keepAliveMinutes, signal) {
      const messages = [{ role: 'user', content: '.' }];
      const body = { model, messages, max_tokens: 1, ...stay(keepAliveMinutes) };
      await web.patiently.post('/v1/chat/completions', body, signal);
    },

    async unload() {
      throw new ModelError('unsupported', `${web.label} before 0.4 cannot be told to unload`);
    },

    extras: (request) => stay(request.keepAliveMinutes),
  };
}
