import { expect, it, describe as room } from 'vitest';
import { configSchema } from '../../../main/base/config-schema.ts';
import { DEFAULT_WINDOWS, embedderOf, lineupOf } from '../../../main/engine/models/lineup.ts';
import { openModels } from '../../../main/engine/models/models.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryStore } from '../../support/store.ts';

const servers = [
  { name: 'ollama', kind: 'ollama' },
  { name: 'play', kind: 'offline' },
];

function models(over: object) {
  return configSchema.parse({ models: { servers, ...over } }).models;
}

room('S3 the lineup', () => {
  it('S3 tiers that nobody chose a model for are served by the offline model with default windows', () => {
    const lineup = lineupOf(models({}));
    for (const tier of ['pinned', 'routine', 'synthesis', 'stretch'] as const) {
      expect(lineup[tier]).toEqual({
        server: 'built-in',
        model: 'offline',
        numCtx: DEFAULT_WINDOWS[tier],
      });
    }
    expect(DEFAULT_WINDOWS).toEqual({
      pinned: 8192,
      routine: 16_384,
      synthesis: 32_768,
      stretch: 32_768,
    });
  });

  it('S3 chosen models carry the name their server lists them by', () => {
    const tiers = {
      pinned: { server: 'ollama', model: 'llama3.2', numCtx: 4096 },
      routine: { server: 'play', model: 'anything', numCtx: 2048 },
    };
    const embedder = { server: 'ollama', model: 'nomic-embed-text', numCtx: 2048 };
    const lineup = lineupOf(models({ tiers }));
    expect(lineup.pinned).toEqual({ server: 'ollama', model: 'llama3.2:latest', numCtx: 4096 });
    expect(lineup.routine).toEqual({ server: 'play', model: 'offline', numCtx: 2048 });
    expect(embedderOf(models({ embedder }))?.model).toBe('nomic-embed-text:latest');
    expect(embedderOf(models({}))).toBeNull();
  });

  it('S3 --model offline serves every tier, in the windows the owner chose', () => {
    const tiers = { pinned: { server: 'ollama', model: 'llama3.2', numCtx: 4096 } };
    const lineup = lineupOf(models({ tiers }), true);
    expect(lineup.pinned).toEqual({ server: 'built-in', model: 'offline', numCtx: 4096 });
  });

  it('S3 the room opens without any server, labelled, with three quarters of RAM as the budget', async () => {
    const clock = new FakeClock();
    const store = await temporaryStore(clock.now());
    const config = configSchema.parse({});
    const opened = openModels({
      clock,
      store,
      config: () => structuredClone(config),
      totalMemoryBytes: 16e9,
      offlineDelayMs: 0,
    });
    expect(opened.line()).toBe("Lull's offline model (no AI)");
    expect(opened.status(0)).toMatchObject({ budgetBytes: 12e9, usedBytes: 0, residents: [] });
    const key = { tier: 'routine', numCtx: 16_384 } as const;
    const readied = await opened.port.ensure(key, new AbortController().signal);
    expect(readied).toMatchObject({ ok: true, label: "Lull's offline model (no AI)" });
    config.models.budgetGb = 5;
    expect(opened.status(0).budgetBytes).toBe(5e9);
  });

  it('S3 the pinned model stays for ever on a roomy machine and 30 idle minutes on a small one', async () => {
    const clock = new FakeClock();
    const store = await temporaryStore(clock.now());
    const config = configSchema.parse({});
    const stay = async (totalMemoryBytes: number) => {
      const opened = openModels({
        clock,
        store,
        config: () => structuredClone(config),
        totalMemoryBytes,
      });
      const result = await opened.loader.ensure({ tier: 'pinned', numCtx: 8192 });
      return result.ok ? result.model.keepAliveMinutes : undefined;
    };
    expect(await stay(64e9)).toBeNull();
    expect(await stay(16e9)).toBe(30);
  });
});
