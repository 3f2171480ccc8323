import {
  type ChatRequest,
  type InstalledModel,
  type Manner,
  ModelError,
  type ResidentModel,
} from '../server.ts';
import { isLlamaRouter, isLlamaServer, llamaRouter, llamaServer } from './openai-llama.ts';
import { isLlamaSwap, llamaSwap } from './openai-llama-swap.ts';
import { isLmStudio, isOldLmStudio, lmStudio, oldLmStudio } from './openai-lm-studio.ts';
import { plainServer } from './openai-plain.ts';
import type { Web } from './openai-web.ts';

/** What one kind of OpenAI-compatible server can do beside chatting. Everything throws ModelError. */
export interface Flavour {
  /** The program's name, as its users know it. */
  readonly title: string;
  manner(signal?: AbortSignal): Promise<Manner>;
  version(signal?: AbortSignal): Promise<string>;
  installed(signal?: AbortSignal): Promise<InstalledModel[]>;
  resident(signal?: AbortSignal): Promise<ResidentModel[]>;
  load(
    model: string,
    numCtx: number,
    keepAliveMinutes: number | null,
    signal?: AbortSignal,
  ): Promise<void>;
  unload(model: string, signal?: AbortSignal): Promise<void>;
  /** What its chat requests carry beyond the usual. */
  extras?(request: ChatRequest): object;
  /** Answers in silence with another model than the one that was asked. */
  readonly mayMistakeModel?: boolean;
}

/**
 * Finds out which program answers, by asking for what only it has. LM Studio comes first: it answers
 * every path with 200, and writes those it does not know into the log that its owner reads. Throws
 * ModelError.
 */
export async function detectFlavour(
  web: Web,
  clock: Parameters<typeof llamaRouter>[1],
  signal?: AbortSignal,
): Promise<Flavour> {
  const lmStudioList = await web.probe('/api/v1/models', signal);
  if (isLmStudio(lmStudioList.value)) return lmStudio(web);
  const oldList = await web.probe('/api/v0/models', signal);
  if (isOldLmStudio(oldList.value)) return oldLmStudio(web);
  const running = await web.probe('/running', signal);
  if (isLlamaSwap(running.value)) return llamaSwap(web);
  const props = await web.probe('/props', signal);
  if (isLlamaRouter(props.value)) return llamaRouter(web, clock);
  if (isLlamaServer(props)) return llamaServer(web);
  const models = await web.probe('/v1/models', signal);
  if (models.status === 401 || models.status === 403) {
    throw new ModelError('unsupported', `${web.label} asks for an API key, and Lull sends none`);
  }
  const list = (models.value as { data?: unknown } | null)?.data;
  if (Array.isArray(list)) return plainServer(web, list[0]?.owned_by);
  throw new ModelError('malformed', `${web.label} does not answer as an OpenAI-compatible server`);
}
