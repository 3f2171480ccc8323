import { expect, it, describe as room } from 'vitest';
import { ModelError } from '../../../main/engine/models/server.ts';
import { offlineServer } from '../../../main/engine/models/servers/offline.ts';
import { settle } from '../../support/fake-clock.ts';
import { go, KEYS, over, request, setUp, stopLoad } from './den.ts';
import { PlainServer } from './plain-server.ts';

room('S3 the loader', () => {
  it('S3 loads with the window and the time to stay, says what it got, and does it once', async () => {
    const { loader, den, actions } = await setUp();
    const first = await loader.ensure(KEYS.pinned);
    expect(first).toMatchObject({ ok: true, swapped: false });
    expect(first.ok && first.model).toMatchObject({ model: 'router', numCtx: 8192, sendCtx: 8192 });
    await loader.ensure(KEYS.routine);
    await loader.ensure(KEYS.routine);
    await loader.ensure(KEYS.pinned);
    expect(den.calls).toEqual(['load router 8192 null', 'load helper 16384 30']);
    expect(actions()).toEqual(['loading router', 'load router', 'loading helper', 'load helper']);
    expect(loader.loadedKeys()).toEqual([KEYS.pinned, KEYS.routine]);
  });

  it('S3 swaps the worker, unloaded and seen gone before the next one is loaded, and counts it', async () => {
    const { clock, loader, den, table } = await setUp();
    den.unloadMs = 700;
    await loader.ensure(KEYS.pinned);
    await loader.ensure(KEYS.routine);
    const second = await over(clock, loader.ensure(KEYS.synthesis), 100);
    expect(second).toMatchObject({ ok: true, swapped: true });
    expect(den.calls.slice(2)).toEqual(['unload helper', 'load thinker 32768 30']);
    expect([...den.memory.keys()]).toEqual(['router', 'thinker']);
    expect(table.tally(0)).toEqual({ loads: 3, swaps: 1, refusals: 0 });
    expect(table.recent(9).find((row) => row.action === 'unload')).toMatchObject({
      model: 'helper',
      detail: 'room for thinker',
    });
  });

  it('S3 one model with one window on all tiers is one resident model', async () => {
    const { loader, den, settings } = await setUp();
    const one = { server: 'den', model: 'helper', numCtx: 8192 };
    Object.assign(settings, {
      lineup: { pinned: one, routine: one, synthesis: one, stretch: one },
      budgetBytes: 7e9,
    });
    for (const tier of ['pinned', 'routine', 'synthesis', 'stretch'] as const) {
      expect(await loader.ensure({ tier, numCtx: 8192 })).toMatchObject({ ok: true });
    }
    expect(den.calls).toEqual(['load helper 8192 null']);
    expect(await loader.releaseWorker('returned')).toMatchObject({ unloaded: [] });
    expect((await loader.releasePinned('idle')).unloaded).toEqual(['helper']);
  });

  it('S3 one model with several windows is loaded again for each, never twice at once', async () => {
    const { loader, den, settings } = await setUp();
    const one = { server: 'den', model: 'helper' };
    const lineup = {
      pinned: { ...one, numCtx: 8192 },
      routine: { ...one, numCtx: 16_384 },
      synthesis: { ...one, numCtx: 32_768 },
      stretch: { ...one, numCtx: 32_768 },
    };
    Object.assign(settings, { lineup, budgetBytes: 7e9 });
    for (const key of [KEYS.pinned, KEYS.routine, KEYS.synthesis, KEYS.stretch, KEYS.pinned]) {
      expect(await loader.ensure(key)).toMatchObject({ ok: true });
      expect(den.memory.size).toBe(1);
      expect(den.memory.get('helper')?.numCtx).toBe(key.numCtx);
    }
    expect(den.calls.filter((call) => call.startsWith('load'))).toHaveLength(4);
  });

  it('S3 refuses before anything is asked of the server, and records the refusal once', async () => {
    const { loader, den, actions, settings } = await setUp({ budgetGb: 10 });
    const never = await loader.ensure(KEYS.synthesis);
    expect(never).toEqual({
      ok: false,
      code: 'never-fits',
      reason: 'thinker needs 17.0 GB, this machine allows 10.0 GB',
    });
    settings.budgetBytes = 24e9;
    den.byOthers('film-notes', 4096, 9);
    await loader.ensure(KEYS.pinned);
    for (let tries = 0; tries < 3; tries++) {
      expect(await loader.ensure(KEYS.synthesis)).toMatchObject({
        ok: false,
        code: 'foreign',
        reason: expect.stringContaining('film-notes is in use by another program'),
      });
    }
    expect(den.calls).toEqual(['load router 8192 null']);
    expect(actions().filter((row) => row === 'refused thinker')).toHaveLength(2);
  });

  it('S3 a foreign model with room in its window is used as it is and never unloaded', async () => {
    const { loader, den } = await setUp();
    den.byOthers('thinker', 65_536);
    const result = await loader.ensure(KEYS.synthesis);
    expect(result.ok && result.model).toMatchObject({ numCtx: 65_536, sendCtx: 65_536 });
    expect(await loader.releaseWorker('returned')).toMatchObject({ unloaded: [], stuck: [] });
    den.byOthers('thinker', 4096);
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({ ok: false, code: 'foreign' });
    expect(den.calls).toEqual([]);
  });

  it('S3 knows its own models after a restart, and takes none for its own that another has loaded since', async () => {
    const { loader, den, start, actions } = await setUp();
    await loader.ensure(KEYS.pinned);
    await loader.ensure(KEYS.routine);
    const next = start();
    expect((await next.observe()).map((one) => [one.model, one.ours, one.role])).toEqual([
      ['router', true, 'pinned'],
      ['helper', true, 'worker'],
    ]);
    // It leaves while nobody looks, and another program loads it with its own window.
    den.byOthers('helper', 4096);
    expect((await next.observe()).at(-1)).toMatchObject({ model: 'helper', ours: false });
    expect(actions().at(-1)).toBe('gone helper');
    den.byOthers('helper', 16_384);
    expect((await next.observe()).at(-1)).toMatchObject({ model: 'helper', ours: false });
    expect(await next.releaseWorker('returned')).toMatchObject({ unloaded: [] });
  });

  it('S3 a load that a crash interrupted is still ours when it shows up', async () => {
    const { clock, loader, den, start, table } = await setUp();
    den.loadMs = 60_000;
    void loader.ensure(KEYS.synthesis);
    await settle();
    expect(table.owned()).toMatchObject([{ model: 'thinker', effectiveCtx: null }]);
    const next = start();
    await next.observe();
    await clock.advance(60_000);
    expect((await next.observe())[0]).toMatchObject({ model: 'thinker', ours: true });
    expect((await next.releaseWorker('returned')).unloaded).toEqual(['thinker']);
  });

  it('S3 a model that stays although it was asked to leave is reported and counts as resident', async () => {
    const { clock, loader, den, actions } = await setUp();
    await loader.ensure(KEYS.routine);
    den.stuck.add('helper');
    const result = await over(clock, loader.ensure(KEYS.synthesis));
    expect(result).toEqual({
      ok: false,
      code: 'ceiling',
      reason: 'helper is still in memory and cannot leave now',
    });
    expect(actions()).toContain('stuck helper');
    expect(den.calls).not.toContain('load thinker 32768 30');
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({ ok: false, code: 'ceiling' });
    expect(den.calls.filter((call) => call === 'unload helper')).toHaveLength(1);
    den.memory.delete('helper');
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({ ok: true, swapped: false });
  });

  it('S3 the embedder that Lull loaded leaves first when that makes room', async () => {
    const { loader, den, table, clock } = await setUp({ embedder: 'embed' });
    den.byOthers('embed', 2048);
    const row = { at: clock.now(), server: 'den', model: 'embed' };
    table.record({ ...row, action: 'load', numCtx: 2048, effectiveCtx: 2048 });
    await loader.ensure(KEYS.pinned);
    await loader.ensure(KEYS.routine);
    expect(den.memory.has('embed')).toBe(true);
    await loader.ensure(KEYS.synthesis);
    expect([...den.memory.keys()]).toEqual(['router', 'thinker']);
  });

  it('S3 stretch puts the pinned model out, and the pinned one takes its place again', async () => {
    const { loader, den } = await setUp();
    await loader.ensure(KEYS.pinned);
    expect(await loader.ensure(KEYS.stretch)).toMatchObject({ ok: true });
    expect([...den.memory.keys()]).toEqual(['giant']);
    expect(await loader.ensure(KEYS.pinned)).toMatchObject({ ok: true });
    expect([...den.memory.keys()]).toEqual(['router']);
  });

  it('S3 a model that a call runs on is not moved', async () => {
    const { clock, loader, den } = await setUp();
    await loader.ensure(KEYS.pinned);
    den.chatMs = 5000;
    const talk = loader.chat(KEYS.pinned, request, go);
    await settle();
    expect(await loader.ensure(KEYS.stretch)).toMatchObject({
      ok: false,
      code: 'ceiling',
      reason: 'would use 25.7 GB > usable budget 24.0 GB',
    });
    await clock.advance(5000);
    expect(await talk).toMatchObject({ text: 'yes' });
    expect(await loader.ensure(KEYS.stretch)).toMatchObject({ ok: true });
  });

  it('S3 no call begins on a model that is being put out', async () => {
    const { clock, loader, den } = await setUp();
    await loader.ensure(KEYS.pinned);
    den.unloadMs = 2000;
    const load = loader.ensure(KEYS.stretch);
    await clock.advance(500);
    expect(den.calls.at(-1)).toBe('unload router');
    const talk = loader.chat(KEYS.pinned, request, go);
    await settle();
    expect(den.calls.at(-1)).toBe('unload router');
    expect(await over(clock, load)).toMatchObject({ ok: true });
    await over(clock, talk);
    expect(den.calls.slice(-4)).toEqual([
      'load giant 32768 30',
      'unload giant',
      'load router 8192 null',
      'chat router 8192',
    ]);
  });

  it('S3 a model that two wait for leaves once: a load that follows stays in the ledger', async () => {
    const { clock, loader, den, actions } = await setUp();
    await loader.ensure(KEYS.synthesis);
    den.stuck.add('thinker');
    const back = loader.releaseWorker('returned');
    await clock.advance(3000);
    den.stuck.clear();
    den.loadMs = 5000;
    const load = loader.ensure({ tier: 'synthesis', numCtx: 16_384 });
    expect(await over(clock, load, 50)).toMatchObject({ ok: true });
    await over(clock, back, 50);
    expect(actions()).toEqual([
      ...['loading thinker', 'load thinker', 'unload thinker'],
      ...['loading thinker', 'load thinker'],
    ]);
    expect(loader.residents()).toMatchObject([{ model: 'thinker', ours: true }]);
  });

  it('S3 a look that began before a load ended takes nothing back', async () => {
    const { clock, loader, den, actions } = await setUp();
    den.loadMs = 1000;
    const load = loader.ensure(KEYS.routine);
    await clock.advance(900);
    den.listMs = 300;
    const stale = loader.observe();
    await settle();
    den.listMs = 0;
    await over(clock, load, 100);
    await over(clock, stale, 100);
    expect(actions()).toEqual(['loading helper', 'load helper']);
    expect(loader.residents()).toMatchObject([{ model: 'helper', ours: true }]);
  });

  it('S3 a call on a model that was evicted loads it again within the budget, or does not happen', async () => {
    const { loader, den } = await setUp();
    await loader.ensure(KEYS.synthesis);
    den.memory.clear();
    await loader.chat(KEYS.synthesis, request, go);
    expect(den.calls.slice(-2)).toEqual(['load thinker 32768 30', 'chat thinker 32768']);
    den.memory.clear();
    den.byOthers('film-notes', 4096, 9);
    await expect(loader.chat(KEYS.synthesis, request, go)).rejects.toMatchObject({
      fault: 'busy',
      message: expect.stringContaining('film-notes is in use'),
    });
    expect(den.calls.at(-1)).toBe('chat thinker 32768');
  });

  it('S3 a window that the server made smaller is told, and is no reason to load again', async () => {
    const { loader, den, start } = await setUp();
    den.models.thinker = { gb: 17, trainedContext: 8192 };
    const result = await loader.ensure(KEYS.synthesis);
    expect(result.ok && result.model).toMatchObject({ numCtx: 8192, sendCtx: 32_768 });
    await loader.ensure(KEYS.synthesis);
    await start().ensure(KEYS.synthesis);
    expect(den.calls).toHaveLength(1);
    expect(loader.loadedKeys()).toEqual([KEYS.synthesis]);
  });

  it('S3 what a load really took is learned, and what turned out too large does not stay', async () => {
    const { loader, den, table } = await setUp({ budgetGb: 20 });
    const real = den.byOthers.bind(den);
    den.byOthers = (model, numCtx) => real(model, numCtx, model === 'thinker' ? 21 : 2.7);
    expect(await loader.ensure(KEYS.synthesis)).toEqual({
      ok: false,
      code: 'ceiling',
      reason: 'would use 21.0 GB > usable budget 20.0 GB',
    });
    expect(den.memory.size).toBe(0);
    expect(table.memory('d-thinker', 32_768)).toBe(21e9);
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({ ok: false, code: 'never-fits' });
    expect(den.calls.filter((call) => call.startsWith('load'))).toHaveLength(1);
  });

  it('S3 a model whose need cannot be computed is refused until it was seen in memory once', async () => {
    const { loader, den } = await setUp({ tiers: { routine: 'mystery' } });
    expect(await loader.ensure(KEYS.routine)).toMatchObject({ ok: false, code: 'unknown-cost' });
    den.byOthers('mystery', 32_768);
    await loader.observe();
    den.memory.clear();
    expect(await loader.ensure(KEYS.routine)).toMatchObject({ ok: true });
  });

  it('S3 a report no larger than the file is not believed: the formula counts', async () => {
    const { loader, den, table } = await setUp();
    den.reportsFile = true;
    await loader.ensure(KEYS.synthesis);
    expect(table.memory('d-thinker', 32_768)).toBeNull();
    expect(loader.residents()[0]?.cost).toBeCloseTo(17e9, -1);
    den.byOthers('mystery', 4096);
    await loader.observe();
    expect(await loader.ensure(KEYS.routine)).toMatchObject({
      ok: false,
      code: 'unknown-cost',
      reason: 'cannot cost resident model(s) mystery',
    });
  });

  it('S3 a server that is down is a fault of this load, and holds nothing against the others', async () => {
    const { clock, loader, den, settings } = await setUp();
    const other = new PlainServer(clock, { thinker: { gb: 17 } }, 'attic');
    Object.assign(settings, {
      servers: new Map([
        ['den', den],
        ['attic', other],
      ]),
      lineup: {
        ...settings.lineup,
        synthesis: { server: 'attic', model: 'thinker', numCtx: 32_768 },
      },
    });
    den.down = new ModelError('unreachable', 'den does not answer');
    expect(await loader.ensure(KEYS.routine)).toEqual({
      ok: false,
      code: 'fault',
      fault: 'unreachable',
      reason: 'den does not answer',
    });
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({ ok: true });
    expect(await loader.observe()).toHaveLength(1);
    expect(await loader.ensure({ tier: 'pinned', numCtx: 8192 })).toMatchObject({ code: 'fault' });
  });

  it('S3 one budget over all servers', async () => {
    const { clock, loader, den, settings } = await setUp();
    const other = new PlainServer(clock, { monster: { gb: 12 } }, 'attic');
    other.byOthers('monster');
    Object.assign(settings, {
      servers: new Map([
        ['den', den],
        ['attic', other],
      ]),
    });
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({
      ok: false,
      code: 'foreign',
      reason: 'monster is in use by another program (would use 29.0 GB > usable budget 24.0 GB)',
    });
    // A server that stops answering in time still holds what was last seen in it.
    other.down = new ModelError('stalled', 'no answer');
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({ ok: false, code: 'foreign' });
    // One that refuses the connection is not there and holds nothing.
    await clock.advance(61_000);
    other.down = new ModelError('unreachable', 'refused');
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({ ok: true });
  });

  it('S3 loads go one at a time', async () => {
    const { clock, loader, den } = await setUp();
    den.loadMs = 3000;
    const both = Promise.all([loader.ensure(KEYS.pinned), loader.ensure(KEYS.routine)]);
    await clock.advance(2999);
    expect(den.calls).toEqual(['load router 8192 null']);
    await over(clock, both);
    expect(den.calls).toEqual(['load router 8192 null', 'load helper 16384 30']);
  });

  it('S3 who is stopped while another load runs does not wait for it', async () => {
    const { clock, loader, den } = await setUp();
    den.loadMs = 60_000;
    const first = loader.ensure(KEYS.pinned);
    const stop = new AbortController();
    const second = loader.ensure(KEYS.routine, stop.signal);
    await settle();
    stop.abort();
    expect(await second).toMatchObject({ ok: false, code: 'fault', fault: 'aborted' });
    await over(clock, first, 10_000);
    await settle();
    expect(den.calls).toEqual(['load router 8192 null']);
  });

  it('S3 a load that is stopped is told to the server too, and does not count as loaded', async () => {
    const { loader, den, actions } = await setUp();
    den.loadMs = 60_000;
    const stop = new AbortController();
    const load = loader.ensure(KEYS.synthesis, stop.signal);
    await settle();
    stop.abort();
    expect(await load).toMatchObject({ ok: false, fault: 'aborted' });
    await settle();
    expect(den.calls).toEqual(['load thinker 32768 30', 'unload thinker']);
    expect(actions()).toEqual(['loading thinker', 'failed thinker']);
  });

  it('S3 the offline model needs no load and leaves no row', async () => {
    const { clock, loader, settings, actions } = await setUp();
    const offline = offlineServer({ clock });
    Object.assign(settings, {
      servers: new Map([[offline.name, offline]]),
      lineup: {
        ...settings.lineup,
        synthesis: { server: offline.name, model: 'offline', numCtx: 32_768 },
      },
    });
    expect(await loader.ensure(KEYS.synthesis)).toMatchObject({ ok: true, swapped: false });
    expect(loader.loadedKeys()).toContainEqual(KEYS.synthesis);
    expect(actions()).toEqual([]);
  });

  it('G7 gives the worker\u2019s memory back, verified, and leaves the pinned and foreign models', async () => {
    const { clock, loader, den, actions } = await setUp({ budgetGb: 40 });
    den.unloadMs = 1500;
    await loader.ensure(KEYS.pinned);
    await loader.ensure(KEYS.synthesis);
    den.byOthers('film-notes', 4096, 2);
    const released = await over(clock, loader.releaseWorker('returned'), 100);
    expect(released.unloaded).toEqual(['thinker']);
    expect(released.stuck).toEqual([]);
    expect(released.millis).toBeGreaterThanOrEqual(1500);
    expect(released.millis).toBeLessThan(3000);
    expect([...den.memory.keys()]).toEqual(['router', 'film-notes']);
    expect(actions().at(-1)).toBe('unload thinker');
  });

  it('G7 a model that does not give its memory back is named', async () => {
    const { clock, loader, den } = await setUp();
    await loader.ensure(KEYS.synthesis);
    den.stuck.add('thinker');
    const released = await over(clock, loader.releaseWorker('battery'));
    expect(released).toMatchObject({ unloaded: [], stuck: ['thinker'] });
    expect(released.millis).toBeGreaterThanOrEqual(30_000);
  });

  it('G7 a server that does not answer may hold one of ours, and is asked again later', async () => {
    const { clock, loader, den } = await setUp();
    await loader.ensure(KEYS.synthesis);
    den.down = new ModelError('unreachable', 'nobody there');
    expect(await over(clock, loader.releaseWorker('returned'))).toMatchObject({ unsure: true });
    den.down = null;
    await clock.advance(60_000);
    expect(await over(clock, loader.releaseWorker('returned'))).toMatchObject({
      unloaded: ['thinker'],
      unsure: false,
    });
    den.down = new ModelError('unreachable', 'nobody there');
    expect(await over(clock, loader.releaseWorker('returned'))).toMatchObject({ unsure: false });
  });

  it('G7 a load that was stopped may end all the same, so its memory is asked for again', async () => {
    const { clock, loader, den } = await setUp();
    den.loadMs = 20_000;
    await stopLoad(clock, loader);
    expect(await over(clock, loader.releaseWorker('returned'))).toMatchObject({
      unloaded: [],
      unsure: true,
    });
    den.byOthers('thinker', KEYS.synthesis.numCtx, 17);
    expect(await over(clock, loader.releaseWorker('returned'))).toMatchObject({
      unloaded: ['thinker'],
      unsure: false,
    });
  });

  it('G7 a stopped load that sleeps with its machine is still ours when it comes to its end', async () => {
    const { clock, loader, den } = await setUp();
    den.loadMs = 20_000;
    await stopLoad(clock, loader);
    await clock.advance(1000);
    await over(clock, loader.observe());
    clock.suspend(8 * 3_600_000);
    await over(clock, loader.observe());
    den.byOthers('thinker', KEYS.synthesis.numCtx, 17);
    expect(await over(clock, loader.releaseWorker('returned'))).toMatchObject({
      unloaded: ['thinker'],
    });
  });

  it('G7 a stopped load that did not come to its end in a quarter of an hour is nobody of ours', async () => {
    const { clock, loader, den } = await setUp();
    den.loadMs = 3_600_000;
    await stopLoad(clock, loader);
    await clock.advance(1000);
    await over(clock, loader.observe());
    await clock.advance(16 * 60_000);
    await over(clock, loader.observe());
    den.byOthers('thinker', KEYS.synthesis.numCtx, 17);
    expect(await over(clock, loader.releaseWorker('returned'))).toMatchObject({ unloaded: [] });
  });

  it('G7 memory comes back although another load hangs', async () => {
    const { clock, loader, den, settings } = await setUp();
    const attic = new PlainServer(clock, { router: { gb: 2.7 } }, 'attic');
    attic.loadMs = 600_000;
    Object.assign(settings, {
      servers: new Map([
        ['den', den],
        ['attic', attic],
      ]),
      lineup: { ...settings.lineup, pinned: { server: 'attic', model: 'router', numCtx: 8192 } },
    });
    await loader.ensure(KEYS.synthesis);
    void loader.ensure(KEYS.pinned);
    await settle();
    expect(await loader.releaseWorker('returned')).toMatchObject({ unloaded: ['thinker'] });
  });

  it('S3 tells of every load and unload that is seen, whoever did it, and of nothing else', async () => {
    const { loader, den, changes } = await setUp();
    await loader.observe();
    expect(loader.takeChange()).toBe(false);
    await loader.ensure(KEYS.pinned);
    expect(loader.takeChange()).toBe(true);
    await loader.ensure(KEYS.pinned);
    await loader.observe();
    expect(loader.takeChange()).toBe(false);
    den.byOthers('film-notes', 4096, 2);
    await loader.observe();
    expect(loader.takeChange()).toBe(true);
    den.memory.delete('film-notes');
    await loader.observe();
    expect(loader.takeChange()).toBe(true);
    expect(changes.count).toBe(3);
  });
});
