import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Landing } from '../../../main/engine/supervisor/handler.ts';
import { settle } from '../../support/fake-clock.ts';
import { done, steps, supervisorRoom } from './room.ts';

const A_TEXT: NonNullable<Landing['draft']> = {
  ...{ kind: 'text', title: 'A text', subject: null, topic: null, model: 'stand-in' },
  ...{ totalCents: null, currency: null },
  body: { text: 'x', provenance: '', steps: { count: 1, millis: null, tools: [] } },
};

describe('S1 what a handler does', () => {
  it('S1 a pass starts what waits, and its end lands what it left', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async ({ job, model, clock }) => ({
      kind: 'done',
      landing: {
        result: `${job.title} by ${model.model} with ${model.numCtx}`,
        draft: A_TEXT,
        transcript: {
          ...{ status: 'completed', model: 'stand-in', messages: [] },
          usage: { promptTokens: 1, outputTokens: 1, turns: 1, millis: clock.monotonic() },
        },
        remember: { prompt: 'p', result: 'r' },
      },
    }));
    const job = room.add({ session: 'shop' });
    expect(await room.pass()).toBe(1);
    expect(room.queue.get(job.id)).toMatchObject({
      state: 'done',
      result: 'a job of plain by stand-in with 16384',
      attempts: 1,
      claimedByRun: 1,
    });
    expect(room.drafts.ofJob(job.id)).toHaveLength(1);
    expect(room.transcripts.sessionHistory('shop', 4)).toMatchObject([
      { prompt: 'p', result: 'r' },
    ]);
    expect(room.supervisor.flights()).toEqual([]);
    expect(room.ended).toEqual([[job.id, 'done']]);
  });

  it.each([
    [
      'rejects',
      async () => {
        throw new Error('no such thing');
      },
    ],
    [
      'throws at once',
      () => {
        throw new Error('no such thing');
      },
    ],
  ])('S1 a handler that %s fails its job and nothing else', async (_how, run) => {
    const room = await supervisorRoom();
    room.kind('broken', run);
    room.kind('plain', async () => done());
    const [bad, good] = [room.add({ kind: 'broken' }), room.add()];
    await room.supervisor.drain();
    expect(room.queue.get(bad.id)).toMatchObject({ state: 'failed', error: 'no such thing' });
    expect(room.state(good)).toBe('done');
  });

  it('S1 a kind that nobody knows fails with its name, and what follows runs', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    const [unknown, known] = [room.add({ kind: 'gardening' }), room.add()];
    expect(await room.supervisor.drain()).toBe(2);
    expect(room.queue.get(unknown.id)).toMatchObject({
      state: 'failed',
      error: "no handler for kind 'gardening'",
    });
    expect(room.state(known)).toBe('done');
    expect(room.models.loads).toEqual(['routine']);
  });

  it('S1 a failure spends an attempt: it is tried again after its wait, and at last fails', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => ({ kind: 'retry', error: 'nonsense', afterMs: 5000 }));
    const job = room.add({ maxAttempts: 2 });
    await room.pass();
    expect(room.queue.get(job.id)).toMatchObject({ state: 'deferred', attempts: 1 });
    await room.clock.advance(4999);
    expect(await room.pass()).toBe(0);
    await room.clock.advance(1);
    await room.pass();
    expect(room.queue.get(job.id)).toMatchObject({
      ...{ state: 'failed', attempts: 2, error: 'nonsense' },
    });
  });

  it.each([
    ['lands nothing, however it ends', true],
    ['keeps no checkpoint', false],
  ])('S1 a claim that was lost on the way %s', async (_what, ends) => {
    const room = await supervisorRoom();
    const call = Promise.withResolvers<void>();
    room.kind('plain', async ({ checkpoint }) => {
      await call.promise;
      if (!ends) checkpoint({ step: 1 });
      return { kind: 'done', landing: { result: 'late', draft: A_TEXT } };
    });
    const job = room.add();
    await room.pass();
    const lost = room.supervisor.flights()[0]?.claim;
    if (!lost) throw new Error('nothing runs');
    // Another hand gives the job back and takes it again: this claim is void.
    room.queue.yieldBack(lost, 'quitting');
    const request = { runId: 1, now: room.clock.now(), blockedTiers: new Set<never>(), loaded: [] };
    expect(room.queue.claim(request)?.claimNo).toBe(lost.claimNo + 1);
    call.resolve();
    await settle();
    expect(room.queue.get(job.id)).toMatchObject({
      ...{ state: 'running', claimNo: lost.claimNo + 1, checkpoint: null },
    });
    expect(room.drafts.ofJob(job.id)).toEqual([]);
    expect(room.lines.join('\n')).toContain('the claim was void');
    expect(room.supervisor.flights()).toEqual([]);
  });

  it('S1 there is one place in the program where work is claimed', () => {
    const main = join(import.meta.dirname, '..', '..', '..', 'main');
    const claiming = readdirSync(main, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .filter((name) => /\bqueue\.claim\(/.test(readFileSync(join(main, name), 'utf8')));
    expect(claiming).toEqual([join('engine', 'supervisor', 'supervisor.ts')]);
  });
});

