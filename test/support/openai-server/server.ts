import type { CatalogueModel } from '../model-server/catalogue.ts';
import type { Faults } from '../model-server/faults.ts';
import { type Asked, HttpFault, json, loopback } from '../model-server/http.ts';
import { ServerLog } from '../model-server/log.ts';
import { FOREVER_MS, Memory } from '../model-server/memory.ts';
import { type CallShape, speak } from '../model-server/speak.ts';
import {
  type Misbehaviour,
  type Script,
  type WireMessage,
  type WireTool,
  workingModel,
} from '../model-server/working-model.ts';
import type { Dialect, Host, State } from './dialect.ts';
import { eventVoice, type Style, USUAL_STYLE } from './events.ts';
import { llamaDialect, routerDialect } from './llama.ts';
import { llamaSwapDialect } from './llama-swap.ts';
import { lmStudioDialect } from './lm-studio.ts';
import { OPENAI_MODELS } from './models.ts';
import { plainDialect, vllmDialect } from './plain.ts';

export const FLAVOURS = [
  'lm-studio',
  'lm-studio-v0',
  'llama-server',
  'llama-router',
  'llama-swap',
  'vllm',
  'plain',
] as const;
export type FlavourName = (typeof FLAVOURS)[number];

export interface OpenaiServerOptions {
  flavour: FlavourName;
  port?: number;
  models?: readonly CatalogueModel[];
  script?: Script;
  misbehaviour?: Misbehaviour;
  shape?: CallShape;
  style?: Partial<Style>;
  tokenMs?: number;
  fillerTokens?: number;
  loadMs?: number;
  ownWindow?: number;
  faults?: Faults;
}

