import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CATALOGUE, type CatalogueModel, infoOf } from './catalogue.ts';
import { answerChat, type CallShape, type ChatBody, type Speech } from './chat.ts';
import type { Faults } from './faults.ts';
import { readKeepAlive } from './keep-alive.ts';
import { ServerLog } from './log.ts';
import { detailsOf, HttpFault, Runners } from './runners.ts';
import { type Misbehaviour, type Script, workingModel } from './working-model.ts';

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

/** Starts a server that speaks Ollama's API on loopback, without any model. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const log = new ServerLog();
  const models = new Map((options.models ?? CATALOGUE).map((model) => [model.name, model]));
  const runners = new Runners({ log, faults: () => state.faults, loadMs: () => state.loadMs });
  const state = {
    faults: options.faults ?? {},
    loadMs: options.loadMs ?? 0,
    version: '0.33.0',
    speech: {
      script: options.script ?? workingModel(options.misbehaviour),
      shape: options.shape ?? 'chunk',
      tokenMs: options.tokenMs ?? 0,
      fillerTokens: options.fillerTokens ?? 0,
    },
  };
  const host = { log, models, runners, state };
  let server = await listen(options.port ?? 0, host);
  const { port } = server.address() as AddressInfo;

  async function crash(): Promise<void> {
    log.add({ kind: 'crash' });
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    runners.clear();
    await closed;
  }

  return {
    url: `http://127.0.0.1:${port}`,
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
    resident: () => runners.names(),
    crash,
    async restart() {
      state.version = '0.33.1';
      server = await listen(port, host);
      log.add({ kind: 'restart' });
    },
    close: crash,
  };
}

interface Host {
  log: ServerLog;
  models: Map<string, CatalogueModel>;
  runners: Runners;
  state: { faults: Faults; loadMs: number; version: string; speech: Speech };
}

async function listen(port: number, host: Host): Promise<Server> {
  const server = createServer((request, response) => void handle(host, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

async function handle(host: Host, request: IncomingMessage, response: ServerResponse) {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const gone = new AbortController();
  response.on('close', () => {
    if (response.writableFinished) return;
    host.log.add({ kind: 'disconnect', path });
    gone.abort();
  });
  try {
    if (!/^(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(request.headers.host ?? '')) {
      response.writeHead(403).end();
      return;
    }
    const body = await readBody(request);
    host.log.add({ kind: 'request', path, ...(body !== undefined && { body }) });
    await route(host, request.method ?? 'GET', path, body, response, gone.signal);
  } catch (error) {
    if (response.headersSent || response.destroyed) return;
    const fault = error instanceof HttpFault ? error : new HttpFault(500, String(error));
    json(response, { error: fault.message }, fault.status);
  }
}

async function route(
  host: Host,
  method: string,
  path: string,
  body: unknown,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const { state, runners } = host;
  const reads = ['/', '/api/version', '/api/tags', '/api/ps', '/control/log'];
  const posts = ['/api/show', '/api/generate', '/api/chat', '/api/embed', '/control/set'];
  const known = reads.includes(path) || posts.includes(path);
  if (!known) return void response.writeHead(404).end('404 page not found');
  const isRead = method === 'GET' || method === 'HEAD';
  if (reads.includes(path) !== isRead) return void response.writeHead(405).end();

  if (path === '/') return void response.end('Ollama is running');
  if (path === '/api/version') return json(response, { version: state.version });
  if (path === '/api/tags') return json(response, { models: tags(host) });
  if (path === '/api/ps') return json(response, { models: runners.list() });
  if (path === '/control/log') return json(response, host.log.entries);
  if (path === '/control/set') return control(host, body, response);
  if (path === '/api/show') return json(response, show(host, body));
  return await useModel(host, path, body, response, gone);
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

interface ModelBody extends Partial<ChatBody> {
  prompt?: string;
  input?: string | string[];
  keep_alive?: number | string;
}

/** The calls that need a model in memory. */
async function useModel(
  host: Host,
  path: string,
  raw: unknown,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const { runners, state } = host;
  const body = (raw ?? {}) as ModelBody;
  const model = find(host, body.model);
  const keepAliveMs = readKeepAlive(body.keep_alive);
  const window = body.options?.num_ctx;
  if (window !== undefined && !Number.isInteger(window)) {
    throw new HttpFault(500, 'option "num_ctx" must be of type integer');
  }
  const isEmbed = path === '/api/embed';
  const empty = isEmbed
    ? [body.input ?? []].flat().length === 0
    : path === '/api/chat'
      ? !body.messages?.length
      : !body.prompt;
  if (!isEmbed && empty && keepAliveMs === 0) {
    runners.unload(model);
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
    const chat = { ...body, model: model.name, messages: body.messages ?? [] };
    checkChat(model, chat);
    const parts = { ...host, faults: () => state.faults, speech: () => state.speech };
    return await answerChat(parts, model, chat, keepAliveMs, response, gone);
  }
  const runner = await runners.acquire(model, window, keepAliveMs, gone);
  runners.release(runner);
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

function checkChat(model: CatalogueModel, body: ChatBody): void {
  if (body.tools?.length && !model.capabilities.includes('tools')) {
    const full = `registry.ollama.ai/library/${model.name}`;
    throw new HttpFault(400, `${full} does not support tools`);
  }
  for (const message of body.messages) {
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

function tags({ models }: Host): object[] {
  return [...models.values()].map((model) => ({
    name: model.name,
    model: model.name,
    modified_at: '2026-08-01T10:00:00.123456789+02:00',
    size: model.bytes,
    digest: model.digest,
    details: detailsOf(model),
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

function json(response: ServerResponse, value: unknown, status = 200): void {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(text);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (chunks.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new HttpFault(400, 'invalid character in the body');
  }
}