describe('S1 models', () => {
  it('S3 a load that is refused defers the job with its reason, and gives the attempt back', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    room.models.refusal = {
      ...{ ok: false, never: false, code: 'ceiling', reviveAt: null },
      reason: 'ceiling: would use 30.0 GB > usable budget 24.0 GB',
    };
    const job = room.add({ tier: 'synthesis' });
    await room.pass();
    expect(room.queue.get(job.id)).toMatchObject({
      ...{ state: 'deferred', attempts: 0, reasonCode: 'ceiling' },
      reason: 'ceiling: would use 30.0 GB > usable budget 24.0 GB',
    });
  });

  it('S3 what can never fit fails once', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    const reason = 'big needs 40.0 GB, this machine allows 24.0 GB';
    room.models.refusal = { ok: false, never: true, code: 'never-fits', reviveAt: null, reason };
    const job = room.add({ tier: 'stretch' });
    await room.supervisor.drain();
    expect(room.queue.get(job.id)).toMatchObject({ state: 'failed', error: reason });
  });

  it('S3 a deferred job is revived by a change of what is loaded, and every five minutes', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    const reason = 'film-notes is in use by another program';
    room.models.refusal = { ok: false, never: false, code: 'foreign', reviveAt: null, reason };
    const job = room.add();
    await room.pass();
    expect(room.state(job)).toBe('deferred');
    await room.clock.advance(60_000);
    await room.pass();
    expect(room.models.loads).toHaveLength(1);
    room.models.changed = true;
    await room.pass();
    expect(room.models.loads).toHaveLength(2);
    expect(room.state(job)).toBe('deferred');
    await room.clock.advance(299_999);
    await room.pass();
    expect(room.models.loads).toHaveLength(2);
    await room.clock.advance(1);
    room.models.refusal = null;
    await room.pass();
    expect(room.state(job)).toBe('done');
  });

  it('S3 what an earlier run deferred is tried at the start', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    const job = room.add();
    const claim = room.queue.claim({
      ...{ runId: 1, now: room.clock.now(), blockedTiers: new Set<never>(), loaded: [] },
    });
    if (claim) room.queue.defer(claim, 'ceiling', 'too much', null);
    await room.pass();
    expect(room.state(job)).toBe('done');
  });

  it('S1 work that needs no model loads none', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async ({ model }) => done(model.model), { modelFree: true });
    const job = room.add();
    await room.pass();
    expect(room.queue.get(job.id)).toMatchObject({ state: 'done', result: '' });
    expect(room.models.loads).toEqual([]);
  });
});