export interface OpenaiTestServer {
  readonly url: string;
  readonly log: ServerLog;
  /** Change it while the server runs. */
  readonly state: State;
  /** Names of the models in memory. */
  resident(): string[];
  /** A llama-server with nothing to do gives its memory back. */
  fallAsleep(): void;
  /** The process dies: connections break, the port refuses, memory is empty. */
  crash(): Promise<void>;
  /** On the same port again with nothing in memory; another program, if one is named. */
  restart(flavour?: FlavourName): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server that speaks OpenAI's API as one of the programs does, without any model. */
export async function startOpenaiServer(options: OpenaiServerOptions): Promise<OpenaiTestServer> {
  const log = new ServerLog();
  const { tokenMs = 0, fillerTokens = 0, shape = 'chunk', faults = {}, loadMs = 0 } = options;
  const script = options.script ?? workingModel(options.misbehaviour);
  const state: State = {
    faults,
    loadMs,
    speech: { script, shape, tokenMs, fillerTokens },
    style: { ...USUAL_STYLE, ...options.style },
    ownWindow: options.ownWindow,
  };
  const models = new Map((options.models ?? OPENAI_MODELS).map((model) => [model.name, model]));
  let asleep = false;

  const dialects: Record<FlavourName, () => Dialect> = {
    'lm-studio': () => lmStudioDialect('v1'),
    'lm-studio-v0': () => lmStudioDialect('v0'),
    'llama-server': () => llamaDialect(() => asleep),
    'llama-router': routerDialect,
    'llama-swap': llamaSwapDialect,
    vllm: vllmDialect,
    plain: plainDialect,
  };

  function boot(flavour: FlavourName): { host: Host; dialect: Dialect } {
    const dialect = dialects[flavour]();
    const memory = new Memory({
      log,
      faults: () => state.faults,
      loadMs: () => state.loadMs,
      mostLoaded: dialect.mostLoaded,
      ownWindow: (model) => state.ownWindow ?? Number(model.info.context_length),
      reloads: false,
      keepAliveMs: FOREVER_MS,
      words: {
        outOfMemory: 'Model loading was stopped due to insufficient system resources.',
        killed: 'failed to load model: the process was killed',
        canceled: 'request cancelled',
      },
    });
    asleep = false;
    const first = [...models.values()][0];
    if (dialect.holdsFirst && first) {
      const never = new AbortController().signal;
      void memory.acquire(first, undefined, undefined, never).then((one) => memory.release(one));
    }
    return { host: { log, models, memory, state }, dialect };
  }

  let running = boot(options.flavour);
  const web = await loopback(
    options.port ?? 0,
    log,
    (asked) => route(running.host, running.dialect, asked),
    (response, fault) => running.dialect.refuse(response, fault),
  );

  async function crash(): Promise<void> {
    log.add({ kind: 'crash' });
    const stopped = web.stop();
    running.host.memory.clear();
    await stopped;
  }

  return {
    url: web.url,
    log,
    state,
    resident: () => running.host.memory.names(),
    fallAsleep() {
      const { memory } = running.host;
      asleep = true;
      for (const name of memory.names()) {
        const runner = memory.get(name);
        if (runner) memory.evict(runner);
      }
    },
    crash,
    async restart(flavour = options.flavour) {
      running = boot(flavour);
      await web.start();
      log.add({ kind: 'restart' });
    },
    close: crash,
  };
}

async function route(host: Host, dialect: Dialect, asked: Asked): Promise<void> {
  const { method, path, body, response } = asked;
  if (path === '/control/log') return json(response, host.log.entries);
  if (path === '/control/set') return control(host, body, asked);
  const { keyNeeded } = host.state.faults;
  if (keyNeeded !== undefined && asked.authorization !== `Bearer ${keyNeeded}`) {
    const text = `Invalid API Key: ${asked.authorization ?? 'none'}`;
    throw new HttpFault(401, text, { type: 'authentication_error' });
  }
  if (method === 'POST' && path === '/v1/chat/completions') {
    return await answerChat(host, dialect, asked);
  }
  if (!(await dialect.route(host, asked))) dialect.unknownPath(asked);
}

/** Switches faults and manner from another process. */
function control({ state }: Host, body: unknown, { response }: Asked): void {
  const { misbehaviour, speech, style, ...wanted } = body as Partial<State> & {
    misbehaviour?: Misbehaviour;
  };
  Object.assign(state, wanted);
  if (misbehaviour) state.speech.script = workingModel(misbehaviour);
  if (speech) state.speech = { ...state.speech, ...speech };
  if (style) state.style = { ...state.style, ...style };
  json(response, { ok: true });
}

interface ChatBody {
  model?: unknown;
  messages?: WireMessage[];
  tools?: WireTool[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  max_tokens?: number;
}

async function answerChat(host: Host, dialect: Dialect, asked: Asked): Promise<void> {
  const { state } = host;
  const { response, gone } = asked;
  const body = (asked.body ?? {}) as ChatBody;
  if (state.faults.busy) {
    throw new HttpFault(429, 'Too many requests', { type: 'concurrency_limit' });
  }
  const model = dialect.modelFor(host, body.model);
  if (!model.capabilities.includes('completion')) {
    throw new HttpFault(400, `${model.name} does not support chat`);
  }
  if (body.tools?.length && !model.capabilities.includes('tools')) {
    throw new HttpFault(400, 'tools param requires --jinja flag');
  }
  const stay = dialect.staySeconds?.(body as Record<string, unknown>);
  const question = {
    model,
    messages: (body.messages ?? []).map(readMessage),
    tools: body.tools ?? [],
    keepAliveMs: host.memory.get(model.name) || stay === undefined ? undefined : stay * 1000,
    maxTokens: body.max_tokens ?? 4096,
    refusesOverflow: true,
  };
  const wire = {
    model: model.name,
    stream: body.stream === true,
    usage: body.stream_options?.include_usage === true,
  };
  const parts = { ...host, faults: () => state.faults, speech: () => state.speech };
  const voice = (faults: Faults) => eventVoice(wire, state.style, faults, response);
  await speak(parts, question, voice, response, gone);
}

/** As the templates of models read it: arguments that are no JSON fail the whole request. */
function readMessage(message: WireMessage): WireMessage {
  const calls = message.tool_calls?.map((call) => {
    const text = String(call.function.arguments);
    try {
      return { ...call, function: { ...call.function, arguments: JSON.parse(text) } };
    } catch {
      throw new HttpFault(500, `Failed to parse tool call arguments as JSON: ${text}`);
    }
  });
  return calls ? { ...message, tool_calls: calls } : message;
}
