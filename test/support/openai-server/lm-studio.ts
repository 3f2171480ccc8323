import { type Asked, HttpFault, json } from '../model-server/http.ts';
import { FOREVER_MS } from '../model-server/memory.ts';
import { type Dialect, type Host, listOf, sizeOf } from './dialect.ts';

/** LM Studio with its own API; `v1` from 0.4 on, `v0` before. */
export function lmStudioDialect(api: 'v1' | 'v0'): Dialect {
  const routes = api === 'v1' ? routeV1 : routeV0;
  return {
    mostLoaded: api === 'v1' ? 8 : 1,
    modelFor(host, name) {
      const known = host.models.get(String(name));
      if (known) return known;
      // It answers with what it has (lmstudio-ai/lmstudio-bug-tracker#619).
      const [loaded] = host.memory.names();
      const first = loaded === undefined ? undefined : host.models.get(loaded);
      if (first) return first;
      const text = 'No models loaded. Please load a model in the developer page';
      throw new HttpFault(400, text, { param: 'model' });
    },
    staySeconds: (body) => (typeof body.ttl === 'number' ? body.ttl : 3600),
    async route(host, asked) {
      if (asked.path === '/v1/models' && asked.method === 'GET') {
        const entries = [...host.models.keys()].map((id) => ({ id, object: 'model' }));
        json(asked.response, listOf(entries));
        return true;
      }
      return routes(host, asked);
    },
    refuse(response, { status, message, extra }) {
      const error = { message, type: 'invalid_request_error', code: null, ...extra };
      json(response, status === 500 ? { error: message } : { error }, status);
    },
    unknownPath({ method, path, response }) {
      const error = `Unexpected endpoint or method. (${method} ${path}). Returning 200 anyway`;
      json(response, { error });
    },
  };
}

async function routeV1(host: Host, { method, path, body, response, gone }: Asked) {
  const { memory, state } = host;
  const given = (body ?? {}) as { model?: unknown; instance_id?: unknown; context_length?: number };
  if (method === 'GET' && path === '/api/v1/models') {
    const loaded = new Map(memory.polled().map((runner) => [runner.model.name, runner]));
    const models = [...host.models.values()].map((model) => {
      const runner = loaded.get(model.name);
      const config = { context_length: runner?.numCtx, parallel: 4, flash_attention: true };
      const one = { id: model.name, config };
      const twice = state.faults.loads === 'twice' ? [{ ...one, id: `${model.name}:2` }] : [];
      return {
        type: model.capabilities.includes('embedding') ? 'embedding' : 'llm',
        publisher: 'qwen',
        key: model.name,
        display_name: model.name,
        quantization: { name: 'Q4_K_M', bits_per_weight: 4 },
        size_bytes: sizeOf(model, state.faults),
        params_string: '8B',
        loaded_instances: runner ? [one, ...twice] : [],
        max_context_length: model.info.context_length,
        format: 'gguf',
        capabilities: {
          vision: false,
          trained_for_tool_use: model.capabilities.includes('tools'),
        },
      };
    });
    json(response, { models });
    return true;
  }
  if (method === 'POST' && path === '/api/v1/models/load') {
    const model = host.models.get(String(given.model));
    if (!model) throw new HttpFault(404, `Model ${String(given.model)} not found`);
    const began = Date.now();
    memory.release(await memory.acquire(model, given.context_length, FOREVER_MS, gone));
    const seconds = (Date.now() - began) / 1000;
    json(response, {
      type: 'llm',
      instance_id: model.name,
      load_time_seconds: seconds,
      status: 'loaded',
    });
    return true;
  }
  if (method === 'POST' && path === '/api/v1/models/unload') {
    const model = host.models.get(String(given.instance_id).replace(/:2$/, ''));
    if (!model || !memory.get(model.name)) {
      throw new HttpFault(404, `No instance ${String(given.instance_id)} is loaded`);
    }
    memory.unload(model);
    json(response, { instance_id: given.instance_id });
    return true;
  }
  return false;
}

async function routeV0(host: Host, { method, path, response }: Asked) {
  if (method !== 'GET' || path !== '/api/v0/models') return false;
  const loaded = new Map(host.memory.polled().map((runner) => [runner.model.name, runner]));
  const entries = [...host.models.values()].map((model) => ({
    id: model.name,
    object: 'model',
    type: model.capabilities.includes('embedding') ? 'embeddings' : 'llm',
    arch: model.architecture,
    quantization: 'Q4_K_M',
    state: loaded.has(model.name) ? 'loaded' : 'not-loaded',
    max_context_length: model.info.context_length,
    loaded_context_length: loaded.get(model.name)?.numCtx,
  }));
  json(response, listOf(entries));
  return true;
}
