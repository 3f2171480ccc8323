import type { Clock } from '../../../base/clock.ts';
import { unlessAborted } from '../aborting.ts';
import { type ChatRequest, type ChatTurn, ModelError, type ModelServer } from '../server.ts';
import type { ServerKey } from '../server-key.ts';
import { PATIENCE, type Patience } from '../watchdog.ts';
import { gather, wireRequest } from './openai-chat.ts';
import { detectFlavour } from './openai-detect.ts';
import type { Flavour } from './openai-flavour.ts';
import { openaiWeb } from './openai-web.ts';
import { patientDispatcher } from './watched-call.ts';

export interface OpenaiOptions {
  clock: Clock;
  name: string;
  /** Base address, with or without `/v1`. */
  url: string;
  /** Sent as bearer with every request. */
  key?: ServerKey | null;
  patience?: Patience;
}

/** After these another program, or another version, may be the one that answers next. */
const FORGETS: ReadonlySet<string> = new Set(['unreachable', 'truncated', 'malformed']);
/** What a program says to questions that are not its own. */
const STRANGER: ReadonlySet<string> = new Set(['malformed', 'not_found']);

/**
 * Any server with OpenAI's API: LM Studio, llama.cpp's server, llama-swap, vLLM and the like. Which
 * one it is, is found out at the first call and again after it was away; each can do more or less
 * beside chatting (`manner`). Every method throws ModelError; `close` waits for calls under way.
 */
export function openaiServer(options: OpenaiOptions): ModelServer & { close(): Promise<void> } {
  const { clock, name, url, key = null, patience = PATIENCE } = options;
  const dispatcher = patientDispatcher();
  let known: Flavour | null = null;
  let title = '';
  let asking: Promise<Flavour> | null = null;

  const parts = {
    ...{ clock, dispatcher, url, key, patience },
    get label() {
      if (title === '') return name;
      return plainName(name) === plainName(title) ? title : `${title} (${name})`;
    },
  };
  const web = openaiWeb(parts);

  async function detect(): Promise<Flavour> {
    try {
      known = await detectFlavour(web, clock);
      title = known.title;
      return known;
    } finally {
      asking = null;
    }
  }

  async function flavour(signal?: AbortSignal): Promise<Flavour> {
    if (known) return known;
    asking ??= detect();
    return unlessAborted(asking, signal, 'the call was stopped');
  }

  /** Asks the program that is known to answer. */
  async function ask<T>(work: (one: Flavour) => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work(await flavour(signal));
    } catch (error) {
      if (error instanceof ModelError && FORGETS.has(error.fault)) known = null;
      throw error;
    }
  }

  /** Reads from it; when the answer is not one of that program, from the one that answers now. */
  async function read<T>(work: (one: Flavour) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const wasKnown = known !== null;
    try {
      return await ask(work, signal);
    } catch (error) {
      const isStranger = error instanceof ModelError && STRANGER.has(error.fault);
      if (!isStranger || !wasKnown || signal?.aborted) throw error;
      known = null;
      return ask(work, signal);
    }
  }

  async function chat(request: ChatRequest, signal: AbortSignal): Promise<ChatTurn> {
    const one = await flavour(signal);
    const body = { ...wireRequest(request), ...one.extras?.(request) };
    try {
      const { model, ...turn } = await web.chat(request.token, signal, async (client) =>
        gather(await client.chat.completions.create(body), request, parts.label),
      );
      if (one.mayMistakeModel) await checkModel(one, request.model, model, signal);
      return key ? withoutKey(turn, key.scrub) : turn;
    } catch (error) {
      if (error instanceof ModelError && FORGETS.has(error.fault)) known = null;
      throw error;
    }
  }

  /** Some answer in silence with the model they have (lmstudio-ai/lmstudio-bug-tracker#619). */
  async function checkModel(
    one: Flavour,
    wanted: string,
    answered: string | null,
    signal: AbortSignal,
  ): Promise<void> {
    if (answered === null || answered === wanted) return;
    const others = (await one.installed(signal)).map((each) => each.name);
    if (!others.includes(answered)) return;
    const text = `${parts.label} answered with ${answered} instead of ${wanted}`;
    throw new ModelError('server', text);
  }

  return {
    name,
    get label() {
      return parts.label;
    },
    manner: (signal) => read((one) => one.manner(signal), signal),
    ping: (signal) => read((one) => one.version(signal), signal),
    installed: (signal) => read((one) => one.installed(signal), signal),
    resident: (signal) => read((one) => one.resident(signal), signal),
    describe: async () => null,
    load: (model, numCtx, minutes, signal) =>
      ask((one) => one.load(model, numCtx, minutes, signal), signal),
    unload: (model, signal) => ask((one) => one.unload(model, signal), signal),
    chat,
    close: () => dispatcher.close(),
  };
}

function plainName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** A server may say its own key; what it says is kept and shown. */
function withoutKey(turn: ChatTurn, scrub: (text: string) => string): ChatTurn {
  return {
    ...turn,
    text: scrub(turn.text),
    toolCalls: JSON.parse(scrub(JSON.stringify(turn.toolCalls))),
  };
}
