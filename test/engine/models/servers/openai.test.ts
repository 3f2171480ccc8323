import { expect, it, onTestFinished, describe as room, vi } from 'vitest';
import { systemClock } from '../../../../main/base/clock.ts';
import type { ChatMessage } from '../../../../main/engine/models/server.ts';
import { looksEmbedding } from '../../../../main/engine/models/servers/listed.ts';
import { openaiServer } from '../../../../main/engine/models/servers/openai.ts';
import { gatherCalls } from '../../../../main/engine/models/servers/openai-calls.ts';
import {
  FLAVOURS,
  type OpenaiServerOptions,
  startOpenaiServer,
} from '../../../support/openai-server/server.ts';
import { asking, brief, faultOf, go, listed, tools } from './a-chat.ts';

const MODEL = 'qwen/qwen3-8b';
const SMALL = 'llama-3.2-3b-instruct';
const ask = asking(MODEL);

async function setUp(options: OpenaiServerOptions) {
  const server = await startOpenaiServer(options);
  onTestFinished(() => server.close());
  const openai = openaiServer({ clock: systemClock(), name: 'desk', url: server.url });
  return { server, openai };
}

const names = (list: { name: string }[]) => list.map((one) => one.name);

room('A6 LM Studio', () => {
  it('A6 loads with the window it is asked for, once, lists instances, and unloads the one it loaded', async () => {
    const { server, openai } = await setUp({ flavour: 'lm-studio' });
    expect(await openai.resident()).toEqual([]);
    await openai.load(MODEL, 16_384, 30);
    expect(await openai.resident()).toEqual([
      { name: MODEL, digest: MODEL, bytes: null, numCtx: 16_384 },
    ]);
    await openai.load(MODEL, 16_384, 30);
    expect(server.log.bodies('/api/v1/models/load')).toEqual([
      { model: MODEL, context_length: 16_384 },
    ]);
    await openai.chat(ask(), go);
    await openai.unload(MODEL);
    expect(await openai.resident()).toEqual([]);
    await openai.unload(MODEL);
    expect(server.log.bodies('/api/v1/models/unload')).toEqual([{ instance_id: MODEL }]);
  });

  it('A6 asks for no more window than the model was trained with, and lists what each model is for', async () => {
    const { server, openai } = await setUp({ flavour: 'lm-studio' });
    await openai.load(MODEL, 65_536, 30);
    expect(server.log.bodies('/api/v1/models/load')).toMatchObject([{ context_length: 40_960 }]);
    const installed = await openai.installed();
    expect(installed.map((one) => [one.embedding, one.tools, one.bytes])).toEqual([
      [false, true, 5_027_783_488],
      [false, true, 2_019_377_696],
      [false, false, 16_546_404_224],
      [true, false, 84_106_624],
    ]);
    expect(await openai.manner?.()).toMatchObject({
      setsWindow: true,
      unloads: true,
      expires: false,
    });
  });

  it('A6 before 0.4 loads by a request that says how long to stay, and cannot be told to unload', async () => {
    const { server, openai } = await setUp({ flavour: 'lm-studio-v0', ownWindow: 4096 });
    expect(await openai.ping()).toBe('LM Studio before 0.4');
    await openai.load(MODEL, 16_384, 30);
    expect(await openai.resident()).toMatchObject([{ name: MODEL, numCtx: 4096 }]);
    await openai.chat(ask({ keepAliveMinutes: null }), go);
    expect(server.log.bodies('/v1/chat/completions')).toMatchObject([
      { max_tokens: 1, ttl: 1800 },
      { ttl: 86_400 },
    ]);
    expect(await faultOf(openai.unload(MODEL))).toBe('unsupported');
    expect(await openai.manner?.()).toMatchObject({ unloads: false, swaps: true, expires: true });
    expect((await openai.installed()).filter((one) => one.embedding)).toHaveLength(1);
  });
});

