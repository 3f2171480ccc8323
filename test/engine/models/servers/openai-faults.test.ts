import { expect, it, onTestFinished, describe as room } from 'vitest';
import { systemClock } from '../../../../main/base/clock.ts';
import type { ChatMessage, ModelServer } from '../../../../main/engine/models/server.ts';
import { openaiServer } from '../../../../main/engine/models/servers/openai.ts';
import { PATIENCE, type Patience } from '../../../../main/engine/models/watchdog.ts';
import {
  FLAVOURS,
  type OpenaiServerOptions,
  type OpenaiTestServer,
  startOpenaiServer,
} from '../../../support/openai-server/server.ts';
import { asking, faultOf, go, listed, tools } from './a-chat.ts';

const MODEL = 'qwen/qwen3-8b';
const SMALL = 'llama-3.2-3b-instruct';
const ask = asking(MODEL);
/** Those whose memory Lull can change. */
const MANAGED = ['lm-studio', 'llama-router', 'llama-swap'] as const;

async function setUp(
  options: Partial<OpenaiServerOptions> = {},
  patience: Partial<Patience> = {},
): Promise<{ server: OpenaiTestServer; openai: ModelServer }> {
  const server = await startOpenaiServer({ flavour: 'lm-studio', ...options });
  onTestFinished(() => server.close());
  const openai = openaiServer({
    clock: systemClock(),
    name: 'desk',
    url: server.url,
    patience: { ...PATIENCE, ...patience },
  });
  await openai.load(MODEL, 8192, 30);
  return { server, openai };
}

/** What the model says next, whatever it is asked. */
function says(server: OpenaiTestServer, text: string, calls: object[] = []): void {
  server.state.speech.script = () => ({ text, calls: calls as never });
}

