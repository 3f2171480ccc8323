import { type Clock, sleep } from '../../../base/clock.ts';
import { ModelError, type ResidentModel } from '../server.ts';
import { looksEmbedding, size } from './listed.ts';
import type { Flavour } from './openai-flavour.ts';
import type { Web } from './openai-web.ts';

interface Entry {
  id: string;
  meta?: { size?: unknown; n_ctx?: unknown } | null;
  status?: { value?: unknown; failed?: unknown; exit_code?: unknown };
}

interface Props {
  role?: unknown;
  max_instances?: unknown;
  build_info?: unknown;
  is_sleeping?: unknown;
  default_generation_settings?: { n_ctx?: unknown };
}

export function isLlamaRouter(props: unknown): boolean {
  return (props as Props | null)?.role === 'router';
}

/** Also while it loads its model: then every path of its own answers so. */
export function isLlamaServer(props: { status: number; value: unknown }): boolean {
  if (props.status === 503) return /loading model/i.test(String(props.value));
  return typeof (props.value as Props | null)?.default_generation_settings === 'object';
}

async function entriesOf(web: Web, path: string, signal?: AbortSignal): Promise<Entry[]> {
  const value = await web.get(path, signal);
  const list = (value as { data?: unknown } | null)?.data;
  if (!Array.isArray(list)) throw new ModelError('malformed', `${web.label}: no list of models`);
  return list.filter((one) => typeof one?.id === 'string' && one.id !== '');
}

const propsOf = async (web: Web, query: string, signal?: AbortSignal) =>
  ((await web.get(`/props${query}`, signal)) ?? {}) as Props;

const windowOf = (props: Props) => size(props.default_generation_settings?.n_ctx);

const built = ({ build_info }: Props) =>
  typeof build_info === 'string' && build_info !== '' ? `llama.cpp ${build_info}` : 'llama.cpp';

const installedOf = (entries: Entry[]) =>
  entries.map(({ id, meta }) => ({
    name: id,
    digest: id,
    bytes: size(meta?.size),
    remote: false,
    embedding: looksEmbedding(id),
    tools: null,
  }));

/** llama.cpp asks to be told that several calls in one turn are welcome. */
const severalCalls: NonNullable<Flavour['extras']> = (request) =>
  request.tools.length > 0 ? { parallel_tool_calls: true } : {};

/**
 * A llama-server that was started with its model: it has that one in memory from beginning to end,
 * with the window of its command line, and no request changes anything about it.
 */
export function llamaServer(web: Web): Flavour {
  return {
    title: 'llama.cpp',
    extras: severalCalls,
    manner: async () => ({
      setsWindow: false,
      unloads: false,
      tells: true,
      swaps: false,
      expires: false,
      measures: false,
    }),

    async version(signal) {
      try {
        return built(await propsOf(web, '', signal));
      } catch (error) {
        if (isLoading(error)) return 'llama.cpp, loading its model';
        throw error;
      }
    },

    installed: async (signal) => installedOf(await entriesOf(web, '/v1/models', signal)),

    /** A model that is being loaded counts; one that sleeps has given its memory back. */
    async resident(signal) {
      const entries = await entriesOf(web, '/v1/models', signal);
      let numCtx: number | null = null;
      try {
        const props = await propsOf(web, '', signal);
        if (props.is_sleeping === true) return [];
        numCtx = windowOf(props);
      } catch (error) {
        if (!isLoading(error)) throw error;
      }
      return entries.map(({ id }) => ({ name: id, digest: id, bytes: null, numCtx }));
    },

    /** Needed only where it sleeps: the next task wakes it. */
    async load(model, _numCtx, _keepAlive, signal) {
      const messages = [{ role: 'user', content: '.' }];
      await web.patiently.post('/v1/chat/completions', { model, messages, max_tokens: 1 }, signal);
    },

    async unload() {
      throw new ModelError('unsupported', `${web.label} keeps its model as long as it runs`);
    },
  };
}

function isLoading(error: unknown): boolean {
  return error instanceof ModelError && error.fault === 'loading';
}

const FIRST_POLL_MS = 250;
const LONGEST_POLL_MS = 2_000;
/** Weights from a slow disk; the router itself sets no limit. */
const LOADED_WITHIN_MS = 15 * 60_000;

/**
 * A llama-server that was started without a model and runs one child for each that is asked for. It
 * says yes to a load before it begins, so the list is watched. Windows are those of its presets.
 */
export function llamaRouter(web: Web, clock: Clock): Flavour {
  const list = (signal?: AbortSignal) => entriesOf(web, '/models', signal);

  async function residentOf({ id, meta, status }: Entry, signal?: AbortSignal) {
    let numCtx = size(meta?.n_ctx);
    if (numCtx === null && status?.value === 'loaded') {
      const query = `?model=${encodeURIComponent(id)}&autoload=false`;
      numCtx = await propsOf(web, query, signal).then(windowOf, () => null);
    }
    return { name: id, digest: id, bytes: null, numCtx } satisfies ResidentModel;
  }

  async function waitLoaded(model: string, signal?: AbortSignal): Promise<void> {
    const until = clock.monotonic() + LOADED_WITHIN_MS;
    for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 2, LONGEST_POLL_MS)) {
      if (signal?.aborted) throw new ModelError('aborted', 'the load was stopped');
      const status = (await list(signal)).find((one) => one.id === model)?.status;
      if (status?.value === 'loaded') return;
      if (status?.value !== 'loading') {
        const code = status?.failed ? ` (exit code ${String(status.exit_code)})` : '';
        throw new ModelError('server', `${web.label} could not load ${model}${code}`);
      }
      if (clock.monotonic() >= until) {
        throw new ModelError('stalled', `${web.label} is still loading ${model}`);
      }
      await sleep(clock, wait, signal);
    }
  }

  return {
    title: 'llama.cpp',
    extras: severalCalls,
    async manner(signal) {
      const { max_instances } = await propsOf(web, '', signal);
      const keeps = { setsWindow: false, unloads: true, tells: true };
      return { ...keeps, swaps: max_instances === 1, expires: false, measures: false };
    },
    version: async (signal) => built(await propsOf(web, '', signal)),
    installed: async (signal) => installedOf(await list(signal)),

    async resident(signal) {
      const here = (await list(signal)).filter(({ status }) =>
        ['loading', 'loaded'].includes(String(status?.value)),
      );
      return Promise.all(here.map((one) => residentOf(one, signal)));
    },

    async load(model, _numCtx, _keepAlive, signal) {
      const found = (await list(signal)).find((one) => one.id === model);
      if (!found) throw new ModelError('not_found', `${web.label} does not have ${model}`);
      if (!['loading', 'loaded'].includes(String(found.status?.value))) {
        await web.post('/models/load', { model }, signal).catch((error) => {
          // Another client was first.
          if (!/already (running|loaded)/i.test(String(error))) throw error;
        });
      }
      await waitLoaded(model, signal);
    },

    async unload(model, signal) {
      await web.post('/models/unload', { model }, signal);
    },
  };
}
