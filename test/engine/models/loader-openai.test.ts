import { expect, it, onTestFinished, describe as room } from 'vitest';
import { systemClock } from '../../../main/base/clock.ts';
import { type Config, configSchema } from '../../../main/base/config-schema.ts';
import { openModels } from '../../../main/engine/models/models.ts';
import { startTestServer } from '../../support/ollama-server/server.ts';
import { type OpenaiServerOptions, startOpenaiServer } from '../../support/openai-server/server.ts';
import { temporaryStore } from '../../support/store.ts';

const go = new AbortController().signal;
const SYNTHESIS = { tier: 'synthesis', numCtx: 16_384 } as const;
const PINNED = { tier: 'pinned', numCtx: 8192 } as const;
const ROUTINE = { tier: 'routine', numCtx: 8192 } as const;
const request = {
  messages: [{ role: 'user' as const, content: 'Think.' }],
  tools: [],
  maxOutputTokens: 2000,
};
const SMALL = { server: 'desk', model: 'llama-3.2-3b-instruct', numCtx: 8192, memoryGb: 3 };
const MIDDLE = { server: 'desk', model: 'qwen/qwen3-8b', numCtx: 8192, memoryGb: 7 };
const LARGE = { server: 'desk', model: 'gemma-3-27b-it', numCtx: 16_384, memoryGb: 20 };

async function setUp(options: OpenaiServerOptions, models: object = {}) {
  const server = await startOpenaiServer(options);
  onTestFinished(() => server.close());
  const config: Config = configSchema.parse({
    models: {
      budgetGb: 24,
      servers: [{ name: 'desk', kind: 'openai', url: server.url }],
      tiers: { pinned: SMALL, routine: MIDDLE, synthesis: LARGE, stretch: LARGE },
      ...models,
    },
  });
  const store = await temporaryStore();
  const opened = openModels({
    clock: systemClock(),
    store,
    config: () => structuredClone(config),
    totalMemoryBytes: 64e9,
  });
  onTestFinished(() => opened.close());
  return { server, config, models: opened, loader: opened.loader };
}

/** Another program uses a model of the server. */
async function byOthers(url: string, model: string): Promise<void> {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi.' }] });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
}

