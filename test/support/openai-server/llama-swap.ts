import { HttpFault, json } from '../model-server/http.ts';
import { FOREVER_MS } from '../model-server/memory.ts';
import { type Dialect, type Host, listOf, requireModel } from './dialect.ts';

/** llama-swap, one model at a time; `peer/far-model` runs on another machine. */
export function llamaSwapDialect(): Dialect {
  async function upstream(host: Host, rest: string, gone: AbortSignal): Promise<object> {
    const name = [...host.models.keys()].find((one) => rest.startsWith(`${one}/`));
    if (name === undefined) throw new HttpFault(404, 'model not found');
    const model = requireModel(host, name, 404);
    const runner = await host.memory.acquire(model, undefined, FOREVER_MS, gone);
    host.memory.release(runner);
    const path = rest.slice(name.length);
    if (path === '/health') return { status: 'ok' };
    if (path === '/props') return { default_generation_settings: { n_ctx: runner.numCtx } };
    throw new HttpFault(404, 'no such path');
  }

  return {
    mostLoaded: 1,
    modelFor: (host, name) => requireModel(host, name, 404),
    async route(host, { method, path, response, gone }) {
      const { memory } = host;
      if (method === 'GET' && path === '/v1/models') {
        const entries = [...host.models.keys()].map((id) => ({ id, owned_by: 'llama-swap' }));
        const meta = { llamaswap: { peerID: 'study' } };
        json(
          response,
          listOf([...entries, { id: 'peer/far-model', owned_by: 'llama-swap', meta }]),
        );
      } else if (method === 'GET' && path === '/running') {
        const ready = memory.polled().map(({ model }) => ({ model: model.name, state: 'ready' }));
        const starting = memory.loading().map((model) => ({ model, state: 'starting' }));
        const more = { cmd: 'llama-server', proxy: 'http://127.0.0.1:5800', ttl: 0 };
        const left = { model: 'old', state: 'stopped' };
        const running = [...ready, ...starting, left].map((one) => ({ ...one, ...more }));
        json(response, { running });
      } else if (method === 'POST' && path.startsWith('/api/models/unload/')) {
        memory.unload(requireModel(host, path.slice('/api/models/unload/'.length), 404));
        response.end('OK');
      } else if (method === 'GET' && path.startsWith('/upstream/')) {
        json(response, await upstream(host, path.slice('/upstream/'.length), gone));
      } else return false;
      return true;
    },
    refuse(response, { status, message }) {
      const error = { message, type: 'server_error', param: null, code: null };
      json(response, { src: 'llama-swap', error }, status);
    },
    unknownPath: ({ response }) => void response.writeHead(404).end('404 page not found'),
  };
}