room('A6 an OpenAI-compatible server, fault by fault', () => {
  it('A6 fault 1: an unload answered with success leaves the model listed, and only the list counts', async () => {
    for (const flavour of MANAGED) {
      const { server, openai } = await setUp({ flavour });
      server.state.faults = { stuckUnload: 2 };
      await openai.unload(MODEL);
      const seen = [];
      for (let look = 0; look < 8; look++) seen.push((await openai.resident()).length);
      expect({ flavour, first: seen[0], last: seen.at(-1) }).toEqual({
        flavour,
        first: 1,
        last: 0,
      });
      expect(server.log.of('unload-asked')).toHaveLength(1);
    }
  });

  it('A6 fault 2: an error inside a good stream has its class in each of its forms, and the text before it is no answer', async () => {
    const { server, openai } = await setUp();
    for (const [streamError, fault] of [
      ['line', 'server'],
      ['odd-key', 'server'],
      ['named-event', 'server'],
      ['out-of-memory', 'out_of_memory'],
    ] as const) {
      server.state.faults = { streamError };
      expect({ streamError, fault: await faultOf(openai.chat(ask(), go)) }).toEqual({
        streamError,
        fault,
      });
    }
  });

  it('A6 fault 3: an answer cut at any byte before its finish_reason is truncated, and whole from there on', async () => {
    const { server, openai } = await setUp();
    says(server, 'Ünïcode 🍦 ok');
    const whole = await openai.chat(ask(), go);
    expect(whole.text).toBe('Ünïcode 🍦 ok');
    let cut = 0;
    for (let bytes = 0; cut === 0 && bytes < 3000; bytes += bytes < 500 ? 3 : 11) {
      server.state.faults = { cutAfterBytes: bytes };
      const turn = openai.chat(ask(), go);
      const fault = await faultOf(turn);
      if (fault === 'none') {
        cut = bytes;
        expect((await turn).text).toBe(whole.text);
      } else expect({ bytes, fault }).toEqual({ bytes, fault: 'truncated' });
    }
    expect(cut).toBeGreaterThan(400);
  });

  it('A6 fault 3: no finish_reason is no success, with or without [DONE]; after one, nothing more is needed', async () => {
    const { server, openai } = await setUp();
    server.state.faults = { noDone: true };
    expect(await faultOf(openai.chat(ask(), go))).toBe('truncated');
    server.state.faults = { doneMark: 'unfinished' };
    expect(await faultOf(openai.chat(ask(), go))).toBe('truncated');
    server.state.faults = { finish: 'abort' };
    expect(await faultOf(openai.chat(ask(), go))).toBe('truncated');
    server.state.faults = { doneMark: 'missing' };
    expect(await openai.chat(ask(), go)).toMatchObject({ ended: 'stop' });
    server.state.faults = { doneMark: 'half-usage' };
    expect(await openai.chat(ask(), go)).toMatchObject({ ended: 'stop', promptTokens: null });
    server.state.faults = { doubleFinish: true };
    expect(await openai.chat(ask(), go)).toMatchObject({ ended: 'stop' });
  });

  it('A6 fault 4: a reset connection is truncated, before the headers and in the middle', async () => {
    const { server, openai } = await setUp();
    for (const reset of ['before-headers', 'mid-stream'] as const) {
      server.state.faults = { reset };
      expect(await faultOf(openai.chat(ask(), go))).toBe('truncated');
    }
    expect(server.log.of('generation-start')).toHaveLength(2);
  });

  it('A6 fault 5: a late first token is waited for within its own limit, and a silence beyond it is a stall', async () => {
    const { server, openai } = await setUp(
      {},
      { load: 200, firstToken: 200, betweenTokens: 30, answer: 5000 },
    );
    server.state.faults = { firstTokenMs: 120 };
    expect((await openai.chat(ask(), go)).text).toContain('You asked');
    server.state.faults = { firstTokenMs: 60_000 };
    expect(await faultOf(openai.chat(ask(), go))).toBe('stalled');
    await server.log.until('generation-abort');
  });

  it('A6 fault 5: a silence between tokens is a stall, though the client would call it an end', async () => {
    const { server, openai } = await setUp(
      { tokenMs: 40, fillerTokens: 3 },
      { betweenTokens: 400 },
    );
    expect((await openai.chat(ask(), go)).text).toContain('word2');
    server.state.faults = { silentAfter: 2 };
    const pieces: string[] = [];
    const call = openai.chat(ask({ onText: (piece) => void pieces.push(piece) }), go);
    expect(await faultOf(call)).toBe('stalled');
    expect(pieces).toEqual(['word0 ', 'word1 ']);
    await server.log.until('generation-abort');
  });

  it('A6 fault 6: an aborted call ends at once though the server works on, and its text is no answer', async () => {
    const { server, openai } = await setUp({ tokenMs: 20, fillerTokens: 500 });
    server.state.faults = { keepsWorkingMs: 300 };
    const stop = new AbortController();
    const call = faultOf(openai.chat(ask({ onText: () => stop.abort() }), stop.signal));
    expect(await call).toBe('aborted');
    expect(server.log.of('generation-end')).toHaveLength(0);
    server.state.speech = { ...server.state.speech, tokenMs: 0, fillerTokens: 0 };
    await openai.chat(ask(), go);
    const kinds = server.log.entries.map((entry) => entry.kind);
    expect(kinds.indexOf('generation-end')).toBeLessThan(kinds.lastIndexOf('generation-start'));
  });

  it('A6 fault 6: an abort reaches the socket, before any header and in the middle of an answer', async () => {
    const { server, openai } = await setUp();
    server.state.faults = { firstTokenMs: 60_000 };
    const stop = new AbortController();
    const waiting = faultOf(openai.chat(ask(), stop.signal));
    await server.log.until('generation-start');
    stop.abort();
    expect(await waiting).toBe('aborted');
    await server.log.until('generation-abort');

    server.state.faults = {};
    server.state.speech = { ...server.state.speech, tokenMs: 10, fillerTokens: 1000 };
    const again = new AbortController();
    const talking = faultOf(openai.chat(ask({ onText: () => again.abort() }), again.signal));
    expect(await talking).toBe('aborted');
    await server.log.until('generation-abort', 2);
  });

  it('A6 fault 6: an abort in a load reaches the server', async () => {
    for (const flavour of ['lm-studio', 'llama-swap'] as const) {
      const { server, openai } = await setUp({ flavour });
      server.state.loadMs = 60_000;
      const stop = new AbortController();
      const loading = faultOf(openai.load(SMALL, 8192, 30, stop.signal));
      await server.log.until('load-start', 2);
      stop.abort();
      expect(await loading).toBe('aborted');
      await server.log.until('load-abort');
    }
  });

  it('A6 fault 7: arguments that are no JSON stay text, and a server that failed on them is malformed', async () => {
    const { server, openai } = await setUp();
    const request = ask({ messages: listed(), tools });
    for (const toolArguments of ['truncated', 'trailing', 'glued'] as const) {
      server.state.faults = { toolArguments };
      const turn = await openai.chat(request, go);
      expect(turn.toolCalls).toHaveLength(2);
      expect(turn.toolCalls.every((call) => typeof call.arguments === 'string')).toBe(true);
    }
    for (const toolArguments of ['error-500', 'error-key'] as const) {
      server.state.faults = { toolArguments };
      expect(await faultOf(openai.chat(request, go))).toBe('malformed');
    }
  });

  it('A6 fault 8: missing, empty and repeated ids are replaced, and calls with one index kept apart, in order', async () => {
    const { server, openai } = await setUp();
    const same = { name: 'draft_order', arguments: { sku: 'A', quantity: 1 } };
    says(server, '', [same, same, same]);
    for (const shape of ['chunk', 'chunks', 'done'] as const) {
      for (const toolIds of ['missing', 'empty', 'same'] as const) {
        server.state.speech = { ...server.state.speech, shape };
        server.state.style = { ...server.state.style, pieces: 'whole' };
        server.state.faults = { toolIds };
        const { toolCalls } = await openai.chat(ask({ messages: listed(), tools }), go);
        expect({ shape, toolIds, calls: toolCalls.map((call) => call.arguments) }).toEqual({
          shape,
          toolIds,
          calls: [same.arguments, same.arguments, same.arguments],
        });
        expect(new Set([...toolCalls.map((call) => call.id), 'call_1']).size).toBe(4);
      }
    }
  });

  it('A6 fault 9: an empty answer is an answer, cut off or not', async () => {
    const { server, openai } = await setUp();
    for (const [empty, ended] of [
      ['stop', 'stop'],
      ['length', 'length'],
      ['thinking', 'stop'],
    ] as const) {
      server.state.faults = { empty };
      const turn = await openai.chat(ask(), go);
      expect(turn).toMatchObject({ text: '', toolCalls: [], ended });
    }
  });

  it('A6 fault 10: a model evicted between calls is an error where no other answers, and is loaded again', async () => {
    const { server, openai } = await setUp();
    server.state.faults = { evict: 'after' };
    await openai.chat(ask(), go);
    expect(await openai.resident()).toEqual([]);
    await openai.load(MODEL, 8192, 30);
    expect(server.log.of('load-end').map((entry) => entry.numCtx)).toEqual([8192, 8192]);
    server.state.faults = { evict: 'during' };
    expect(await faultOf(openai.chat(ask(), go))).toBe('server');
    expect(await openai.resident()).toEqual([]);
  });

  it('A6 fault 10: an answer of another model is refused, where that happens', async () => {
    for (const flavour of ['lm-studio', 'lm-studio-v0'] as const) {
      const { server, openai } = await setUp({ flavour });
      server.state.faults = { otherModel: SMALL };
      const call = openai.chat(ask(), go);
      await expect(call).rejects.toThrow(`answered with ${SMALL} instead of ${MODEL}`);
      // A name that is no other model of this server is only another way to write it.
      server.state.faults = { otherModel: 'qwen3-8b' };
      expect(await faultOf(openai.chat(ask(), go))).toBe('none');
    }
  });

  it('A6 fault 11: a server that is gone is unreachable, and is used again when it is back', async () => {
    const { server, openai } = await setUp({ tokenMs: 10, fillerTokens: 1000 });
    const running = faultOf(openai.chat(ask(), go));
    await server.log.until('generation-start');
    await server.crash();
    expect(await running).toBe('truncated');
    expect(await faultOf(openai.ping())).toBe('unreachable');
    expect(await faultOf(openai.chat(ask(), go))).toBe('unreachable');
    await server.restart();
    expect(await openai.ping()).toBe('LM Studio');
    expect(await openai.resident()).toEqual([]);
  });

  it('A6 fault 11: after a restart another program may answer, and is seen for what it is', async () => {
    const { server, openai } = await setUp();
    expect(openai.label).toBe('LM Studio (desk)');
    for (const flavour of [...FLAVOURS, 'lm-studio'] as const) {
      await server.crash();
      expect(await faultOf(openai.resident())).toBe('unreachable');
      await server.restart(flavour);
      await openai.ping();
      const titles: Record<string, string> = {
        'llama-server': 'llama.cpp',
        'llama-router': 'llama.cpp',
        'llama-swap': 'llama-swap',
        'lm-studio-v0': 'LM Studio',
        'lm-studio': 'LM Studio',
        vllm: 'vLLM',
      };
      expect(openai.label).toBe(`${titles[flavour] ?? 'OpenAI-compatible server'} (desk)`);
    }
  });

  it('A6 fault 11: a restart that nobody noticed is found out by the first answer that does not fit', async () => {
    const { server, openai } = await setUp();
    await server.crash();
    await server.restart('llama-router');
    expect(await openai.resident()).toEqual([]);
    expect(openai.label).toBe('llama.cpp (desk)');
  });

  it('A6 fault 13: numbers that cannot be are unknown, not believed', async () => {
    const { server, openai } = await setUp();
    for (const numbers of ['beyond', 'negative', 'fraction'] as const) {
      server.state.faults = { numbers };
      const installed = await openai.installed();
      expect(installed.find((one) => one.name === MODEL)).toMatchObject({ bytes: null });
      const turn = await openai.chat(ask(), go);
      expect(turn.promptTokens).toBeNull();
    }
    server.state.faults = {};
    const huge = { name: 'draft_order', arguments: { sku: 'A', quantity: 1e20 } };
    says(server, '', [huge]);
    const turn = await openai.chat(ask({ messages: listed(), tools }), go);
    expect(turn.toolCalls[0]?.arguments).toEqual(huge.arguments);
  });

  it('A6 fault 14: letters split over bytes come out whole, in lines that end either way', async () => {
    const { server, openai } = await setUp({ faults: { byteByByte: true } });
    const text = 'Мороженое 🍨 ванильное — 7 tubs ';
    says(server, text);
    for (const lineEnd of ['\n', '\r\n'] as const) {
      server.state.style = { ...server.state.style, lineEnd, pings: true };
      const pieces: string[] = [];
      const turn = await openai.chat(ask({ onText: (piece) => void pieces.push(piece) }), go);
      expect(turn.text).toBe(text);
      expect(pieces.join('')).toBe(text);
    }
  });

  it('A6 fault 15: two loads at once: the failed one has its class, a second instance is seen as one', async () => {
    const { server, openai } = await setUp();
    server.state.loadMs = 100;
    server.state.faults = { loads: 'second-fails' };
    await openai.unload(MODEL);
    const first = openai.load(MODEL, 8192, 30);
    await server.log.until('load-start', 2);
    expect(await faultOf(openai.load(SMALL, 4096, 30))).toBe('server');
    await first;
    server.state.faults = { loads: 'twice' };
    // Each instance has memory of its own.
    expect((await openai.resident()).map((one) => one.name)).toEqual([MODEL, MODEL]);
    // A load where one is there already makes no third one.
    await openai.load(MODEL, 8192, 30);
    expect(server.log.bodies('/api/v1/models/load')).toHaveLength(3);
  });

  it('A6 fault 16: a call written into the text stays text', async () => {
    const { server, openai } = await setUp();
    for (const callsAsText of ['xml', 'json'] as const) {
      server.state.faults = { callsAsText };
      const turn = await openai.chat(ask({ messages: listed(), tools }), go);
      expect(turn.toolCalls).toEqual([]);
      expect(turn.text).toContain('draft_order');
    }
  });

  it('A6 fault 17: the size of the file is never taken for memory', async () => {
    for (const flavour of FLAVOURS) {
      const { openai } = await setUp({ flavour });
      const resident = await openai.resident();
      expect(resident.every((one) => one.bytes === null)).toBe(true);
    }
  });

  it('A6 error answers have their class: busy, no memory, unknown model, no tools, no key, too long', async () => {
    const { server, openai } = await setUp({ ownWindow: 4096 });
    server.state.faults = { busy: true };
    expect(await faultOf(openai.chat(ask(), go))).toBe('busy');
    server.state.faults = { outOfMemory: true };
    expect(await faultOf(openai.load(SMALL, 8192, 30))).toBe('out_of_memory');
    server.state.faults = {};
    expect(await faultOf(openai.load('nobody', 8192, 30))).toBe('not_found');
    await openai.load('gemma-3-27b-it', 8192, 30);
    const request = ask({ model: 'gemma-3-27b-it', tools });
    expect(await faultOf(openai.chat(request, go))).toBe('unsupported');
    const messages: ChatMessage[] = [{ role: 'user', content: 'word '.repeat(9000) }];
    expect(await faultOf(openai.chat(ask({ messages }), go))).toBe('context_too_long');
    server.state.faults = { keyNeeded: true };
    expect(await faultOf(openai.chat(ask(), go))).toBe('denied');
    const stranger = openaiServer({ clock: systemClock(), name: 'desk', url: server.url });
    await expect(stranger.ping()).rejects.toThrow('asks for an API key');
  });

  it('A6 every flavour chats, and is asked once: nothing is retried behind our back', async () => {
    for (const flavour of FLAVOURS) {
      const { server, openai } = await setUp({ flavour });
      const turn = await openai.chat(ask({ messages: listed(), tools }), go);
      expect(turn.toolCalls.map((call) => call.name)).toEqual(['draft_order', 'draft_order']);
      expect(Number(turn.promptTokens)).toBeGreaterThan(0);
      const before = server.log.bodies('/v1/chat/completions').length;
      server.state.faults = { reset: 'before-headers' };
      expect(await faultOf(openai.chat(ask(), go))).toBe('truncated');
      expect(server.log.bodies('/v1/chat/completions')).toHaveLength(before + 1);
    }
  });
});