room('S3 the loader on OpenAI-compatible servers', () => {
  it('S3 LM Studio and the router: loads, swaps, calls, and gives memory back, seen each time', async () => {
    for (const flavour of ['lm-studio', 'llama-router'] as const) {
      const { server, models, loader } = await setUp({ flavour, ownWindow: 12_288 });
      for (const key of [PINNED, ROUTINE, SYNTHESIS]) {
        expect(await loader.ensure(key)).toMatchObject({ ok: true });
        await loader.chat(key, request, go);
      }
      expect(server.resident()).toEqual([SMALL.model, LARGE.model]);
      const windows = server.log.of('load-end').map((one) => one.numCtx);
      const own = flavour === 'llama-router';
      expect(windows).toEqual(own ? [12_288, 12_288, 12_288] : [8192, 8192, 16_384]);
      expect(models.status(0)).toMatchObject({
        usedBytes: 23e9,
        tally: { loads: 3, swaps: 1, refusals: 0 },
      });
      expect(await loader.releaseWorker('returned')).toMatchObject({
        unloaded: [LARGE.model],
        stuck: [],
      });
      expect(server.resident()).toEqual([SMALL.model]);
    }
  });

  it('G7 LM Studio: after an abort the memory is back only when the server has really stopped', async () => {
    const { server, loader } = await setUp({
      flavour: 'lm-studio',
      tokenMs: 10,
      fillerTokens: 5000,
      faults: { keepsWorkingMs: 600 },
    });
    const stop = new AbortController();
    const call = loader.chat(SYNTHESIS, { ...request, onText: () => stop.abort() }, stop.signal);
    await expect(call).rejects.toMatchObject({ fault: 'aborted' });
    const released = await loader.releaseWorker('returned');
    expect(released).toMatchObject({ unloaded: [LARGE.model], stuck: [] });
    expect(released.millis).toBeGreaterThan(400);
    expect(server.resident()).toEqual([]);
  });

  it('S3 nothing is loaded without a figure, and another program\u2019s model stays', async () => {
    const { server, config, models, loader } = await setUp({ flavour: 'lm-studio' });
    config.models.tiers.routine = { server: 'desk', model: MIDDLE.model, numCtx: 8192 };
    expect(await models.port.ensure(ROUTINE, go)).toMatchObject({
      ok: false,
      never: false,
      code: 'unknown-cost',
      reason: 'ceiling: cannot cost qwen/qwen3-8b: set models.tiers.routine.memoryGb',
    });
    expect(server.log.of('load-start')).toEqual([]);
    await fetch(`${server.url}/api/v1/models/load`, {
      method: 'POST',
      body: JSON.stringify({ model: MIDDLE.model, context_length: 4096 }),
    });
    config.models.tiers.routine = MIDDLE;
    expect(await loader.ensure(ROUTINE)).toMatchObject({
      code: 'foreign',
      reason: 'qwen/qwen3-8b is in use by another program',
    });
    await loader.releaseWorker('returned');
    expect(server.resident()).toEqual([MIDDLE.model]);
    // With the window it is asked for it is as good as our own.
    config.models.tiers.routine = { ...MIDDLE, numCtx: 4096 };
    expect(await loader.ensure({ tier: 'routine', numCtx: 4096 })).toMatchObject({ ok: true });
  });

  it('S3 llama-swap: what another program runs is not put out by a load of ours', async () => {
    const { server, loader } = await setUp({ flavour: 'llama-swap' });
    await byOthers(server.url, LARGE.model);
    expect(await loader.ensure(ROUTINE)).toMatchObject({
      code: 'foreign',
      reason: 'gemma-3-27b-it is in use by another program',
    });
    expect(server.resident()).toEqual([LARGE.model]);
    // Used as it is, it needs no load.
    expect(await loader.ensure(SYNTHESIS)).toMatchObject({ ok: true });
    await loader.releaseWorker('returned');
    expect(server.resident()).toEqual([LARGE.model]);
  });

  it('S3 llama-swap: ours leaves before the next one comes, and on return', async () => {
    const { server, loader } = await setUp({ flavour: 'llama-swap' });
    await loader.ensure(ROUTINE);
    await loader.ensure(SYNTHESIS);
    const kinds = server.log.entries.map((one) => one.kind);
    expect(kinds.indexOf('unload-asked')).toBeGreaterThan(0);
    expect(kinds.indexOf('unloaded')).toBeLessThan(kinds.lastIndexOf('load-start'));
    expect(await loader.releaseWorker('returned')).toMatchObject({ unloaded: [LARGE.model] });
    expect(server.resident()).toEqual([]);
  });

  it('S3 llama.cpp with one model needs no figure to be used, and one to leave room beside it', async () => {
    const ollama = await startTestServer();
    onTestFinished(() => ollama.close());
    const { server, config, loader } = await setUp({ flavour: 'llama-server', ownWindow: 4096 });
    const bare = { server: 'desk', model: MIDDLE.model, numCtx: 16_384 };
    config.models.servers.push({ name: 'ollama', kind: 'ollama', url: ollama.url });
    config.models.tiers = {
      pinned: { server: 'ollama', model: 'tiny', numCtx: 8192 },
      routine: { server: 'ollama', model: 'llama3.2', numCtx: 8192 },
      synthesis: bare,
    };
    await server.log.until('load-end');
    expect(await loader.ensure(SYNTHESIS)).toMatchObject({ ok: true, model: { numCtx: 4096 } });
    await loader.chat(SYNTHESIS, request, go);
    expect(await loader.ensure(PINNED)).toMatchObject({ ok: true });
    await loader.releasePinned('idle');
    expect(await loader.ensure(ROUTINE)).toMatchObject({
      reason: 'cannot cost resident model(s) qwen/qwen3-8b',
    });
    config.models.tiers.synthesis = { ...bare, memoryGb: 9 };
    expect(await loader.ensure(ROUTINE)).toMatchObject({ ok: true });
    config.models.tiers.synthesis = { ...bare, memoryGb: 22 };
    await loader.releaseWorker('returned');
    expect(await loader.ensure(ROUTINE)).toMatchObject({
      code: 'foreign',
      reason: expect.stringContaining(
        'qwen/qwen3-8b is in memory, and the server cannot be told to unload (would use 2',
      ),
    });
    expect(server.resident()).toEqual([MIDDLE.model]);
  });

  it('S3 llama.cpp while it loads its model: heavy work waits a little and then goes', async () => {
    const { server, models } = await setUp(
      { flavour: 'llama-server', loadMs: 400 },
      { tiers: { synthesis: { ...MIDDLE, numCtx: 16_384 } } },
    );
    await server.log.until('load-start');
    const readied = await models.port.ensure(SYNTHESIS, go);
    if (!readied.ok) throw new Error(readied.reason);
    await expect(readied.chat(request, go)).rejects.toMatchObject({ fault: 'loading' });
    await server.log.until('load-end');
    expect(await readied.chat(request, go)).toMatchObject({ ended: 'stop' });
  });

  it('S3 one model on all tiers of a server of which nothing is known works with a figure', async () => {
    const one = { ...MIDDLE, memoryGb: 5 };
    const { server, models, loader } = await setUp(
      { flavour: 'plain' },
      { budgetGb: 6, tiers: { pinned: one, routine: one, synthesis: one, stretch: one } },
    );
    for (const tier of ['pinned', 'routine', 'synthesis', 'stretch'] as const) {
      const readied = await models.port.ensure({ tier, numCtx: 8192 }, go);
      expect(readied).toMatchObject({ ok: true, numCtx: 8192 });
      await loader.chat({ tier, numCtx: 8192 }, request, go);
    }
    expect(models.status(0).residents).toMatchObject([
      { model: MIDDLE.model, bytes: 5e9, presumed: true, ours: false },
    ]);
    await loader.releaseWorker('returned');
    expect(server.resident()).toEqual([MIDDLE.model]);
  });

  it('S3 a refused connection holds nothing, and the port is tried again', async () => {
    const { server, models } = await setUp({ flavour: 'vllm' });
    await server.crash();
    const key = { tier: 'routine', numCtx: 8192 } as const;
    expect(await models.port.ensure(key, go)).toMatchObject({ code: 'model-unreachable' });
    await server.restart();
    expect(await models.port.ensure(key, go)).toMatchObject({ ok: true, label: 'vLLM (desk)' });
    expect(await models.port.ensure(SYNTHESIS, go)).toMatchObject({
      code: 'model-not-found',
      never: true,
    });
    expect(models.line()).toContain('qwen/qwen3-8b on vLLM (desk)');
  });

  it('S3 a server of this kind needs its address, and a figure is a number above nothing', () => {
    const parse = (models: object) => configSchema.safeParse({ models }).error?.issues[0];
    const missing = parse({ servers: [{ name: 'a', kind: 'openai' }] });
    expect(missing).toMatchObject({ path: ['models', 'servers', 0, 'url'] });
    expect(missing?.message).toContain('is missing');
    const tier = { server: 'a', model: 'm', numCtx: 8192 };
    expect(parse({ tiers: { pinned: { ...tier, memoryGb: 0 } } })?.path.at(-1)).toBe('memoryGb');
    expect(parse({ tiers: { pinned: { ...tier, memoryGb: 4.5 } } })).toBeUndefined();
  });
});
