import { expect, it, describe as room } from 'vitest';
import type { Tier } from '../../../main/base/config-schema.ts';
import type { LineupEntry } from '../../../main/engine/models/lineup.ts';
import type { ModelServer } from '../../../main/engine/models/server.ts';
import { settle } from '../../support/fake-clock.ts';
import { go, KEYS, over, request, setUp } from './den.ts';
import { PlainServer } from './plain-server.ts';

/** A server that knows no window and measures nothing: what the owner declares is all that counts. */
const SILENT = { setsWindow: false, measures: false } as const;

/** Declares what tiers use, in GB. */
function declare(lineup: Record<Tier, LineupEntry>, figures: Partial<Record<Tier, number>>): void {
  for (const [tier, gb] of Object.entries(figures) as [Tier, number][]) {
    lineup[tier] = { ...lineup[tier], memoryBytes: gb * 1e9 };
  }
}

async function den(ways: PlainServer['ways'], figures: Partial<Record<Tier, number>> = {}) {
  const room = await setUp();
  room.den.ways = ways;
  // Nothing is known of its files either.
  for (const model of Object.values(room.den.models)) model.known = false;
  declare(room.settings.lineup as Record<Tier, LineupEntry>, figures);
  return room;
}

room('S3 a server that measures nothing', () => {
  it('S3 a model that nobody declared a figure for is not loaded, and the remedy is named', async () => {
    const { loader, den: server } = await den(SILENT);
    expect(await loader.ensure(KEYS.routine)).toMatchObject({
      ok: false,
      code: 'unknown-cost',
      reason: 'cannot cost helper: set models.tiers.routine.memoryGb',
    });
    expect(server.calls).toEqual([]);
  });

  it('S3 the declared figure is what counts, before the load and after it', async () => {
    const { loader, den: server } = await den(SILENT, { routine: 6.6, synthesis: 30 });
    expect(await loader.ensure(KEYS.routine)).toMatchObject({ ok: true });
    expect(loader.residents()).toMatchObject([{ model: 'helper', cost: 6.6e9 }]);
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({
      code: 'never-fits',
      reason: 'thinker needs 30.0 GB, this machine allows 24.0 GB',
    });
    expect(server.calls).toEqual(['load helper 16384 30']);
  });

  it('S3 a model that runs there undeclared makes other loads wait, as the rule says', async () => {
    const { loader, den: server } = await den(SILENT, { routine: 6.6 });
    server.byOthers('mystery');
    const reason = 'cannot cost resident model(s) mystery';
    expect(await loader.ensure(KEYS.routine)).toMatchObject({ code: 'unknown-cost', reason });
  });

  it('S3 where a server does measure, the larger of its figure and the declared one counts', async () => {
    const { loader, settings } = await setUp();
    declare(settings.lineup as Record<Tier, LineupEntry>, { pinned: 9, routine: 1 });
    await loader.ensure(KEYS.pinned);
    await loader.ensure(KEYS.routine);
    expect(loader.residents()).toMatchObject([
      { model: 'router', cost: 9e9 },
      { model: 'helper', cost: 6.6e9 },
    ]);
  });

  it('S3 a figure for a small window says nothing of a larger one', async () => {
    const { loader, den: server, settings } = await den({ measures: false }, { routine: 6.6 });
    server.byOthers('helper', 65_536);
    expect(await loader.observe()).toMatchObject([{ model: 'helper', cost: null }]);
    declare(settings.lineup as Record<Tier, LineupEntry>, { synthesis: 17 });
    settings.lineup = {
      ...settings.lineup,
      stretch: { ...settings.lineup.routine, numCtx: 65_536, memoryBytes: 12e9 },
    };
    expect(await loader.observe()).toMatchObject([{ model: 'helper', cost: 12e9 }]);
  });
});

