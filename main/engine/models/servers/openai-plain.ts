import { ModelError } from '../server.ts';
import { looksEmbedding, size } from './listed.ts';
import type { Flavour } from './openai-flavour.ts';
import type { Web } from './openai-web.ts';

interface Entry {
  id: string;
  max_model_len?: unknown;
}

/** Programs by what their lists call the owner of a model. */
const TITLES: ReadonlyMap<unknown, string> = new Map([
  ['vllm', 'vLLM'],
  ['sglang', 'SGLang'],
]);

/**
 * Any other server with `/v1`. Nothing is known of its memory: not what is in it, nor how much a model
 * takes; Lull counts what the owner declares, and loads nothing for it without that. An engine that
 * holds its one model from start to end (vLLM, SGLang) tells by the window it lists.
 */
export function plainServer(web: Web, owner: unknown): Flavour {
  async function list(signal?: AbortSignal): Promise<Entry[]> {
    const value = await web.get('/v1/models', signal);
    const data = (value as { data?: unknown } | null)?.data;
    if (!Array.isArray(data)) throw new ModelError('malformed', `${web.label}: no list of models`);
    return data.filter((one) => typeof one?.id === 'string' && one.id !== '');
  }

  return {
    title: TITLES.get(owner) ?? 'OpenAI-compatible server',
    async manner(signal) {
      const entries = await list(signal);
      const isEngine = entries.length > 0 && entries.every((one) => size(one.max_model_len));
      const cannot = { setsWindow: false, unloads: false, swaps: false };
      return { ...cannot, tells: isEngine, expires: false, measures: false };
    },
    async version(signal) {
      const { value } = await web.probe('/version', signal);
      const version = (value as { version?: unknown } | null)?.version;
      return typeof version === 'string' ? `version ${version}` : 'answers';
    },
    async installed(signal) {
      return (await list(signal)).map(({ id }) => ({
        name: id,
        digest: id,
        bytes: null,
        remote: false,
        embedding: looksEmbedding(id),
        tools: null,
      }));
    },
    async resident(signal) {
      const entries = await list(signal);
      return entries.map((one) => ({
        name: one.id,
        digest: one.id,
        bytes: null,
        numCtx: size(one.max_model_len),
      }));
    },
    /** The first request does it, if there is anything to be done. */
    async load() {},
    async unload() {
      throw new ModelError('unsupported', `${web.label} cannot be told to unload a model`);
    },
  };
}
