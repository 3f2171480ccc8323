import { expect, it, onTestFinished, describe as room } from 'vitest';
import { systemClock } from '../../../../main/base/clock.ts';
import type { ChatMessage, ModelServer } from '../../../../main/engine/models/server.ts';
import { ollamaServer } from '../../../../main/engine/models/servers/ollama.ts';
import { PATIENCE, type Patience } from '../../../../main/engine/models/watchdog.ts';
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../../support/ollama-server/server.ts';
import { asking, faultOf, go, listed, tools } from './a-chat.ts';

const MODEL = 'llama3.2:latest';

async function setUp(
  options: TestServerOptions = {},
  patience: Partial<Patience> = {},
): Promise<{ server: TestServer; ollama: ModelServer }> {
  const server = await startTestServer(options);
  onTestFinished(() => server.close());
  const ollama = ollamaServer({
    clock: systemClock(),
    name: 'ollama',
    url: server.url,
    patience: { ...PATIENCE, ...patience },
  });
  return { server, ollama };
}

const ask = asking(MODEL);

room('A6 the Ollama server, fault by fault', () => {
  it('A6 fault 1: an unload answered with success leaves the model listed, and only the list counts', async () => {
    const { server, ollama } = await setUp({ faults: { stuckUnload: 2 } });
    await ollama.load(MODEL, 8192, 30);
    await ollama.unload(MODEL);
    expect(await ollama.resident()).toHaveLength(1);
    expect(await ollama.resident()).toHaveLength(1);
    expect(await ollama.resident()).toHaveLength(0);
    expect(server.log.of('unload-asked')).toHaveLength(1);
  });

  it('A6 fault 2: an error inside a good stream has its class, and the text before it is no answer', async () => {
    const { server, ollama } = await setUp({ faults: { streamError: 'line' } });
    expect(await faultOf(ollama.chat(ask(), go))).toBe('server');
    server.faults = { streamError: 'odd-key' };
    expect(await faultOf(ollama.chat(ask(), go))).toBe('malformed');
    server.faults = { streamError: 'out-of-memory' };
    expect(await faultOf(ollama.chat(ask(), go))).toBe('out_of_memory');
  });

  it('A6 fault 3: an answer cut at any byte, or ended without its last line, is truncated', async () => {
    const { server, ollama } = await setUp({ faults: { noDone: true } });
    expect(await faultOf(ollama.chat(ask(), go))).toBe('truncated');
    server.faults = {};
    let whole = 0;
    server.speech = { ...server.speech, script: () => ({ text: 'Ünïcode 🍦 ok', calls: [] }) };
    const turn = await ollama.chat(ask(), go);
    expect(turn.text).toBe('Ünïcode 🍦 ok');
    for (let bytes = 0; bytes < 2000; bytes += bytes < 300 ? 1 : 13) {
      server.faults = { cutAfterBytes: bytes };
      const fault = await faultOf(ollama.chat(ask(), go));
      if (fault === 'none') {
        whole = bytes;
        break;
      }
      expect({ bytes, fault }).toEqual({ bytes, fault: 'truncated' });
    }
    expect(whole).toBeGreaterThan(300);
  });

  it('A6 fault 4: a reset connection is truncated, before the headers and in the middle', async () => {
    const { server, ollama } = await setUp({ faults: { reset: 'before-headers' } });
    expect(await faultOf(ollama.chat(ask(), go))).toBe('truncated');
    server.faults = { reset: 'mid-stream' };
    expect(await faultOf(ollama.chat(ask(), go))).toBe('truncated');
  });

  it('A6 fault 5: a late first token is waited for within its own limit, and a silence beyond it is a stall', async () => {
    const { server, ollama } = await setUp(
      { faults: { firstTokenMs: 120 } },
      { load: 200, firstToken: 200, betweenTokens: 30 },
    );
    expect((await ollama.chat(ask(), go)).text).toContain('You asked');
    server.faults = { firstTokenMs: 60_000 };
    expect(await faultOf(ollama.chat(ask(), go))).toBe('stalled');
    await server.log.until('generation-abort');
  });

  it('A6 fault 5: silence between tokens has its own limit, and every byte starts it anew', async () => {
    const { server, ollama } = await setUp(
      { tokenMs: 40, fillerTokens: 6 },
      { load: 60_000, firstToken: 60_000, betweenTokens: 400 },
    );
    expect((await ollama.chat(ask(), go)).text).toContain('word5');
    server.speech = { ...server.speech, tokenMs: 30_000, fillerTokens: 0 };
    server.speech.script = () => ({ text: 'never heard', calls: [] });
    const patient = ollamaServer({
      clock: systemClock(),
      name: 'ollama',
      url: server.url,
      patience: { answer: 200, load: 50, firstToken: 50, betweenTokens: 50 },
    });
    expect(await faultOf(patient.chat(ask(), go))).toBe('stalled');
  });

  it('A6 fault 6: an aborted call ends at once though the server works on, and the next one waits for it', async () => {
    const { server, ollama } = await setUp({
      faults: { keepsWorkingMs: 300 },
      tokenMs: 20,
      fillerTokens: 500,
    });
    const stop = new AbortController();
    const call = faultOf(ollama.chat(ask({ onText: () => stop.abort() }), stop.signal));
    expect(await call).toBe('aborted');
    expect(server.log.of('generation-end')).toHaveLength(0);
    server.speech = { ...server.speech, tokenMs: 0, fillerTokens: 0 };
    await ollama.chat(ask(), go);
    const kinds = server.log.entries.map((entry) => entry.kind);
    expect(kinds.indexOf('generation-end')).toBeLessThan(kinds.lastIndexOf('generation-start'));
  });

  it('A6 fault 6: an abort reaches the socket, in a cold load before any header and in the middle of an answer', async () => {
    const { server, ollama } = await setUp({ loadMs: 60_000 });
    const stop = new AbortController();
    const loading = faultOf(ollama.chat(ask(), stop.signal));
    await server.log.until('load-start');
    stop.abort();
    expect(await loading).toBe('aborted');
    await server.log.until('load-abort');

    server.loadMs = 0;
    server.speech = { ...server.speech, tokenMs: 10, fillerTokens: 1000 };
    const again = new AbortController();
    const talking = faultOf(ollama.chat(ask({ onText: () => again.abort() }), again.signal));
    expect(await talking).toBe('aborted');
    await server.log.until('generation-abort');
  });

  it('A6 fault 7: arguments that are no JSON stay text, and a server that failed on them is malformed', async () => {
    const { server, ollama } = await setUp();
    const request = ask({ messages: listed(), tools });
    for (const toolArguments of ['truncated', 'trailing', 'glued'] as const) {
      server.faults = { toolArguments };
      const turn = await ollama.chat(request, go);
      expect(turn.toolCalls).toHaveLength(2);
      expect(turn.toolCalls.every((call) => typeof call.arguments === 'string')).toBe(true);
    }
    for (const toolArguments of ['error-500', 'error-key'] as const) {
      server.faults = { toolArguments };
      expect(await faultOf(ollama.chat(request, go))).toBe('malformed');
    }
  });

  it('A6 fault 8: missing, empty and repeated ids are replaced, identical calls and their order are kept', async () => {
    const { server, ollama } = await setUp();
    const same = { name: 'draft_order', arguments: { sku: 'A', quantity: 1 } };
    server.speech.script = () => ({ text: '', calls: [same, same, same] });
    for (const shape of ['chunk', 'chunks', 'done'] as const) {
      for (const toolIds of ['missing', 'empty', 'same'] as const) {
        server.speech = { ...server.speech, shape };
        server.faults = { toolIds };
        const { toolCalls } = await ollama.chat(ask({ messages: listed(), tools }), go);
        expect(toolCalls.map((call) => call.arguments)).toEqual([
          same.arguments,
          same.arguments,
          same.arguments,
        ]);
        const ids = new Set([...toolCalls.map((call) => call.id), 'call_1']);
        expect(ids.size).toBe(4);
      }
    }
  });

  it('A6 fault 9: an empty answer is an answer, cut off or not', async () => {
    const { server, ollama } = await setUp();
    for (const [empty, ended] of [
      ['stop', 'stop'],
      ['length', 'length'],
      ['thinking', 'stop'],
    ] as const) {
      server.faults = { empty };
      const turn = await ollama.chat(ask(), go);
      expect(turn).toMatchObject({ text: '', toolCalls: [], ended });
    }
  });

  it('A6 fault 10: a model evicted between calls is loaded again with the same window', async () => {
    const { server, ollama } = await setUp({ faults: { evict: 'after' } });
    await ollama.load(MODEL, 8192, 30);
    await ollama.chat(ask(), go);
    expect(await ollama.resident()).toEqual([]);
    await ollama.chat(ask(), go);
    expect(server.log.of('load-end').map((entry) => entry.numCtx)).toEqual([8192, 8192]);
    server.faults = { evict: 'during' };
    expect(await faultOf(ollama.chat(ask(), go))).toBe('server');
    expect(await ollama.resident()).toEqual([]);
  });

  it('A6 fault 11: a server that is gone is unreachable, and is used again when it is back', async () => {
    const { server, ollama } = await setUp({ tokenMs: 10, fillerTokens: 1000 });
    const running = faultOf(ollama.chat(ask(), go));
    await server.log.until('generation-start');
    await server.crash();
    expect(await running).toBe('truncated');
    expect(await faultOf(ollama.ping())).toBe('unreachable');
    expect(await faultOf(ollama.chat(ask(), go))).toBe('unreachable');
    await server.restart();
    expect(await ollama.ping()).toBe('0.33.1');
    expect(await ollama.resident()).toEqual([]);
  });

  it('A6 fault 12: an odd expiry changes nothing about what is resident', async () => {
    const { server, ollama } = await setUp();
    await ollama.load(MODEL, 8192, null);
    const plain = await ollama.resident();
    for (const expiresAt of ['past', 'far', 'zero', 'offset'] as const) {
      server.faults = { expiresAt };
      expect(await ollama.resident()).toEqual(plain);
    }
    expect(plain).toMatchObject([{ name: MODEL, numCtx: 8192 }]);
  });

  it('A6 fault 13: numbers that cannot be are unknown, not believed', async () => {
    const { server, ollama } = await setUp();
    await ollama.load(MODEL, 8192, 30);
    for (const numbers of ['beyond', 'negative', 'fraction'] as const) {
      server.faults = { numbers };
      expect(await ollama.resident()).toMatchObject([{ bytes: null, numCtx: 8192 }]);
    }
    server.faults = {};
    const huge = { name: 'draft_order', arguments: { sku: 'A', quantity: 1e20 } };
    server.speech.script = () => ({ text: '', calls: [huge] });
    const turn = await ollama.chat(ask({ messages: listed(), tools }), go);
    expect(turn.toolCalls[0]?.arguments).toEqual(huge.arguments);
  });

  it('A6 fault 14: letters split over bytes come out whole', async () => {
    const { server, ollama } = await setUp({ faults: { byteByByte: true } });
    const text = 'Мороженое 🍨 ванильное — 7 tubs ';
    server.speech.script = () => ({ text, calls: [] });
    const pieces: string[] = [];
    const turn = await ollama.chat(ask({ onText: (piece) => void pieces.push(piece) }), go);
    expect(turn.text).toBe(text);
    expect(pieces.join('')).toBe(text);
  });

  it('A6 fault 15: two loads at once: the failed one has its class, a model listed twice is one name', async () => {
    const { server, ollama } = await setUp({ loadMs: 100, faults: { loads: 'second-fails' } });
    const first = ollama.load(MODEL, 8192, 30);
    await server.log.until('load-start');
    expect(await faultOf(ollama.load('tiny:latest', 4096, 30))).toBe('server');
    await first;
    server.faults = { loads: 'twice' };
    expect(new Set((await ollama.resident()).map((one) => one.name))).toEqual(new Set([MODEL]));
  });

  it('A6 fault 16: a call written into the text stays text', async () => {
    const { server, ollama } = await setUp();
    for (const callsAsText of ['xml', 'json'] as const) {
      server.faults = { callsAsText };
      const turn = await ollama.chat(ask({ messages: listed(), tools }), go);
      expect(turn.toolCalls).toEqual([]);
      expect(turn.text).toContain('draft_order');
    }
  });

  it('A6 fault 17: a size that is only the file is reported as the server gave it, for the loader to doubt', async () => {
    const { server, ollama } = await setUp();
    await ollama.load(MODEL, 8192, 30);
    const [honest] = await ollama.resident();
    server.faults = { sizeIsFile: true };
    const [file] = await ollama.resident();
    const [installed] = (await ollama.installed()).filter((one) => one.name === MODEL);
    expect(file?.bytes).toBe(installed?.bytes);
    expect(Number(honest?.bytes)).toBeGreaterThan(Number(file?.bytes));
  });

  it('A6 error answers have their class: busy, no memory, unknown model, no tools, too long', async () => {
    const { server, ollama } = await setUp();
    server.faults = { busy: true };
    expect(await faultOf(ollama.chat(ask(), go))).toBe('busy');
    server.faults = { outOfMemory: true };
    expect(await faultOf(ollama.load(MODEL, 8192, 30))).toBe('out_of_memory');
    server.faults = {};
    expect(await faultOf(ollama.load('nobody:latest', 8192, 30))).toBe('not_found');
    expect(await faultOf(ollama.chat(ask({ model: 'wordless', tools }), go))).toBe('unsupported');
    const messages: ChatMessage[] = [{ role: 'user', content: 'word '.repeat(9000) }];
    expect(await faultOf(ollama.chat(ask({ messages }), go))).toBe('context_too_long');
  });
});
