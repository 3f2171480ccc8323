import type { Clock } from '../../../base/clock.ts';
import { ModelError } from '../server.ts';
import type { Flavour } from './openai-flavour.ts';
import { isLlamaRouter, isLlamaServer, llamaRouter, llamaServer } from './openai-llama.ts';
import { isLlamaSwap, llamaSwap } from './openai-llama-swap.ts';
import { isLmStudio, isOldLmStudio, lmStudio, oldLmStudio } from './openai-lm-studio.ts';
import { plainServer } from './openai-plain.ts';
import type { Web } from './openai-web.ts';

/**
 * Finds out which program answers, by asking for what only it has. LM Studio comes first: it answers
 * every path with 200, and writes those it does not know into the log that its owner reads. Throws
 * ModelError.
 */
export async function detectFlavour(
  web: Web,
  clock: Clock,
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
    throw new ModelError(
      'denied',
      web.hasKey
        ? `${web.label} refuses the API key that it is sent`
        : `${web.label} asks for an API key: name it in models.servers[].secret`,
    );
  }
  const list = (models.value as { data?: unknown } | null)?.data;
  if (Array.isArray(list)) return plainServer(web, list[0]?.owned_by);
  throw new ModelError('malformed', `${web.label} does not answer as an OpenAI-compatible server`);
}
