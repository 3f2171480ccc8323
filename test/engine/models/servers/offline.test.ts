import { expect, it, describe as room } from 'vitest';
import type { ChatMessage, ChatRequest } from '../../../../main/engine/models/server.ts';
import { offlineServer } from '../../../../main/engine/models/servers/offline.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const go = new AbortController().signal;
const shopTools = [
  { name: 'list_stock', description: '', parameters: { type: 'object' } },
  { name: 'draft_order', description: '', parameters: { type: 'object' } },
];
const fileTools = [
  { name: 'list_files', description: '', parameters: { type: 'object' } },
  {
    name: 'read_file',
    description: '',
    parameters: { type: 'object', properties: { file: {} }, required: ['file'] },
  },
];

function ask(messages: ChatMessage[], tools: ChatRequest['tools'], maxOutputTokens = 1000) {
  return {
    model: 'offline',
    numCtx: 8192,
    messages,
    tools,
    maxOutputTokens,
    keepAliveMinutes: 30,
  };
}

/** Plays a whole run: answers each call, until the model stops calling. */
async function run(
  brief: ChatMessage[],
  tools: ChatRequest['tools'],
  answer: (name: string, args: Record<string, unknown>) => unknown,
) {
  const server = offlineServer({ clock: new FakeClock() });
  const messages = [...brief];
  const asked: string[] = [];
  for (let turns = 1; ; turns++) {
    const turn = await server.chat(ask(messages, tools), go);
    if (turn.toolCalls.length === 0 || turns > 20) return { text: turn.text, asked, messages };
    messages.push({ role: 'assistant', content: turn.text, toolCalls: turn.toolCalls });
    for (const call of turn.toolCalls) {
      const args = call.arguments as Record<string, unknown>;
      asked.push(`${call.name} ${JSON.stringify(args)}`);
      const content = JSON.stringify(answer(call.name, args));
      messages.push({ role: 'tool', toolCallId: call.id, toolName: call.name, content });
    }
  }
}

const rows = [
  { sku: 'SKU-CHOCOLATE', needed: 0 },
  { sku: 'SKU-STRAWBERRY', needed: 4 },
  { sku: 'SKU-VANILLA', needed: 6 },
];
const brief: ChatMessage[] = [{ role: 'user', content: 'Draft what is needed.' }];

room('A6 the offline model', () => {
  it('A6 lists the stock, drafts exactly what is needed and says what it is', async () => {
    const { asked, text } = await run(brief, shopTools, (name) =>
      name === 'list_stock' ? { ok: true, value: rows } : { ok: true, value: {} },
    );
    expect(asked).toEqual([
      'list_stock {}',
      'draft_order {"sku":"SKU-STRAWBERRY","quantity":4}',
      'draft_order {"sku":"SKU-VANILLA","quantity":6}',
    ]);
    expect(text).toBe('This is the offline model (no AI). Drafts made for items in need: 2.');
  });

  it('A6 the same messages give the same turn, with ids that no earlier call has', async () => {
    const server = offlineServer({ clock: new FakeClock() });
    const first = await server.chat(ask(brief, shopTools), go);
    expect(await server.chat(ask(brief, shopTools), go)).toEqual(first);
    const { messages } = await run(brief, shopTools, () => ({ ok: true, value: rows }));
    const ids = messages.flatMap((one) =>
      one.role === 'assistant' ? (one.toolCalls ?? []).map((call) => call.id) : [],
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('A6 earlier turns of the session do not count as this brief being done', async () => {
    const earlier = await run(brief, shopTools, (name) =>
      name === 'list_stock' ? { ok: true, value: rows } : { ok: true, value: {} },
    );
    const again: ChatMessage[] = [
      ...earlier.messages,
      { role: 'assistant', content: 'done' },
      { role: 'user', content: 'And now?' },
    ];
    const { asked } = await run(again, shopTools, (name) =>
      name === 'list_stock' ? rows.slice(2) : { ok: false, error: 'refused' },
    );
    expect(asked).toEqual(['list_stock {}', 'draft_order {"sku":"SKU-VANILLA","quantity":6}']);
  });

  it('A6 a refused draft is said, and an unreadable stock drafts nothing', async () => {
    const refused = await run(brief, shopTools, (name) =>
      name === 'list_stock' ? { ok: true, value: rows } : { ok: false, message: 'no' },
    );
    expect(refused.text).toContain('items in need: 0. 2 were refused.');
    for (const broken of [{ ok: false, message: 'no' }, 'cut off [{"sku"']) {
      const { asked, text } = await run(brief, shopTools, () => broken);
      expect(asked).toEqual(['list_stock {}']);
      expect(text).toContain('could not be read');
    }
    const enough = await run(brief, shopTools, () => ({ ok: true, value: rows.slice(0, 1) }));
    expect(enough.text).toContain('Nothing is below');
  });

  it('A6 reads every file it is given, by the argument the tool asks for, and quotes them honestly', async () => {
    const texts: Record<string, string> = { 'a.txt': 'Alpha is first.', 'b.md': 'B '.repeat(900) };
    const { asked, text } = await run(
      [{ role: 'user', content: 'Sum these up.' }],
      fileTools,
      (name, args) =>
        name === 'list_files'
          ? { ok: true, value: Object.keys(texts).map((one) => ({ name: one, bytes: 1 })) }
          : { ok: true, value: { file: args.file, text: texts[String(args.file)] } },
    );
    expect(asked).toEqual([
      'list_files {}',
      'read_file {"file":"a.txt"}',
      'read_file {"file":"b.md"}',
    ]);
    expect(text).toContain('This is the offline model (no AI). It cannot write');
    expect(text).toContain('a.txt:\nAlpha is first.');
    expect(text.length).toBeLessThan(1000);
  });

  it('A6 without files it goes on with the other tools, and without tools it only says what it is', async () => {
    const { asked } = await run(brief, [...fileTools, ...shopTools], (name) =>
      name === 'list_files' ? { ok: true, value: [] } : { ok: true, value: [] },
    );
    expect(asked).toEqual(['list_files {}', 'list_stock {}']);
    const { text } = await run([{ role: 'user', content: 'Write a poem.' }], [], () => null);
    expect(text).toContain('(no AI)');
    expect(text).toContain('Write a poem.');
  });

  it('A6 keeps to the limit of the answer and says that it was cut', async () => {
    const server = offlineServer({ clock: new FakeClock() });
    const turn = await server.chat(ask(brief, [], 5), go);
    expect(turn).toMatchObject({ ended: 'length' });
    expect(turn.text).toHaveLength(20);
  });

  it('A6 a delayed call takes its time on the clock and ends at once when stopped', async () => {
    const clock = new FakeClock();
    const server = offlineServer({ clock, delayMs: 5000 });
    const call = server.chat(ask(brief, shopTools), go);
    let over = false;
    void call.then(() => {
      over = true;
    });
    await clock.advance(4999);
    expect(over).toBe(false);
    await clock.advance(1);
    expect((await call).toolCalls).toHaveLength(1);

    const stop = new AbortController();
    const stopped = server.chat(ask(brief, shopTools), stop.signal);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ fault: 'aborted' });
    expect(clock.pendingTimers).toBe(0);
  });
});
