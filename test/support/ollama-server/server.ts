import type { ServerResponse } from 'node:http';
import { CATALOGUE, type CatalogueModel } from '../model-server/catalogue.ts';
import type { Faults } from '../model-server/faults.ts';
import { type Asked, HttpFault, json, loopback } from '../model-server/http.ts';
import { ServerLog } from '../model-server/log.ts';
import { Memory } from '../model-server/memory.ts';
import { type CallShape, type Speech, speak } from '../model-server/speak.ts';
import {
  type Misbehaviour,
  type Script,
  type WireMessage,
  type WireTool,
  workingModel,
} from '../model-server/working-model.ts';
import { lineVoice } from './chat.ts';
import { readKeepAlive } from './keep-alive.ts';
import { infoOf } from './model-info.ts';
import { detailsOf, psEntries } from './ps.ts';

export interface TestServerOptions {
  port?: number;
  models?: readonly CatalogueModel[];
  script?: Script;
  misbehaviour?: Misbehaviour;
  shape?: CallShape;
  tokenMs?: number;
  fillerTokens?: number;
  loadMs?: number;
  faults?: Faults;
  /** Lists say what each model can do. */
  listsCapabilities?: boolean;
}

export interface TestServer {
  readonly url: string;
  readonly log: ServerLog;
  /** Change it while the server runs. */
  faults: Faults;
  speech: Speech;
  loadMs: number;
  /** Names of the models in memory. */
  resident(): string[];
  /** The process dies: connections break, the port refuses, memory is empty. */
  crash(): Promise<void>;
  /** It is back on the same port, with another version and nothing in memory. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface State {
  faults: Faults;
  loadMs: number;
  version: string;
  speech: Speech;
  listsCapabilities: boolean;
}

interface Host {
  log: ServerLog;
  models: Map<string, CatalogueModel>;
  memory: Memory;
  state: State;
}

/** Starts a server that speaks Ollama's API on loopback, without any model. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const log = new ServerLog();
  const state: State = {
    faults: options.faults ?? {},
    loadMs: options.loadMs ?? 0,
    version: '0.33.0',
    listsCapabilities: options.listsCapabilities ?? true,
    speech: {
      script: options.script ?? workingModel(options.misbehaviour),
      shape: options.shape ?? 'chunk',
      tokenMs: options.tokenMs ?? 0,
      fillerTokens: options.fillerTokens ?? 0,
    },
  };
  const memory = new Memory({
    log,
    faults: () => state.faults,
    loadMs: () => state.loadMs,
    mostLoaded: 3,
    ownWindow: () => 4096,
    reloads: true,
    keepAliveMs: 300_000,
    words: {
      outOfMemory: 'llama-server reported out-of-memory during startup: failed to allocate',
      killed: 'llama-server process has terminated: signal: killed',
      canceled: 'request canceled',
    },
  });
  const models = new Map((options.models ?? CATALOGUE).map((model) => [model.name, model]));
  const host = { log, models, memory, state };
  const refuse = (response: ServerResponse, fault: HttpFault) =>
    json(response, { error: fault.message }, fault.status);
  const web = await loopback(options.port ?? 0, log, (asked) => route(host, asked), refuse);

  async function crash(): Promise<void> {
    log.add({ kind: 'crash' });
    const stopped = web.stop();
    memory.clear();
    await stopped;
  }

  return {
    url: web.url,
    log,
    get faults() {
      return state.faults;
    },
    set faults(value) {
      state.faults = value;
    },
    get speech() {
      return state.speech;
    },
    set speech(value) {
      state.speech = value;
    },
    get loadMs() {
      return state.loadMs;
    },
    set loadMs(value) {
      state.loadMs = value;
    },
    resident: () => memory.names(),
    crash,
    async restart() {
      state.version = '0.33.1';
      await web.start();
      log.add({ kind: 'restart' });
    },
    close: crash,
  };
}

async function route(host: Host, asked: Asked): Promise<void> {
  const { state, memory } = host;
  const { method, path, body, response } = asked;
  const reads = ['/', '/api/version', '/api/tags', '/api/ps', '/control/log'];
  const posts = ['/api/show', '/api/generate', '/api/chat', '/api/embed', '/control/set'];
  const known = reads.includes(path) || posts.includes(path);
  if (!known) return void response.writeHead(404).end('404 page not found');
  const isRead = method === 'GET' || method === 'HEAD';
  if (reads.includes(path) !== isRead) return void response.writeHead(405).end();

  if (path === '/') return void response.end('Ollama is running');
  if (path === '/api/version') return json(response, { version: state.version });
  if (path === '/api/tags') return json(response, { models: tags(host) });
  if (path === '/api/ps') return json(response, { models: psEntries(memory, state.faults) });
  if (path === '/control/log') return json(response, host.log.entries);
  if (path === '/control/set') return control(host, body, response);
  if (path === '/api/show') return json(response, show(host, body));
  return await useModel(host, asked);
}

/** Switches faults and manner from another process. */
function control({ state }: Host, body: unknown, response: ServerResponse): void {
  const wanted = body as Partial<Host['state']> & { misbehaviour?: Misbehaviour };
  if (wanted.faults) state.faults = wanted.faults;
  if (wanted.loadMs !== undefined) state.loadMs = wanted.loadMs;
  if (wanted.misbehaviour) state.speech.script = workingModel(wanted.misbehaviour);
  if (wanted.speech) state.speech = { ...state.speech, ...wanted.speech };
  json(response, { ok: true });
}

interface ModelBody {
  model?: string;
  messages?: WireMessage[];
  tools?: WireTool[];
  truncate?: boolean;
  options?: { num_ctx?: number; num_predict?: number };
  prompt?: string;
  input?: string | string[];
  keep_alive?: number | string;
}

/** The calls that need a model in memory. */
async function useModel(host: Host, { path, body: raw, response, gone }: Asked): Promise<void> {
  const { memory, state } = host;
  const body = (raw ?? {}) as ModelBody;
  const model = find(host, body.model);
  const keepAliveMs = readKeepAlive(body.keep_alive);
  const numCtx = body.options?.num_ctx;
  if (numCtx !== undefined && !Number.isInteger(numCtx)) {
    throw new HttpFault(500, 'option "num_ctx" must be of type integer');
  }
  const isEmbed = path === '/api/embed';
  const empty = isEmbed
    ? [body.input ?? []].flat().length === 0
    : path === '/api/chat'
      ? !body.messages?.length
      : !body.prompt;
  if (!isEmbed && empty && keepAliveMs === 0) {
    memory.unload(model);
    return json(response, { ...finished(model, path), done_reason: 'unload' });
  }
  if (state.faults.busy) {
    throw new HttpFault(503, 'server busy, please try again.  maximum pending requests exceeded');
  }
  if (!isEmbed && !model.capabilities.includes('completion')) {
    const verb = path === '/api/chat' ? 'chat' : 'generate';
    throw new HttpFault(400, `"${model.name}" does not support ${verb}`);
  }
  if (path === '/api/chat' && !empty) {
    const messages = body.messages ?? [];
    const tools = body.tools ?? [];
    checkChat(model, messages, tools);
    const maxTokens = body.options?.num_predict ?? 10 * 4096;
    const refusesOverflow = body.truncate === false;
    const question = { model, messages, tools, numCtx, keepAliveMs, maxTokens, refusesOverflow };
    const parts = { ...host, faults: () => state.faults, speech: () => state.speech };
    const voice = (faults: Faults) => lineVoice(model.name, faults, response);
    return await speak(parts, question, voice, response, gone);
  }
  const runner = await memory.acquire(model, numCtx, keepAliveMs, gone);
  memory.release(runner);
  if (isEmbed) {
    const inputs = [body.input ?? []].flat();
    const embeddings = inputs.map((text) => [String(text).length % 7, 1, 0].map((x) => x / 8));
    return json(response, { model: model.name, embeddings, prompt_eval_count: inputs.length });
  }
  const text = empty ? '' : 'Yes.';
  json(response, {
    ...finished(model, path),
    ...(path === '/api/generate' && { response: text }),
    done_reason: empty ? 'load' : 'stop',
  });
}

function checkChat(model: CatalogueModel, messages: WireMessage[], tools: WireTool[]): void {
  if (tools.length > 0 && !model.capabilities.includes('tools')) {
    const full = `registry.ollama.ai/library/${model.name}`;
    throw new HttpFault(400, `${full} does not support tools`);
  }
  for (const message of messages) {
    for (const call of message.tool_calls ?? []) {
      if (typeof call.function.arguments === 'string') {
        throw new HttpFault(400, 'json: cannot unmarshal string into Go struct field .arguments');
      }
    }
  }
}

function finished(model: CatalogueModel, path: string): Record<string, unknown> {
  const base = { model: model.name, created_at: new Date().toISOString(), done: true };
  if (path === '/api/chat') return { ...base, message: { role: 'assistant', content: '' } };
  return { ...base, response: '' };
}

function find({ models }: Host, name: unknown): CatalogueModel {
  if (typeof name !== 'string' || name === '') throw new HttpFault(400, 'model is required');
  const model = models.get(name) ?? models.get(`${name}:latest`);
  if (!model) throw new HttpFault(404, `model '${name}' not found`);
  return model;
}

function tags(host: Host): object[] {
  return [...host.models.values()].map((model) => ({
    name: model.name,
    model: model.name,
    modified_at: '2026-08-01T10:00:00.123456789+02:00',
    size: model.bytes,
    digest: model.digest,
    details: detailsOf(model),
    // Servers before the middle of 2026 do not say.
    ...(host.state.listsCapabilities && { capabilities: model.capabilities }),
    ...(model.remoteHost && { remote_host: model.remoteHost, remote_model: model.name }),
  }));
}

function show(host: Host, raw: unknown): object {
  const body = (raw ?? {}) as { model?: unknown; verbose?: boolean };
  const model = find(host, body.model);
  return {
    modelfile: `FROM ${model.name}`,
    parameters: 'stop                           "<|eot_id|>"',
    template: '{{ .Prompt }}',
    details: detailsOf(model),
    model_info: model.format === 'safetensors' ? {} : infoOf(model, body.verbose === true),
    capabilities: model.capabilities,
    modified_at: '2026-08-01T10:00:00.123456789+02:00',
  };
}
