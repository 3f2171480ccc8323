import { json } from '../model-server/http.ts';
import { type Dialect, listOf, requireModel } from './dialect.ts';

/** A server with `/v1` and nothing else: it loads what it is asked for, and says nothing of it. */
export function plainDialect(): Dialect {
  return {
    mostLoaded: 1,
    modelFor: (host, name) => requireModel(host, name, 404),
    async route({ models }, { method, path, response }) {
      if (method !== 'GET' || path !== '/v1/models') return false;
      json(response, listOf([...models.keys()].map((id) => ({ id, object: 'model' }))));
      return true;
    },
    refuse: (response, { status, message }) => json(response, { detail: message }, status),
    unknownPath: ({ response }) => json(response, { detail: 'Not Found' }, 404),
  };
}

/** vLLM: one model, in memory from start to end. */
export function vllmDialect(): Dialect {
  return {
    mostLoaded: 1,
    holdsFirst: true,
    modelFor: (host, name) => requireModel(host, name, 404),
    async route({ models, memory }, { method, path, response }) {
      if (method !== 'GET') return false;
      const [first] = models.keys();
      if (path === '/v1/models') {
        const max_model_len = memory.get(String(first))?.numCtx ?? 8192;
        const entry = { id: first, object: 'model', owned_by: 'vllm', root: first, parent: null };
        json(response, listOf([{ ...entry, max_model_len }]));
      } else if (path === '/version') json(response, { version: '0.32.1' });
      else if (path === '/health') response.end();
      else return false;
      return true;
    },
    refuse(response, { status, message }) {
      const error = { message, type: 'BadRequestError', param: null, code: status };
      json(response, { error }, status);
    },
    unknownPath: ({ response }) => json(response, { detail: 'Not Found' }, 404),
  };
}
