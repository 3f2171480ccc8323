import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished, describe as room } from 'vitest';
import { systemClock } from '../../../../main/base/clock.ts';
import type { ChatMessage, ToolCall } from '../../../../main/engine/models/server.ts';
import { ollamaServer } from '../../../../main/engine/models/servers/ollama.ts';
import type { Misbehaviour } from '../../../support/model-server/working-model.ts';
import { startTestServer } from '../../../support/ollama-server/server.ts';

const go = new AbortController().signal;
const MODEL = 'llama3.2:latest';
const STOCK = [
  { sku: 'SKU-STRAWBERRY', needed: 4 },
  { sku: 'SKU-VANILLA', needed: 6 },
  { sku: 'SKU-CHOCOLATE', needed: 0 },
];
const tools = ['list_stock', 'draft_order'].map((name) => ({
  name,
  description: name,
  parameters: { type: 'object' },
}));

/** A small shop: drafts are accepted when they are exactly the need. */
function answer(call: ToolCall): { ok: boolean; value?: unknown; message?: string } {
  if (call.name === 'list_stock') return { ok: true, value: STOCK };
  const args = typeof call.arguments === 'string' ? {} : call.arguments;
  const row = STOCK.find((one) => one.sku === args.sku && one.needed > 0);
  if (!row || row.needed !== args.quantity) return { ok: false, message: 'refused' };
  return { ok: true, value: { ...args, totalCents: row.needed * 250 } };
}

/** Plays a whole conversation; returns the accepted and the refused drafts and the last words. */
async function work(url: string) {
  const ollama = ollamaServer({ clock: systemClock(), name: 'ollama', url });
  const messages: ChatMessage[] = [{ role: 'user', content: 'Draft what is needed.' }];
  const made: unknown[] = [];
  let refused = 0;
  for (let turns = 0; turns < 10; turns++) {
    const turn = await ollama.chat(
      { model: MODEL, numCtx: 8192, messages, tools, maxOutputTokens: 500, keepAliveMinutes: 5 },
      go,
    );
    messages.push({ role: 'assistant', content: turn.text, toolCalls: turn.toolCalls });
    if (turn.toolCalls.length === 0) return { made, refused, words: turn.text };
    for (const call of turn.toolCalls) {
      const result = answer(call);
      if (!result.ok) refused += 1;
      else if (call.name === 'draft_order') made.push(call.arguments);
      messages.push({
        role: 'tool',
        toolCallId: call.id,
        toolName: call.name,
        content: JSON.stringify(result),
      });
    }
  }
  throw new Error('the conversation has no end');
}

const RIGHT = [
  { sku: 'SKU-STRAWBERRY', quantity: 4 },
  { sku: 'SKU-VANILLA', quantity: 6 },
];

room('A6 a whole piece of work on the test server', () => {
  it('A6 the shop is served in every shape of tool call, byte by byte too', async () => {
    for (const shape of ['chunk', 'chunks', 'done'] as const) {
      const server = await startTestServer({ shape, faults: { byteByByte: shape === 'chunks' } });
      onTestFinished(() => server.close());
      const { made, refused } = await work(server.url);
      expect(made).toEqual(RIGHT);
      expect(refused).toBe(0);
    }
  });

  it('A6 a model that goes wrong in one way or another still makes the right drafts', async () => {
    const ways: [Misbehaviour, number][] = [
      [{ wrongQuantity: true }, 1],
      [{ unknownSku: true }, 1],
      [{ alsoSku: 'SKU-CHOCOLATE' }, 1],
      [{ malformedArguments: true }, 2],
      [{ wrongQuantity: true, unknownSku: true, malformedArguments: true }, 4],
    ];
    const server = await startTestServer();
    onTestFinished(() => server.close());
    for (const [misbehaviour, refusals] of ways) {
      await fetch(`${server.url}/control/set`, {
        method: 'POST',
        body: JSON.stringify({ misbehaviour }),
      });
      const { made, refused } = await work(server.url);
      expect({ misbehaviour, made, refused }).toEqual({
        misbehaviour,
        made: RIGHT,
        refused: refusals,
      });
    }
    const misstated = { misbehaviour: { misstatedTotal: 'I drafted seven tubs for $15.00.' } };
    await fetch(`${server.url}/control/set`, { method: 'POST', body: JSON.stringify(misstated) });
    expect((await work(server.url)).words).toBe('I drafted seven tubs for $15.00.');
  });

  it('A6 runs as a process of its own and tells what it saw', async () => {
    const main = new URL('../../../support/ollama-server/main.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [main, '--shape', 'done', '--token-ms', '1']);
    onTestFinished(() => void child.kill('SIGKILL'));
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect((await work(url)).made).toEqual(RIGHT);
    const log = (await (await fetch(`${url}/control/log`)).json()) as { kind: string }[];
    expect(log.filter((entry) => entry.kind === 'generation-end')).toHaveLength(3);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('A6 the test server keeps the manners of the real one', async () => {
    const server = await startTestServer();
    onTestFinished(() => server.close());
    const post = async (path: string, body: unknown) => {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      return [response.status, await response.json()] as const;
    };
    expect(await (await fetch(server.url)).text()).toBe('Ollama is running');
    expect((await fetch(`${server.url}/api/ps`, { method: 'POST' })).status).toBe(405);
    expect(await post('/api/show', {})).toEqual([400, { error: 'model is required' }]);
    expect((await post('/api/generate', { model: MODEL, keep_alive: '30' }))[1]).toEqual({
      error: 'time: missing unit in duration "30"',
    });
    const odd = await post('/api/generate', { model: MODEL, options: { num_ctx: '8' } });
    expect(odd[0]).toBe(500);
    const load = await post('/api/generate', { model: MODEL, options: { num_ctx: 999_999 } });
    expect(load[1]).toMatchObject({ done: true, done_reason: 'load', response: '' });
    const ps = await (await fetch(`${server.url}/api/ps`)).json();
    expect(ps).toMatchObject({ models: [{ name: MODEL, context_length: 131_072 }] });
    // Another client without a window makes the server load the model again with its own.
    await post('/api/generate', { model: MODEL, prompt: 'hi' });
    expect(server.log.of('load-end').map((one) => one.numCtx)).toEqual([131_072, 4096]);
    const gone = await post('/api/generate', { model: MODEL, keep_alive: 0 });
    expect(gone[1]).toMatchObject({ done_reason: 'unload' });
    expect(server.resident()).toEqual([]);
  });
});