room('S3 a server whose windows are its own', () => {
  it('S3 the model is used with the window it has, and not loaded again for another', async () => {
    const { loader, den: server } = await den(SILENT, { routine: 6.6 });
    server.ownWindow = 8192;
    expect(await loader.ensure(KEYS.routine)).toMatchObject({ ok: true, model: { numCtx: 8192 } });
    await loader.ensure({ tier: 'routine', numCtx: 65_536 });
    await loader.chat(KEYS.routine, request, go);
    expect(server.calls).toEqual(['load helper 16384 30', 'chat helper 16384']);
    expect(loader.loadedKeys()).toEqual([KEYS.routine]);
  });

  it('S3 a model of another program is used as it is, however small its window', async () => {
    const { loader, den: server } = await den(SILENT);
    server.byOthers('helper', 2048);
    expect(await loader.ensure(KEYS.routine)).toMatchObject({ ok: true, model: { numCtx: 2048 } });
    expect(server.calls).toEqual([]);
    expect(loader.loadedKeys()).toEqual([KEYS.routine]);
  });

  it('S3 one model on all tiers is one resident model in the pinned slot', async () => {
    const { loader, den: server, settings } = await den(SILENT, { pinned: 2.7 });
    const { pinned } = settings.lineup;
    const wide = { ...pinned, numCtx: 32_768 };
    settings.lineup = { pinned, routine: wide, synthesis: wide, stretch: wide };
    declare(settings.lineup as Record<Tier, LineupEntry>, { routine: 2.7 });
    for (const key of Object.values(KEYS).reverse())
      expect(await loader.ensure(key)).toMatchObject({ ok: true });
    expect(server.calls).toHaveLength(1);
    expect(await loader.releaseWorker('returned')).toMatchObject({ unloaded: [] });
    expect(loader.residents()).toMatchObject([{ model: 'router', role: 'pinned' }]);
  });
});

room('S3 a server that cannot be told to unload', () => {
  it('S3 its model is nobody\u2019s to move: it stays on return, and what it leaves no room for waits', async () => {
    const {
      loader,
      den: server,
      actions,
    } = await den({ ...SILENT, unloads: false }, { routine: 6.6, synthesis: 20 });
    expect(await loader.ensure(KEYS.routine)).toMatchObject({ ok: true });
    expect(await loader.releaseWorker('returned')).toMatchObject({ unloaded: [], stuck: [] });
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({
      code: 'foreign',
      reason:
        'helper is in memory, and the server cannot be told to unload (would use 26.6 GB > usable budget 24.0 GB)',
    });
    await loader.observe();
    expect(server.calls).toEqual(['load helper 16384 30']);
    // Seen all the while, it is not taken for gone.
    expect(actions()).not.toContain('gone helper');
  });
});

room('S3 a server that does not say what is in memory', () => {
  const MUTE = { ...SILENT, unloads: false, tells: false } as const;

  it('S3 what the lineup runs on it counts as there: declared, it is called without a load', async () => {
    const { loader, den: server, settings } = await den(MUTE, { routine: 6.6 });
    const { routine } = settings.lineup;
    settings.lineup = { pinned: routine, routine, synthesis: routine, stretch: routine };
    expect(await loader.ensure(KEYS.routine)).toMatchObject({
      ok: true,
      model: { numCtx: 16_384 },
    });
    await loader.chat(KEYS.routine, request, go);
    expect(server.calls).toEqual(['chat helper 16384']);
    expect(loader.residents()).toMatchObject([{ model: 'helper', presumed: true, cost: 6.6e9 }]);
  });

  it('S3 undeclared it is not called, and makes loads elsewhere wait, but never the pinned one', async () => {
    const { clock, loader, settings } = await den(MUTE);
    const attic = new PlainServer(clock, { router: { gb: 2.7 }, thinker: { gb: 17 } }, 'attic');
    settings.servers = new Map<string, ModelServer>([...settings.servers, ['attic', attic]]);
    const at = (tier: Tier) => ({ ...settings.lineup[tier], server: 'attic' });
    const { routine } = settings.lineup;
    settings.lineup = {
      pinned: at('pinned'),
      routine,
      synthesis: at('synthesis'),
      stretch: routine,
    };
    expect(await loader.ensure(KEYS.routine)).toMatchObject({ code: 'unknown-cost' });
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({
      reason: 'cannot cost resident model(s) helper',
    });
    expect(await loader.ensure(KEYS.pinned)).toMatchObject({ ok: true });
    settings.lineup = { ...settings.lineup, routine: at('pinned'), stretch: at('pinned') };
    // Nothing of the lineup runs on it any more: then it is taken to hold nothing.
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({ ok: true });
  });

  it('S3 its models count together: two of them and the pinned one are one too many', async () => {
    const { loader } = await den(MUTE, { pinned: 2, routine: 6, synthesis: 9, stretch: 9 });
    expect(await loader.ensure(KEYS.routine)).toMatchObject({
      ok: false,
      code: 'foreign',
      reason: expect.stringContaining('would hold 4 models > max 2'),
    });
  });
});

