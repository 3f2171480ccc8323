import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { type Call, hostHere, testHome, until } from '../support/host.ts';
import { startTestServer } from '../support/ollama-server/server.ts';

const HERE = { idleSeconds: 3, powerSource: 'mains' };

describe('what the owner sees', () => {
  it('G6 D5 a waiting job says why in each place, with the same words', async () => {
    const home = testHome(HERE);
    const { call } = await hostHere(home, new FakeClock());
    const { job } = await call('jobs.add', { text: 'Think.' });
    const [why] = await call('why', { job });
    expect(why).toMatchObject({
      ...{ job, code: 'active' },
      reason: 'You are here: last input 0:03 ago, heavy work waits for 5:00.',
    });
    expect(await call('why', {})).toEqual([why]);
    expect((await call('jobs.list', {}))[0]?.reason).toBe(why?.reason);
    expect(await call('jobs.show', { id: job })).toMatchObject({
      ...{ reason: why?.reason, prompt: 'Think.', draft: null, progress: null },
    });
    const panel = await call('panel', {});
    expect(panel.waiting).toMatchObject([
      { id: job, code: 'active', why: why?.reason, forecast: why?.forecast },
    ]);
    expect(panel.status.line).toBe('Waiting for you to step away');
    expect(panel.detail).toMatch(/^1 heavy job · idle 0:03 of 5:00 · on mains/);
  });

  it('G6 a job that does not wait, or is not there, has no why', async () => {
    const { call, calm } = await hostHere(testHome(), new FakeClock());
    const { job } = await call('jobs.add', { text: 'Think.' });
    await calm();
    await expect(call('why', { job })).rejects.toMatchObject({
      ...{ code: 'conflict', message: `job ${job} does not wait: it is done` },
    });
    await expect(call('why', { job: 77 })).rejects.toMatchObject({ code: 'not_found' });
    await expect(call('jobs.show', { id: 77 })).rejects.toMatchObject({ code: 'not_found' });
    expect(await call('why', {})).toEqual([]);
  });

  it('D5 a running job shows how far it is, in each place', async () => {
    const home = testHome(undefined, await slowlyTalking());
    const clock = new FakeClock();
    const { call } = await hostHere(home, clock, { offline: false });
    const { job } = await call('jobs.add', { text: 'Write.' });
    const progress = await until(async () => {
      await clock.advance(0);
      return (await call('jobs.show', { id: job })).progress;
    });
    expect(progress).toEqual({ done: expect.any(Number), total: null, unit: 'characters' });
    expect((await call('jobs.list', {}))[0]?.progress).not.toBeNull();
    expect((await call('panel', {})).running[0]?.progress).not.toBeNull();
  });

  it('D5 while a job runs, the line names it and the next one waits for the model', async () => {
    const home = testHome();
    const clock = new FakeClock();
    const file = home.file('notes.txt', 'Beta comes by train.');
    const { call } = await hostHere(home, clock, { offlineDelayMs: 5_000 });
    const { job } = await call('jobs.add', { text: 'What do the notes say?', files: [file] });
    const isRunning = async () => (await call('jobs.show', { id: job })).state === 'running';
    for (let n = 0; n < 50 && !(await isRunning()); n++) await clock.advance(1);
    const panel = await call('panel', {});
    expect(panel.status.line).toBe('Running: What do the notes say?');
    expect(panel.running).toMatchObject([{ id: job, state: 'running' }]);
    expect(panel.status.gates.find(({ id }) => id === 'model')).toMatchObject({
      ...{ open: false, code: 'in-flight' },
    });
    const next = await call('jobs.add', { text: 'Light.', tier: 'routine' });
    expect((await call('why', { job: next.job }))[0]).toMatchObject({ code: 'in-flight' });
  });

  it('D6 what has ended is shown, the latest first, however much waits', async () => {
    const home = testHome(HERE);
    const clock = new FakeClock();
    const { call, calm } = await hostHere(home, clock);
    const ended: number[] = [];
    for (let n = 0; n < 3; n++) {
      ended.unshift((await call('jobs.add', { text: `Light ${n}.`, tier: 'routine' })).job);
      await calm();
      await clock.advance(1000);
    }
    for (let n = 0; n < 100; n++) await call('jobs.add', { text: `Heavy ${n}.` });
    const first = (await call('jobs.list', { state: 'queued', limit: 500 })).at(-1)?.id ?? 0;
    await clock.advance(1000);
    await call('jobs.cancel', { id: first });
    const panel = await call('panel', {});
    expect(panel.recent.map(({ id }) => id)).toEqual([first, ...ended]);
    expect(panel.waiting).toHaveLength(50);
    expect(panel.status.queue).toEqual({ queued: 99, running: 0, deferred: 0 });
  });

  it('G6 with more waiting than is explained, the counts are right and each still has an answer', async () => {
    const home = testHome(HERE, { queue: { heavyCapacity: 1000 } });
    const { call } = await hostHere(home, new FakeClock());
    await fill(call, 620);
    const panel = await call('panel', {});
    expect(panel.detail).toMatch(/^620 heavy jobs · /);
    const last = Math.max(...(await call('jobs.list', { limit: 10 })).map(({ id }) => id));
    expect(await call('why', { job: last })).toEqual([
      { job: last, code: 'behind', reason: 'After 500 others or more.', forecast: null },
    ]);
    expect(await call('why', { job: 1 })).toMatchObject([{ code: 'active' }]);
  });

  it('D8 without a host the same is read, and says that none runs', async () => {
    const home = testHome(HERE);
    const clock = new FakeClock();
    const first = await hostHere(home, clock);
    await first.call('jobs.add', { text: 'Think.' });
    expect((await first.call('status', {})).host).toMatchObject({
      ...{ pid: process.pid, home: home.dir, model: expect.stringContaining('no AI') },
    });
    await first.stop();
    const { openRooms } = await import('../../main/one-command.ts');
    const { callOf } = await import('../support/host.ts');
    const rooms = await openRooms(home, 'read');
    const status = await callOf(rooms.dispatch)('status', {});
    await rooms.close();
    expect(status).toMatchObject({ host: null, queue: { queued: 1, running: 0, deferred: 0 } });
  });
});

/** Settings with a model server that takes its time over each word. */
async function slowlyTalking(): Promise<object> {
  const server = await startTestServer({ tokenMs: 5, fillerTokens: 400 });
  onTestFinished(() => server.close());
  return {
    models: {
      budgetGb: 8,
      servers: [{ name: 'den', kind: 'ollama', url: server.url }],
      tiers: { synthesis: { server: 'den', model: 'tiny:latest', numCtx: 8192 } },
    },
  };
}

async function fill(call: Call, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await call('jobs.add', { text: `Heavy ${n}.` });
}