describe('S1 lanes', () => {
  it('G2 the pinned model answers while heavy work runs, and worker jobs go one at a time', async () => {
    const room = await supervisorRoom();
    const work = steps(2);
    room.kind('heavy', work.run);
    room.kind('plain', async () => done());
    const heavy = room.add({ kind: 'heavy', tier: 'synthesis' });
    await room.pass();
    const stretch = room.add({ tier: 'stretch' });
    const [first, second] = [room.add({ tier: 'pinned' }), room.add({ tier: 'pinned' })];
    await room.pass();
    expect([room.state(heavy), room.state(stretch)]).toEqual(['running', 'queued']);
    expect([room.state(first), room.state(second)]).toEqual(['done', 'queued']);
    await room.pass();
    expect(room.state(second)).toBe('done');
    await work.step();
    await work.step();
    expect(room.state(heavy)).toBe('done');
    await room.pass();
    expect(room.state(stretch)).toBe('done');
  });

  it('Q7 light work is served between the steps of heavy work, which goes on where it was', async () => {
    const room = await supervisorRoom();
    const work = steps(3);
    room.kind('heavy', work.run);
    room.kind('plain', async ({ job }) => {
      work.begun.push(job.title);
      return done();
    });
    const heavy = room.add({ kind: 'heavy', tier: 'synthesis', title: 'heavy' });
    room.add({ kind: 'heavy', tier: 'synthesis', title: 'another' });
    room.supervisor.start();
    await settle();
    const light = room.add({ title: 'light' });
    room.supervisor.wake();
    await settle();
    expect(work.begun).toEqual(['heavy 1']);
    await work.step();
    expect(work.begun).toEqual(['heavy 1', 'light', 'heavy 2']);
    expect(room.state(light)).toBe('done');
    expect(room.queue.get(heavy.id)).toMatchObject({ state: 'running', attempts: 1 });
    expect(room.causes(heavy)).toEqual(['light-waiting']);
    await work.step();
    await work.step();
    expect(room.queue.get(heavy.id)).toMatchObject({ state: 'done', result: '3 steps' });
    expect(work.begun.slice(-2)).toEqual(['heavy 3', 'another 1']);
  });

  it('Q7 a step is not cut for light work: it waits for the end of the step', async () => {
    const room = await supervisorRoom();
    const work = steps(1);
    room.kind('heavy', work.run);
    room.kind('plain', async () => done());
    room.add({ kind: 'heavy', tier: 'synthesis' });
    room.supervisor.start();
    const light = room.add();
    await room.clock.advance(3_600_000);
    expect([work.aborted, room.state(light)]).toEqual([0, 'queued']);
    await work.step();
    expect(room.state(light)).toBe('done');
  });
});

describe('S1 the gates at the claim', () => {
  it('G1 heavy work waits while the owner is here, and light work goes', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    room.facts.set({ idleSeconds: 12 });
    const [heavy, light] = [room.add({ tier: 'synthesis' }), room.add()];
    await room.supervisor.drain();
    expect([room.state(heavy), room.state(light)]).toEqual(['queued', 'done']);
    expect(room.queue.get(heavy.id)?.attempts).toBe(0);
    room.facts.set({ idleSeconds: 300 });
    await room.supervisor.drain();
    expect(room.state(heavy)).toBe('done');
  });

  it('G3 below the floor nothing starts, not even the pinned model', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    room.facts.set({ onBattery: true, powerSource: 'battery', percent: 20 });
    const jobs = [room.add({ tier: 'pinned' }), room.add(), room.add({ tier: 'stretch' })];
    expect(await room.supervisor.drain()).toBe(0);
    expect(jobs.map(room.state)).toEqual(['queued', 'queued', 'queued']);
  });

  it('G4 a pause of all holds work and producers, a pause of heavy work only that', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    let passes = 0;
    room.duties.push({ name: 'x', runOnce: () => passes++ && 0, nextDueAt: () => null });
    room.pauses.set('all', room.clock.now(), room.clock.now() + 60_000);
    const [heavy, light] = [room.add({ tier: 'synthesis' }), room.add()];
    await room.pass();
    expect([room.state(heavy), room.state(light), passes]).toEqual(['queued', 'queued', 0]);
    room.pauses.set('heavy', room.clock.now(), null);
    await room.clock.advance(60_000);
    await room.supervisor.drain();
    expect([room.state(heavy), room.state(light)]).toEqual(['queued', 'done']);
    expect(passes).toBeGreaterThan(0);
    expect(room.pauses.get().all).toBeNull();
  });

  it('D5 a job that may pass by the owner’s word starts past the gate that it names alone', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    room.facts.set({ idleSeconds: 12 });
    const [waived, other] = [room.add({ tier: 'synthesis' }), room.add({ tier: 'synthesis' })];
    const waiver = { presence: true, hours: true, heavyPause: true, battery: false, at: 1 };
    room.queue.waive(waived.id, waiver);
    room.facts.set({ onBattery: true });
    await room.supervisor.drain();
    expect(room.state(waived)).toBe('queued');
    room.facts.set({ onBattery: false });
    await room.supervisor.drain();
    expect([room.state(waived), room.state(other)]).toEqual(['done', 'queued']);
  });
});
