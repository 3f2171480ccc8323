import type { CatalogueModel } from '../model-server/catalogue.ts';
import { type Asked, HttpFault, json } from '../model-server/http.ts';
import { FOREVER_MS } from '../model-server/memory.ts';
import {
  type Dialect,
  type Host,
  listOf,
  requireModel,
  sizeOf,
  usualRefusal,
  usualUnknownPath,
} from './dialect.ts';

const BUILD = 'b10488-fb307609';

function propsOf(numCtx: number, more: object = {}): object {
  return {
    default_generation_settings: { n_ctx: numCtx, params: { seed: 4_294_967_295 } },
    total_slots: 4,
    model_path: '/models/model.gguf',
    build_info: BUILD,
    ...more,
  };
}

/** A llama-server with its model; `sleeps`: it gives its memory back when idle, as if told to now. */
export function llamaDialect(sleeps: () => boolean): Dialect {
  const first = ({ models }: Host) => [...models.values()][0] as CatalogueModel;
  return {
    mostLoaded: 1,
    holdsFirst: true,
    // It answers whatever name it is called by.
    modelFor(host) {
      const model = first(host);
      if (!host.memory.get(model.name) && !sleeps()) {
        throw new HttpFault(503, 'Loading model', { type: 'unavailable_error' });
      }
      return model;
    },
    async route(host, { method, path, response }) {
      if (method !== 'GET') return false;
      const model = first(host);
      const runner = host.memory.get(model.name);
      if (path === '/v1/models' || path === '/models') {
        const meta = runner && {
          n_ctx_train: model.info.context_length,
          n_embd: model.info.embedding_length,
          size: sizeOf(model, host.state.faults),
        };
        const entry = { id: model.name, object: 'model', owned_by: 'llamacpp' };
        json(response, listOf([{ ...entry, meta: meta ?? null }]));
        return true;
      }
      if (!runner && !sleeps()) {
        throw new HttpFault(503, 'Loading model', { type: 'unavailable_error' });
      }
      if (path === '/health') json(response, { status: 'ok' });
      else if (path === '/props') {
        json(response, propsOf(runner?.numCtx ?? 4096, { is_sleeping: !runner }));
      } else return false;
      return true;
    },
    refuse: usualRefusal,
    unknownPath: usualUnknownPath,
  };
}

/** A llama-server without a model: one child for each that is asked for. */
export function routerDialect(): Dialect {
  const failures = new Map<string, number>();
  const starting = new Map<string, AbortController>();

  function statusOf({ memory }: Host, name: string): object {
    const args = ['llama-server', '--model', `/models/${name}.gguf`];
    const loading = memory.loading().includes(name);
    const value = memory.get(name) ? 'loaded' : loading ? 'loading' : 'unloaded';
    const code = failures.get(name);
    if (value !== 'unloaded' || code === undefined) return { value, args };
    return { value, args, failed: true, exit_code: code };
  }

  function start({ memory }: Host, model: CatalogueModel): void {
    const stop = new AbortController();
    failures.delete(model.name);
    starting.set(model.name, stop);
    memory
      .acquire(model, undefined, FOREVER_MS, stop.signal)
      .then((runner) => memory.release(runner))
      .catch(() => void failures.set(model.name, 1))
      .finally(() => starting.delete(model.name));
  }

  async function route(host: Host, { method, path, query, body, response }: Asked) {
    const { memory, state } = host;
    const wanted = (body as { model?: unknown } | undefined)?.model;
    if (method === 'GET' && (path === '/models' || path === '/v1/models')) {
      memory.polled();
      const entries = [...host.models.values()].map((model) => ({
        id: model.name,
        object: 'model',
        owned_by: 'llamacpp',
        status: statusOf(host, model.name),
        ...(memory.get(model.name) && { meta: { size: sizeOf(model, state.faults) } }),
      }));
      json(response, listOf(entries));
      return true;
    }
    if (method === 'GET' && path === '/props') {
      const name = query.get('model');
      if (name === null) {
        json(response, propsOf(0, { role: 'router', max_instances: 4, models_autoload: true }));
        return true;
      }
      const model = requireModel(host, name, 400);
      const runner = memory.get(model.name);
      if (!runner) throw new HttpFault(400, 'model is not loaded');
      json(response, propsOf(runner.numCtx));
      return true;
    }
    if (method === 'GET' && path === '/health') {
      json(response, { status: 'ok' });
      return true;
    }
    if (method === 'POST' && path === '/models/load') {
      const model = host.models.get(String(wanted));
      if (!model) throw new HttpFault(404, 'model is not found', { type: 'not_found_error' });
      if (memory.get(model.name) || starting.has(model.name)) {
        throw new HttpFault(400, 'model is already running');
      }
      start(host, model);
      json(response, { success: true });
      return true;
    }
    if (method === 'POST' && path === '/models/unload') {
      const model = host.models.get(String(wanted));
      if (!model) throw new HttpFault(400, 'model is not found');
      const child = starting.get(model.name);
      if (!memory.get(model.name) && !child) throw new HttpFault(400, 'model is not running');
      if (child) child.abort();
      else memory.unload(model);
      json(response, { success: true });
      return true;
    }
    return false;
  }

  return {
    mostLoaded: 4,
    modelFor: (host, name) => requireModel(host, name, 400),
    route,
    refuse: usualRefusal,
    unknownPath: usualUnknownPath,
  };
}
