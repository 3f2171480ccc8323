import { expect, it, onTestFinished, describe as room } from 'vitest';
import { systemClock } from '../../../../main/base/clock.ts';
import type { ChatMessage, ChatRequest } from '../../../../main/engine/models/server.ts';
import { faultOf, sentenceOf } from '../../../../main/engine/models/servers/answer-faults.ts';
import { ollamaServer } from '../../../../main/engine/models/servers/ollama.ts';
import { withTag } from '../../../../main/engine/models/servers/ollama-names.ts';
import { startTestServer, type TestServerOptions } from '../../../support/ollama-server/server.ts';

const MODEL = 'llama3.2:latest';
const go = new AbortController().signal;

async function setUp(options: TestServerOptions = {}) {
  const server = await startTestServer(options);
  onTestFinished(() => server.close());
  const ollama = ollamaServer({ clock: systemClock(), name: 'ollama', url: server.url });
  return { server, ollama };
}

const brief: ChatMessage[] = [{ role: 'user', content: 'Draft what is needed.' }];
const tools = [
  { name: 'list_stock', description: 'Read the stock.', parameters: { type: 'object' } },
  { name: 'draft_order', description: 'Draft.', parameters: { type: 'object' } },
];

function ask(over: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: MODEL,
    numCtx: 8192,
    messages: brief,
    tools,
    maxOutputTokens: 1000,
    keepAliveMinutes: 30,
    ...over,
  };
}

