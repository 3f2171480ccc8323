import { expect, it, onTestFinished, describe as room } from 'vitest';
import { systemClock } from '../../../main/base/clock.ts';
import { type Config, configSchema } from '../../../main/base/config-schema.ts';
import { openModels } from '../../../main/engine/models/models.ts';
import { startTestServer, type TestServerOptions } from '../../support/ollama-server/server.ts';
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

async function setUp(options: TestServerOptions = {}, models: object = {}) {
  const server = await startTestServer(options);
  onTestFinished(() => server.close());
  const config: Config = configSchema.parse({
    models: {
      budgetGb: 16,
      servers: [{ name: 'ollama', kind: 'ollama', url: server.url }],
      tiers: {
        pinned: { server: 'ollama', model: 'tiny', numCtx: 8192 },
        routine: { server: 'ollama', model: 'llama3.2', numCtx: 8192 },
        synthesis: { server: 'ollama', model: 'llama3.1:8b', numCtx: 16_384 },
        stretch: { server: 'ollama', model: 'big:70b', numCtx: 16_384 },
      },
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
  return { server, config, models: opened };
}

room('S3 the loader on a server', () => {
  it('S3 loads, swaps and calls with one window, and learns what the server reports', async () => {
    const { server, models } = await setUp();
    const { loader } = models;
    for (const key of [PINNED, ROUTINE, SYNTHESIS]) {
      expect(await loader.ensure(key)).toMatchObject({ ok: true });
      await loader.chat(key, request, go);
    }
    expect(server.resident()).toEqual(['tiny:latest', 'llama3.1:8b']);
    expect(server.log.of('load-end').map((one) => [one.model, one.numCtx])).toEqual([
      ['tiny:latest', 8192],
      ['llama3.2:latest', 8192],
      ['llama3.1:8b', 16_384],
    ]);
    const status = models.status(0);
    expect(status.tally).toEqual({ loads: 3, swaps: 1, refusals: 0 });
    expect(status.residents).toMatchObject([
      { model: 'tiny:latest', role: 'pinned', ours: true },
      { model: 'llama3.1:8b', role: 'worker', ours: true },
    ]);
    expect(status.residents.every((one) => Number(one.bytes) > 0)).toBe(true);
    expect(models.line()).toBe(
      'tiny:latest on Ollama, llama3.2:latest on Ollama, llama3.1:8b on Ollama, big:70b on Ollama',
    );
  });

  it('S3 what can never fit fails before the server hears of it', async () => {
    const { server, models } = await setUp();
    const result = await models.port.ensure({ tier: 'stretch', numCtx: 16_384 }, go);
    expect(result).toMatchObject({ ok: false, never: true, code: 'never-fits' });
    expect(!result.ok && result.reason).toMatch(
      /^big:70b needs 5\d\.\d GB, this machine allows 16\.0 GB$/,
    );
    expect(server.log.of('load-start')).toEqual([]);
  });

  it('S3 another program\u2019s model makes heavy work wait, and is still there afterwards', async () => {
    const { server, models } = await setUp({}, { budgetGb: 9 });
    const body = JSON.stringify({ model: 'llama3.2', keep_alive: '10m' });
    await fetch(`${server.url}/api/generate`, { method: 'POST', body });
    const refused = await models.port.ensure(SYNTHESIS, go);
    expect(refused).toMatchObject({ ok: false, never: false, code: 'foreign', reviveAt: null });
    expect(!refused.ok && refused.reason).toContain('llama3.2:latest is in use by another program');
    await models.loader.releaseWorker('returned');
    expect(server.resident()).toEqual(['llama3.2:latest']);
    expect(server.log.of('unload-asked')).toEqual([]);
  });

  it('G7 after an abort the memory is back only when the server has really stopped', async () => {
    const { server, models } = await setUp({
      tokenMs: 10,
      fillerTokens: 5000,
      faults: { keepsWorkingMs: 600 },
    });
    const stop = new AbortController();
    const call = models.loader.chat(
      SYNTHESIS,
      { ...request, onText: () => stop.abort() },
      stop.signal,
    );
    await expect(call).rejects.toMatchObject({ fault: 'aborted' });
    const released = await models.loader.releaseWorker('returned');
    expect(released).toMatchObject({ unloaded: ['llama3.1:8b'], stuck: [] });
    expect(released.millis).toBeGreaterThan(400);
    expect(server.resident()).toEqual([]);
    const last = models.status(0).loads[0];
    expect(last).toMatchObject({ action: 'unload', model: 'llama3.1:8b', detail: 'returned' });
    expect(last?.millis).toBeGreaterThan(400);
  });

  it('S3 a late unload is waited for before the next load begins', async () => {
    const { server, models } = await setUp({ faults: { stuckUnload: 3 } }, { budgetGb: 9 });
    await models.loader.ensure(ROUTINE);
    expect(await models.loader.ensure(SYNTHESIS)).toMatchObject({ ok: true, swapped: true });
    const kinds = server.log.entries.map((one) => one.kind);
    expect(kinds.lastIndexOf('unloaded')).toBeLessThan(kinds.lastIndexOf('load-start'));
  });

  it('S3 a server that is not there, or lacks the model, is a deferral or the end of the job', async () => {
    const { server, models, config } = await setUp();
    await server.crash();
    const gone = await models.port.ensure(ROUTINE, go);
    expect(gone).toMatchObject({ ok: false, never: false, code: 'model-unreachable' });
    expect(!gone.ok && Number(gone.reviveAt)).toBeGreaterThan(Date.now());
    await server.restart();
    expect(await models.port.ensure(ROUTINE, go)).toMatchObject({ ok: true, label: 'Ollama' });
    config.models.tiers.routine = { server: 'ollama', model: 'nobody', numCtx: 8192 };
    const missing = await models.port.ensure(ROUTINE, go);
    expect(missing).toMatchObject({ ok: false, never: true, code: 'model-not-found' });
  });

  it('S3 the waits for a server that is away grow with each try', async () => {
    const { server, models } = await setUp();
    await server.crash();
    const waits: number[] = [];
    for (let tries = 0; tries < 3; tries++) {
      const before = Date.now();
      const gone = await models.port.ensure(ROUTINE, go);
      if (!gone.ok) waits.push(Math.round((Number(gone.reviveAt) - before) / 1000));
    }
    expect(waits).toEqual([30, 60, 120]);
  });

  it('S3 a cloud model takes none of this machine\u2019s memory', async () => {
    const { server, models, config } = await setUp();
    config.models.tiers.stretch = { server: 'ollama', model: 'elsewhere:cloud', numCtx: 32_768 };
    expect(await models.loader.ensure({ tier: 'stretch', numCtx: 32_768 })).toMatchObject({
      ok: true,
    });
    expect(server.log.of('load-start')).toEqual([]);
  });
});
