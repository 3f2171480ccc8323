import { describe, expect, it } from 'vitest';
import { modelsTable } from '../../../main/base/store/models.ts';
import { createLoader } from '../../../main/engine/models/loader.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { temporaryStore } from '../../support/store.ts';
import { PlainServer } from '../models/plain-server.ts';
import { done, steps, supervisorRoom } from './room.ts';

describe('G7 memory given back', () => {
  it('G7 the owner who returns gets it back although nothing runs, once each time', async () => {
    const room = await supervisorRoom();
    room.supervisor.start();
    await room.clock.advance(90_000);
    expect(room.models.released).toEqual([]);
    room.facts.set({ idleSeconds: 0 });
    await room.clock.advance(300_000);
    expect(room.models.released).toEqual(['returned']);
    room.facts.set({ idleSeconds: 900 });
    await room.clock.advance(30_000);
    room.facts.set({ pressure: 'critical' });
    await room.clock.advance(30_000);
    expect(room.models.released).toEqual(['returned', 'memory']);
  });

  it('G7 they get it back also where a pause holds heavy work all the same', async () => {
    const room = await supervisorRoom();
    room.pauses.set('heavy', room.clock.now(), null);
    room.supervisor.start();
    await room.clock.advance(60_000);
    expect(room.models.released).toEqual([]);
    room.facts.set({ idleSeconds: 0 });
    await room.clock.advance(60_000);
    expect(room.models.released).toEqual(['returned']);
  });

  it('G7 a host that starts while the owner is here gives back what an earlier one left', async () => {
    const room = await supervisorRoom();
    room.facts.set({ idleSeconds: 0 });
    room.supervisor.start();
    await settle();
    expect(room.models.released).toEqual(['returned']);
  });

  it('G7 it waits for the job that uses the model, and light work is not held for it', async () => {
    const room = await supervisorRoom();
    const work = steps(2);
    room.kind('light', work.run);
    room.kind('plain', async () => done());
    room.add({ kind: 'light' });
    room.supervisor.start();
    await settle();
    room.facts.set({ idleSeconds: 0 });
    await room.clock.advance(60_000);
    expect(room.models.released).toEqual([]);
    const unloading = Promise.withResolvers<void>();
    room.models.release = () => unloading.promise;
    const next = room.add();
    await work.step();
    await work.step();
    expect(room.models.released).toEqual(['returned']);
    expect(room.state(next)).toBe('done');
    unloading.resolve();
  });

  it('G7 what jobs leave that ran at the owner’s word while they were here is given back at their end', async () => {
    const room = await supervisorRoom();
    const work = steps(1);
    room.kind('heavy', work.run);
    room.facts.set({ idleSeconds: 0 });
    room.supervisor.start();
    await settle();
    expect(room.models.released).toEqual(['returned']);
    const waiver = { presence: true, hours: true, heavyPause: true, battery: false, at: 0 };
    const jobs = [1, 2].map(() => room.add({ kind: 'heavy', tier: 'synthesis' }));
    for (const { id } of jobs) room.queue.waive(id, waiver);
    room.supervisor.wake();
    await settle();
    await work.step();
    // The second one uses the same model.
    expect(room.models.released).toEqual(['returned']);
    await work.step();
    await settle();
    expect(jobs.map((job) => room.state(job))).toEqual(['done', 'done']);
    expect(room.models.released).toEqual(['returned', 'returned']);
    await room.clock.advance(300_000);
    expect(room.models.released).toHaveLength(2);
  });

  it('G7 where a server did not answer it is asked for again until it does, or nobody needs it', async () => {
    const room = await supervisorRoom();
    room.models.sure = false;
    room.facts.set({ idleSeconds: 0 });
    room.supervisor.start();
    await room.clock.advance(40_000);
    expect(room.models.released).toEqual(['returned', 'returned']);
    room.models.sure = true;
    await room.clock.advance(120_000);
    expect(room.models.released).toHaveLength(3);
    room.models.sure = false;
    room.facts.set({ pressure: 'critical', idleSeconds: 900 });
    await room.clock.advance(30_000);
    room.facts.set({ pressure: 'normal' });
    const asked = room.models.released.length;
    await room.clock.advance(120_000);
    expect(room.models.released.length).toBeLessThanOrEqual(asked + 1);
  });

  it('G7 a server that never answers is asked ever more rarely, and at once after more heavy work', async () => {
    const room = await supervisorRoom();
    room.models.sure = false;
    room.facts.set({ idleSeconds: 0 });
    const passEachSecond = async (seconds: number) => {
      const before = room.models.released.length;
      for (let second = 0; second < seconds; second++) {
        await room.pass();
        await room.clock.advance(1000);
      }
      return room.models.released.length - before;
    };
    expect(await passEachSecond(60)).toBe(6); // at 0, 1, 3, 7, 15 and 31 s
    expect(await passEachSecond(540)).toBe(9); // once a minute

    const work = steps(1);
    room.kind('heavy', work.run);
    const job = room.add({ kind: 'heavy', tier: 'synthesis' });
    room.queue.waive(job.id, {
      ...{ presence: true, hours: true, heavyPause: true, battery: false, at: 0 },
    });
    await room.pass();
    const asked = room.models.released.length;
    await work.step();
    await room.pass();
    expect(room.models.released).toHaveLength(asked + 1);
  });

  it('G7 a model that a call runs on is not unloaded under it', async () => {
    const store = await temporaryStore();
    const clock = new FakeClock();
    const den = new PlainServer(clock, { thinker: { gb: 17 } });
    const entry = { server: 'den', model: 'thinker', numCtx: 4096 };
    const loader = createLoader({
      clock,
      table: modelsTable(store.db),
      settings: () => ({
        lineup: {
          pinned: { ...entry, model: 'x' },
          routine: entry,
          synthesis: entry,
          stretch: entry,
        },
        embedder: null,
        servers: new Map([['den', den]]),
        budgetBytes: 24e9,
        keepAliveMinutes: 30,
        pinnedKeepAliveMinutes: null,
      }),
    });
    const answer = Promise.withResolvers<void>();
    const chat = den.chat.bind(den);
    den.chat = (request, signal) => answer.promise.then(() => chat(request, signal));
    const request = { messages: [], tools: [], maxOutputTokens: 10 };
    const signal = new AbortController().signal;
    const call = loader.chat({ tier: 'routine', numCtx: 4096 }, request, signal);
    await settle();
    expect(await loader.releaseWorker('returned')).toMatchObject({ unloaded: [], stuck: [] });
    expect(den.memory.size).toBe(1);
    answer.resolve();
    await call;
    expect(await loader.releaseWorker('returned')).toMatchObject({ unloaded: ['thinker'] });
  });
});