room('A6 llama.cpp\u2019s server', () => {
  it('A6 with one model: it is there from the start with its own window, and stays', async () => {
    const { openai } = await setUp({ flavour: 'llama-server', ownWindow: 32_768 });
    expect(await openai.ping()).toMatch(/^llama\.cpp b\d+/);
    expect(openai.label).toBe('llama.cpp (desk)');
    expect(await openai.resident()).toMatchObject([{ name: MODEL, numCtx: 32_768 }]);
    expect(await faultOf(openai.unload(MODEL))).toBe('unsupported');
    expect(await openai.manner?.()).toMatchObject({
      setsWindow: false,
      unloads: false,
      tells: true,
    });
  });

  it('A6 while it loads its model counts, and a chat is told to wait', async () => {
    const { server, openai } = await setUp({ flavour: 'llama-server', loadMs: 300 });
    await server.log.until('load-start');
    expect(await openai.ping()).toBe('llama.cpp, loading its model');
    expect(await openai.resident()).toMatchObject([{ name: MODEL, numCtx: null }]);
    expect(await faultOf(openai.chat(ask(), go))).toBe('loading');
    await server.log.until('load-end');
    expect(await openai.resident()).toMatchObject([{ numCtx: 40_960 }]);
  });

  it('A6 asleep it has given its memory back, and a load wakes it', async () => {
    const { server, openai } = await setUp({ flavour: 'llama-server' });
    await server.log.until('load-end');
    server.fallAsleep();
    expect(await openai.resident()).toEqual([]);
    await openai.load(MODEL, 8192, 30);
    expect(await openai.resident()).toHaveLength(1);
  });

  it('A6 as a router: says yes before it begins, is watched until it is loaded, and unloads', async () => {
    const { server, openai } = await setUp({
      flavour: 'llama-router',
      loadMs: 300,
      ownWindow: 16_384,
    });
    const loading = openai.load(SMALL, 8192, 30);
    await server.log.until('load-start');
    expect(names(await openai.resident())).toEqual([SMALL]);
    await loading;
    expect(server.log.of('load-end')).toHaveLength(1);
    expect(await openai.resident()).toMatchObject([{ name: SMALL, numCtx: 16_384 }]);
    await openai.load(SMALL, 8192, 30);
    expect(server.log.bodies('/models/load')).toHaveLength(1);
    await openai.unload(SMALL);
    expect(await openai.resident()).toEqual([]);
    // Looking has started nothing.
    expect(server.log.of('load-start')).toHaveLength(1);
  });

  it('A6 as a router: a load that failed says so, one that is stopped is stopped, an unknown model is none', async () => {
    const { server, openai } = await setUp({ flavour: 'llama-router' });
    server.state.faults = { outOfMemory: true };
    await expect(openai.load(SMALL, 8192, 30)).rejects.toThrow('could not load');
    await expect(openai.load(SMALL, 8192, 30)).rejects.toThrow('exit code 1');
    server.state.faults = {};
    server.state.loadMs = 60_000;
    const stop = new AbortController();
    const loading = faultOf(openai.load(SMALL, 8192, 30, stop.signal));
    await server.log.until('load-start', 3);
    stop.abort();
    expect(await loading).toBe('aborted');
    await openai.unload(SMALL);
    await server.log.until('load-abort');
    expect(await faultOf(openai.load('nobody', 8192, 30))).toBe('not_found');
  });
});