room('A6 the Ollama server', () => {
  it('A6 sends the window and the time to stay with the load and with every call', async () => {
    const { server, ollama } = await setUp();
    await ollama.load(MODEL, 8192, 30);
    await ollama.chat(ask(), go);
    await ollama.chat(ask({ keepAliveMinutes: null }), go);
    const [load] = server.log.bodies('/api/generate');
    const [first, second] = server.log.bodies('/api/chat');
    expect(load).toMatchObject({ keep_alive: 1800, options: { num_ctx: 8192 } });
    expect(first).toMatchObject({
      stream: true,
      truncate: false,
      keep_alive: 1800,
      options: { num_ctx: 8192, num_predict: 1000 },
    });
    expect(second).toMatchObject({ keep_alive: -1 });
    expect(server.log.of('load-start')).toHaveLength(1);
  });

  it('A6 gathers tool calls in both shapes: whole in a chunk, and in the last one', async () => {
    const { server, ollama } = await setUp();
    const calls = [
      { name: 'draft_order', arguments: { sku: 'SKU-VANILLA', quantity: 6 } },
      { name: 'draft_order', arguments: { sku: 'SKU-STRAWBERRY', quantity: 4 } },
    ];
    for (const shape of ['chunk', 'chunks', 'done'] as const) {
      server.speech = { ...server.speech, shape, script: () => ({ text: 'So:', calls }) };
      const turn = await ollama.chat(ask(), go);
      expect(turn).toMatchObject({ text: 'So:', ended: 'stop', toolCalls: calls });
      expect(Number(turn.promptTokens)).toBeGreaterThan(0);
    }
  });

  it('A6 gives tool results back by name and id, with arguments as objects, and a broken call as an empty one', async () => {
    const { server, ollama } = await setUp();
    const messages: ChatMessage[] = [
      ...brief,
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'a', name: 'list_stock', arguments: {} },
          { id: 'b', name: 'draft_order', arguments: '{"sku": "half' },
        ],
      },
      { role: 'tool', toolCallId: 'a', toolName: 'list_stock', content: '[]' },
      { role: 'tool', toolCallId: 'b', toolName: 'draft_order', content: '{"ok":false}' },
    ];
    await ollama.chat(ask({ messages }), go);
    const sent = server.log.bodies('/api/chat')[0]?.messages as Record<string, unknown>[];
    expect(sent.slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'a', function: { name: 'list_stock', arguments: {} } },
          { id: 'b', function: { name: 'draft_order', arguments: {} } },
        ],
      },
      { role: 'tool', content: '[]', tool_name: 'list_stock', tool_call_id: 'a' },
      { role: 'tool', content: '{"ok":false}', tool_name: 'draft_order', tool_call_id: 'b' },
    ]);
  });

  it('A6 an answer cut off at the limit says so', async () => {
    const { ollama } = await setUp({ fillerTokens: 50 });
    const turn = await ollama.chat(ask({ tools: [], maxOutputTokens: 5 }), go);
    expect(turn).toMatchObject({ ended: 'length', outputTokens: 5 });
  });

  it('S3 describes a model, asking again for what the short answer blanks', async () => {
    const { server, ollama } = await setUp();
    expect(await ollama.describe('llama3.2')).toMatchObject({
      architecture: 'llama',
      layers: 28,
      kvHeads: 8,
      keyLength: 128,
      valueLength: 128,
      trainedContext: 131_072,
      fileBytes: 2_019_393_189,
      unusual: false,
    });
    expect(server.log.bodies('/api/show')).toMatchObject([{ verbose: false }]);
    expect(await ollama.describe('layered:latest')).toMatchObject({
      kvHeads: [2, 2, 0, 2],
      keyLength: 256,
      unusual: false,
    });
    expect(server.log.bodies('/api/show').at(-1)).toMatchObject({ verbose: true });
    expect(await ollama.describe('hybrid:latest')).toMatchObject({ unusual: true });
  });

  it('S3 a model of another format, or with numbers missing, has no shape', async () => {
    const { server } = await setUp({
      models: [
        {
          name: 'mlx:latest',
          digest: 'a',
          bytes: 10,
          architecture: 'llama',
          info: {},
          capabilities: ['completion'],
          format: 'safetensors',
        },
        {
          name: 'bare:latest',
          digest: 'b',
          bytes: 10,
          architecture: 'llama',
          info: { block_count: 4 },
          capabilities: ['completion'],
        },
      ],
    });
    const ollama = ollamaServer({ clock: systemClock(), name: 'den', url: server.url });
    expect(ollama.label).toBe('Ollama (den)');
    expect(await ollama.describe('mlx')).toBeNull();
    expect(await ollama.describe('bare')).toBeNull();
  });

  it('A6 lists names with their tag, and says which models run elsewhere', async () => {
    const { ollama } = await setUp();
    const installed = await ollama.installed();
    expect(installed.find((one) => one.remote)?.name).toBe('elsewhere:cloud');
    expect(installed.every((one) => one.name.includes(':'))).toBe(true);
    expect(withTag('llama3.2')).toBe('llama3.2:latest');
    expect(withTag('host:5000/team/model')).toBe('host:5000/team/model:latest');
    expect(withTag('qwen3:4b')).toBe('qwen3:4b');
  });

  it('A6 prints nothing, whatever the server sends', async () => {
    const { server, ollama } = await setUp({ faults: { cutAfterBytes: 40 } });
    const printed: unknown[] = [];
    const { log, warn, error } = console;
    console.log = console.warn = console.error = (...line) => void printed.push(line);
    onTestFinished(() => void Object.assign(console, { log, warn, error }));
    await expect(ollama.chat(ask(), go)).rejects.toThrow();
    server.faults = { busy: true };
    await expect(ollama.chat(ask(), go)).rejects.toThrow('server busy');
    expect(printed).toEqual([]);
  });

  it('A6 the texts of errors have their classes, in the words of several versions', () => {
    const cases: [number | null, string, string][] = [
      [503, 'Loading model (unavailable_error)', 'loading'],
      [503, 'anything', 'busy'],
      [429, 'slow down', 'busy'],
      [
        500,
        'model requires more system memory (20 GiB) than is available (9 GiB)',
        'out_of_memory',
      ],
      [500, 'model requires 20 GiB but only 9 GiB are available', 'out_of_memory'],
      [
        500,
        'llama runner process has terminated: cudaMalloc failed: out of memory',
        'out_of_memory',
      ],
      [null, 'ErrorOutOfDeviceMemory', 'out_of_memory'],
      [400, '"nomic" does not support chat', 'unsupported'],
      [400, 'the input length exceeds the context length', 'context_too_long'],
      [500, "error parsing tool call: raw='{', err=EOF", 'malformed'],
      [500, 'error loading model: bad magic', 'server'],
      [500, 'timed out waiting for llama runner to start - progress 1.00 - ', 'stalled'],
      [404, 'page', 'not_found'],
      [403, '', 'denied'],
    ];
    for (const [status, text, fault] of cases) {
      expect({ text, fault: faultOf(status, text) }).toEqual({ text, fault });
    }
    const nested = JSON.stringify({
      error: JSON.stringify({ error: { code: 1, message: 'deep' } }),
    });
    expect(sentenceOf(nested)).toBe('deep');
    expect(sentenceOf('<html>\n bad gateway</html>')).toBe('<html> bad gateway</html>');
  });
});