room('S3 a server that swaps', () => {
  it('S3 another program\u2019s model there is not put out by a load of ours', async () => {
    const { loader, den: server } = await den(
      { ...SILENT, swaps: true },
      { pinned: 2.7, routine: 6.6 },
    );
    server.byOthers('embed');
    for (const key of [KEYS.routine, KEYS.pinned]) {
      expect(await loader.ensure(key)).toMatchObject({
        code: 'foreign',
        reason: 'embed is in use by another program',
      });
    }
    expect([...server.memory.keys()]).toEqual(['embed']);
  });

  it('S3 ours is seen out before the next comes in, the pinned one too', async () => {
    const { loader, actions } = await den(
      { ...SILENT, swaps: true },
      { pinned: 2.7, routine: 6.6 },
    );
    await loader.ensure(KEYS.pinned);
    await loader.ensure(KEYS.routine);
    expect(actions()).toEqual([
      'loading router',
      'load router',
      'unload router',
      'loading helper',
      'load helper',
    ]);
  });
});

room('S3 a server that keeps models until told', () => {
  const KEEPS = { ...SILENT, expires: false } as const;
  const MINUTE = 60_000;

  it('S3 a worker leaves after its idle minutes, each call beginning them anew', async () => {
    const { clock, loader, den: server, actions } = await den(KEEPS, { routine: 6.6 });
    await loader.ensure(KEYS.routine);
    await clock.advance(29 * MINUTE);
    await loader.chat(KEYS.routine, request, go);
    await clock.advance(29 * MINUTE);
    expect([...server.memory.keys()]).toEqual(['helper']);
    await clock.advance(2 * MINUTE);
    expect([...server.memory.keys()]).toEqual([]);
    expect(actions().at(-1)).toBe('unload helper');
    expect(clock.pendingTimers).toBe(0);
  });

  it('S3 a model that a call runs on stays as long as the call, and then its minutes', async () => {
    const { clock, loader, den: server } = await den(KEEPS, { routine: 6.6 });
    server.chatMs = 60 * MINUTE;
    await loader.ensure(KEYS.routine);
    const call = loader.chat(KEYS.routine, request, go);
    await settle();
    await clock.advance(59 * MINUTE);
    expect([...server.memory.keys()]).toEqual(['helper']);
    await over(clock, call, MINUTE);
    await clock.advance(29 * MINUTE);
    expect([...server.memory.keys()]).toEqual(['helper']);
    await clock.advance(2 * MINUTE);
    expect([...server.memory.keys()]).toEqual([]);
  });

  it('S3 the pinned model keeps its own time, and others\u2019 models are never touched', async () => {
    const { clock, loader, den: server, settings } = await den(KEEPS, { pinned: 2.7 });
    server.byOthers('embed');
    await loader.ensure(KEYS.pinned);
    await clock.advance(600 * MINUTE);
    expect([...server.memory.keys()]).toEqual(['embed', 'router']);
    settings.pinnedKeepAliveMinutes = 30;
    await loader.chat(KEYS.pinned, request, go);
    await clock.advance(31 * MINUTE);
    expect([...server.memory.keys()]).toEqual(['embed']);
  });

  it('S3 a model that an earlier run left behind gets its minutes from the first look on', async () => {
    const room = await den(KEEPS, { routine: 6.6 });
    await room.loader.ensure(KEYS.routine);
    room.loader.close();
    expect(room.clock.pendingTimers).toBe(0);
    const next = room.start();
    await next.observe();
    await room.clock.advance(31 * MINUTE);
    expect([...room.den.memory.keys()]).toEqual([]);
  });
});