room('A6 llama-swap', () => {
  it('A6 starts a model, learns its window then and never again, and stops it', async () => {
    const { server, openai } = await setUp({ flavour: 'llama-swap', ownWindow: 8192 });
    expect(await openai.ping()).toBe('llama-swap');
    await openai.load(MODEL, 16_384, 30);
    expect(await openai.resident()).toMatchObject([{ name: MODEL, numCtx: 8192 }]);
    await openai.resident();
    const asked = server.log.of('request').filter((one) => one.path?.startsWith('/upstream/'));
    expect(asked.map((one) => one.path)).toEqual([
      `/upstream/${MODEL}/health`,
      `/upstream/${MODEL}/props`,
    ]);
    await openai.unload(MODEL);
    expect(await openai.resident()).toEqual([]);
    expect(await openai.manner?.()).toMatchObject({ unloads: true, swaps: true });
  });

  it('A6 counts a model that is starting, and knows those of another machine', async () => {
    const { server, openai } = await setUp({ flavour: 'llama-swap' });
    server.state.loadMs = 200;
    const loading = openai.load(SMALL, 8192, 30);
    await server.log.until('load-start');
    expect(names(await openai.resident())).toEqual([SMALL]);
    await loading;
    const remote = (await openai.installed()).filter((one) => one.remote);
    expect(names(remote)).toEqual(['peer/far-model']);
    expect(await faultOf(openai.load('nobody', 8192, 30))).toBe('not_found');
  });
});

room('A6 other servers with /v1', () => {
  it('A6 vLLM holds its one model, with a window it tells', async () => {
    const { openai } = await setUp({ flavour: 'vllm', ownWindow: 16_384 });
    expect(await openai.ping()).toBe('version 0.32.1');
    expect(await openai.resident()).toMatchObject([{ name: MODEL, numCtx: 16_384, bytes: null }]);
    expect(await openai.manner?.()).toMatchObject({ tells: true, unloads: false });
  });

  it('A6 of any other nothing is known but what it lists', async () => {
    const { openai } = await setUp({ flavour: 'plain' });
    expect(await openai.ping()).toBe('answers');
    expect(await openai.manner?.()).toEqual({
      setsWindow: false,
      unloads: false,
      tells: false,
      swaps: false,
      expires: false,
      measures: false,
    });
    expect(names(await openai.resident())).toEqual(names(await openai.installed()));
    expect(await openai.describe(MODEL)).toBeNull();
  });

  it('A6 what is no such server says so', async () => {
    const { startTestServer } = await import('../../../support/ollama-server/server.ts');
    const ollama = await startTestServer();
    onTestFinished(() => ollama.close());
    const openai = openaiServer({ clock: systemClock(), name: 'desk', url: ollama.url });
    await expect(openai.ping()).rejects.toThrow(
      'desk does not answer as an OpenAI-compatible server',
    );
  });
});

room('A6 chats with an OpenAI-compatible server', () => {
  it('A6 every flavour is found with and without /v1 in its address, and named as its users know it', async () => {
    for (const flavour of FLAVOURS) {
      const { server } = await setUp({ flavour });
      for (const url of [`${server.url}/v1`, `${server.url}/v1/`, `${server.url}/`]) {
        const openai = openaiServer({ clock: systemClock(), name: 'LM Studio', url });
        await openai.load(MODEL, 8192, 30);
        expect((await openai.chat(ask(), go)).text).toContain('You asked');
      }
    }
    const { openai } = await setUp({ flavour: 'lm-studio' });
    expect(openai.label).toBe('desk');
    await openai.ping();
    expect(openai.label).toBe('LM Studio (desk)');
  });

  it('A6 puts tool calls together out of pieces of every kind', async () => {
    const { server, openai } = await setUp({ flavour: 'llama-server' });
    const calls = [
      { name: 'draft_order', arguments: { sku: 'SKU-VANILLA', quantity: 6 } },
      { name: 'list_stock', arguments: {} },
      { name: 'draft_order', arguments: { sku: 'SKU-STRAWBERRY', quantity: 4 } },
    ];
    server.state.speech.script = () => ({ text: 'So: ', calls });
    for (const pieces of [
      'whole',
      'arguments',
      'names',
      'repeated-names',
      'growing-names',
      'by-turns',
    ] as const) {
      for (const shape of ['chunk', 'chunks', 'done'] as const) {
        server.state.speech = { ...server.state.speech, shape };
        server.state.style = { ...server.state.style, pieces };
        const turn = await openai.chat(ask({ tools }), go);
        expect({ pieces, shape, ...turn }).toMatchObject({
          pieces,
          shape,
          text: 'So: ',
          ended: 'stop',
          toolCalls: calls,
        });
      }
    }
  });

  it('A6 a turn with calls may end with stop, the end may come with the last word, the answer may come whole', async () => {
    const { server, openai } = await setUp({ flavour: 'vllm' });
    const call = { name: 'draft_order', arguments: { sku: 'A', quantity: 6 } };
    server.state.speech.script = () => ({ text: 'So it is.', calls: [call] });
    const expected = { text: 'So it is.', ended: 'stop', toolCalls: [call] };
    for (const style of [
      { toolFinish: 'stop' as const },
      { finishWithText: true },
      { whole: true },
      { pings: true },
    ]) {
      server.state.style = { ...server.state.style, whole: false, ...style };
      expect(await openai.chat(ask({ tools }), go)).toMatchObject(expected);
    }
    server.state.style = { ...server.state.style, whole: true };
    server.state.faults = { finish: 'abort' };
    expect(await faultOf(openai.chat(ask({ tools }), go))).toBe('truncated');
    server.state.faults = { cutAfterBytes: 60 };
    expect(await faultOf(openai.chat(ask({ tools }), go))).toBe('malformed');
  });

  it('A6 gives tool results back by id, arguments as text, and a broken call as an empty one', async () => {
    const { server, openai } = await setUp({ flavour: 'llama-server' });
    const messages: ChatMessage[] = [
      ...brief,
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'a', name: 'list_stock', arguments: { all: true } },
          { id: 'b', name: 'draft_order', arguments: '{"sku": "half' },
        ],
      },
      { role: 'tool', toolCallId: 'a', toolName: 'list_stock', content: '[]' },
      { role: 'tool', toolCallId: 'b', toolName: 'draft_order', content: '{"ok":false}' },
    ];
    server.state.speech.script = () => ({ text: 'Well.', calls: [] });
    await openai.chat(ask({ messages, tools }), go);
    const sent = server.log.bodies('/v1/chat/completions')[0] as { messages: object[] };
    expect(sent).toMatchObject({
      model: MODEL,
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 1000,
      parallel_tool_calls: true,
    });
    expect(sent.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'list_stock', arguments: '{"all":true}' },
          },
          { id: 'b', type: 'function', function: { name: 'draft_order', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '[]' },
      { role: 'tool', tool_call_id: 'b', content: '{"ok":false}' },
    ]);
  });

  it('A6 an answer cut off at the limit says so', async () => {
    const { openai } = await setUp({ flavour: 'vllm', fillerTokens: 50 });
    const turn = await openai.chat(ask({ maxOutputTokens: 5 }), go);
    expect(turn).toMatchObject({ ended: 'length', outputTokens: 5 });
  });

  it('A6 sends nothing of the owner\u2019s environment, prints nothing, and follows no redirect', async () => {
    const secrets = {
      OPENAI_API_KEY: 'sk-secret',
      OPENAI_ADMIN_KEY: 'sk-admin',
      OPENAI_ORG_ID: 'org-secret',
      OPENAI_PROJECT_ID: 'proj-secret',
      OPENAI_CUSTOM_HEADERS: 'x-secret: secret',
      OPENAI_BASE_URL: 'http://secret.invalid',
      OPENAI_LOG: 'debug',
    };
    for (const [name, secret] of Object.entries(secrets)) vi.stubEnv(name, secret);
    const printed: unknown[] = [];
    const { log, warn, error, debug, info } = console;
    for (const way of ['log', 'warn', 'error', 'debug', 'info'] as const) {
      console[way] = (...line: unknown[]) => void printed.push(line);
    }
    onTestFinished(() => {
      vi.unstubAllEnvs();
      Object.assign(console, { log, warn, error, debug, info });
    });
    const { server, openai } = await setUp({ flavour: 'lm-studio' });
    await openai.load(MODEL, 8192, 30);
    await openai.chat(ask(), go);
    server.state.faults = { cutAfterBytes: 90 };
    expect(await faultOf(openai.chat(ask(), go))).toBe('truncated');
    const sent = JSON.stringify(server.log.of('request').map((one) => one.headers));
    expect(sent).not.toMatch(/secret|admin|authorization|x-stainless/i);
    expect(printed).toEqual([]);

    const { createServer } = await import('node:http');
    const elsewhere = createServer((_, response) => {
      response.writeHead(307, { location: `${server.url}/v1/models` }).end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void elsewhere.close());
    const { port } = elsewhere.address() as { port: number };
    const url = `http://127.0.0.1:${port}`;
    const asked = server.log.of('request').length;
    await expect(openaiServer({ clock: systemClock(), name: 'far', url }).ping()).rejects.toThrow();
    expect(server.log.of('request')).toHaveLength(asked);
  });

  it('A6 two tools of which one name begins with the other are told apart in every kind of pieces', () => {
    const pieces = (list: object[][], known = ['read', 'read_file']) => {
      const calls = gatherCalls(known);
      for (const event of list) calls.take(event);
      return calls.all();
    };
    const f = (index: number | undefined, name: string, args: string, id = '') => ({
      ...(index !== undefined && { index }),
      id,
      function: { name, arguments: args },
    });
    expect(pieces([[f(0, 'read', '')], [f(0, '_file', '')], [f(0, '', '{}')]])).toMatchObject([
      { name: 'read_file', arguments: '{}' },
    ]);
    expect(pieces([[f(0, 'read', '')], [f(0, 'read_file', '')], [f(0, '', '{}')]])).toMatchObject([
      { name: 'read_file' },
    ]);
    expect(pieces([[f(0, 'read', '{"a":')], [f(0, 'read', '1}')]])).toMatchObject([
      { name: 'read', arguments: '{"a":1}' },
    ]);
    expect(pieces([[f(0, 'read', '{}')], [f(0, 'read', '{}')]])).toHaveLength(2);
    expect(pieces([[f(0, 'read', ''), f(0, 'read', '')]])).toHaveLength(2);
    expect(pieces([[f(0, 'read', '', 'a')], [f(0, 'read', '', 'b')]])).toHaveLength(2);
    expect(pieces([[f(undefined, 'read', '{"a"')], [f(undefined, '', ':1}')]])).toMatchObject([
      { name: 'read', arguments: '{"a":1}' },
    ]);
    const odd = [null, 7, 'x', { index: 0 }, { function: null }] as object[];
    expect(pieces([odd, [{ function: { name: 'read', arguments: { a: 1 } } }]])).toContainEqual(
      expect.objectContaining({ arguments: '{"a":1}' }),
    );
  });

  it('A6 ids that earlier turns used are not given again', async () => {
    const { server, openai } = await setUp({ flavour: 'llama-server' });
    server.state.faults = { toolIds: 'missing' };
    const turn = await openai.chat(ask({ messages: listed(), tools }), go);
    expect(turn.toolCalls.map((call) => call.id)).not.toContain('call_1');
  });

  it('D7 names tell what is for embeddings only where nothing else does', () => {
    const yes = [
      'nomic-embed-text:latest',
      'bge-m3',
      'BAAI/bge-large',
      'mxbai-embed',
      'e5-small',
      'qwen3-reranker-4b',
      'all-minilm:33m',
    ];
    const no = ['llama3.2:latest', 'qwen/qwen3-8b', 'gemma-3-27b-it', 'bigger-model', 'gte5x'];
    expect(yes.filter(looksEmbedding)).toEqual(yes);
    expect(no.filter(looksEmbedding)).toEqual([]);
  });
});
