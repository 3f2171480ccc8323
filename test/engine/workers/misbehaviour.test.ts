import { describe, expect, it } from 'vitest';
import { done } from '../supervisor/room.ts';
import { isAlive, type WorkerRoom, workerRoom } from './room.ts';

const STRANGE = 'strange.ts';
/** Without Node's own limits: what the guards of a worker would stop has to be survived too. */
const UNGUARDED = ['--no-warnings'];

const room = (settings: object = {}) => workerRoom(STRANGE, { settings, flags: UNGUARDED });

/** After whatever happened: the process is gone, nothing of it landed, and the next job is served. */
async function nothingCameOfIt(here: WorkerRoom, landed: number[] = []): Promise<void> {
  const [strange] = here.started;
  await here.clock.advance(40_000);
  await here.until(() => !isAlive(strange?.pid));
  expect(here.numbers()).toEqual(landed);
  here.kind('plain', async () => done());
  const next = here.add();
  await here.until(() => here.state(next) === 'done');
}

const LIES: [string, RegExp][] = [
  ['says what is not JSON', /a message is not JSON/],
  ['says a word nobody knows', /type must be /],
  ['asks for a fourth verb', /request\.verb must be /],
  ['sends rows of a wrong type', /row 1 of a batch is wrong: n must be /],
  ['sends rows that are none', /rows (must|is) /],
  ['sends too many rows', /rows must be 1000 entries or fewer/],
  ['speaks for another job', /"batch" is of job \d+, claim 1$/],
  ['speaks for another claim', /"batch" is of job \d+, claim 2$/],
  ['uses a number twice', /request 1 came after 1$/],
  ['asks for more than it can wait for', /two model calls at once|requests at once/],
  ['yields for a cause of its own', /yields for "cancelled" and was told nothing/],
  ['ends in a way nobody knows', /outcome/],
  ['lands a draft of a wrong shape', /protocol: of its landing, draft/],
  ['tells without end', /more than 200 messages a second/],
  ['sends bytes without end', /a message is too long/],
];

describe('S4 a worker process that misbehaves', () => {
  it.each(LIES)('S4 %s: its job fails with the reason, and nothing else', async (does, reason) => {
    const here = await room();
    const job = here.apart({ does });
    await here.until(() => here.state(job) === 'failed');
    expect(here.queue.get(job.id)?.error).toMatch(reason);
    await nothingCameOfIt(here);
  });

  it.each([
    ['is silent', 60],
    ['computes for ever', 60],
    ['closes its line and stays', 60],
    ['ignores what ends it', 60],
  ])('S4 %s: ended by the deadline of its batch', async (does, seconds) => {
    const here = await room();
    const job = here.apart({ does });
    await here.until(() => here.started.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 500)); // it has begun
    await here.clock.advance(seconds * 1000 - 1);
    expect(here.state(job)).toBe('running');
    await here.clock.advance(1);
    expect(here.queue.get(job.id)).toMatchObject({
      state: 'failed',
      error: `computed longer than ${seconds} s without a result (workers.batchDeadlineSeconds)`,
    });
    const [worker] = here.started;
    if (does === 'ignores what ends it') {
      await here.clock.advance(29_999);
      expect(isAlive(worker?.pid)).toBe(true);
      await here.clock.advance(1);
    }
    await here.until(() => !isAlive(worker?.pid));
    await nothingCameOfIt(here);
  });

  it.each([
    ['goes on after its end', []],
    ['ends twice', []],
    ['is done and does not go', []],
  ])('S4 %s: the first word counts, and it is ended', async (does, landed) => {
    const here = await room();
    const job = here.apart({ does });
    await here.until(() => here.state(job) === 'done');
    if (does !== 'is done and does not go') {
      await here.until(() => here.lines.some((line) => line.includes('after its end')));
    }
    await nothingCameOfIt(here, landed);
    expect(here.state(job)).toBe('done');
  });

  it.each([
    ['goes without a word', /died \(exit 0\)/],
    ['goes with an error', /died \(exit 1\).*/],
    ['is killed', /died \(SIGKILL\)/],
  ])('S4 %s: tried again while it has attempts, then failed', async (does, reason) => {
    const here = await room();
    const job = here.apart({ does }, { maxAttempts: 2 });
    await here.until(() => here.state(job) === 'deferred');
    expect(here.queue.get(job.id)?.reason).toMatch(reason);
    await here.clock.advance(2000);
    await here.until(() => here.state(job) === 'failed');
    expect(here.queue.get(job.id)).toMatchObject({
      attempts: 2,
      error: expect.stringMatching(reason),
    });
    expect(here.started).toHaveLength(2);
    await nothingCameOfIt(here);
  });

  it.each(['starts a program and is silent', 'starts a program and goes'])(
    'S4 %s: what it started ends with it',
    async (does) => {
      const here = await room();
      const job = here.apart({ does });
      const pid = await here.until(() => {
        const progress = here.supervisor.flights()[0]?.progress;
        return progress?.done ?? (here.state(job) !== 'running' && -1);
      });
      expect(pid).toBeGreaterThan(0);
      if (does.endsWith('silent')) await here.clock.advance(60_000);
      await here.until(() => here.state(job) === 'failed');
      await here.clock.advance(30_000);
      await here.until(() => !isAlive(pid as number));
    },
  );

  it('S4 eats memory outside the heap: ended when it holds more than it may', async () => {
    const here = await room({ workers: { memoryMb: 400, batchDeadlineSeconds: 100_000 } });
    const job = here.apart({ does: 'eats memory outside the heap' });
    await here.until(() => here.started.length === 1);
    while (here.state(job) === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await here.clock.advance(1000);
    }
    expect(here.queue.get(job.id)?.error).toBe(
      'needed more than 400 MB of memory (workers.memoryMb)',
    );
    await nothingCameOfIt(here);
  });

  it('S4 eats the heap: V8 ends it, and the reason is told', async () => {
    const here = await room({ workers: { memoryMb: 256 } });
    const job = here.apart({ does: 'eats the heap' });
    await here.until(() => here.state(job) === 'failed');
    expect(here.queue.get(job.id)?.error).toBe(
      'needed more than 256 MB of memory (workers.memoryMb)',
    );
    await nothingCameOfIt(here);
  });

  it('S4 a worker that cannot be started is tried again', async () => {
    const here = await workerRoom(STRANGE, { flags: ['--no-such-switch'] });
    const job = here.apart({ does: 'does its work' }, { maxAttempts: 2 });
    await here.until(() => here.state(job) === 'deferred');
    expect(here.queue.get(job.id)?.reason).toMatch(
      /the worker process died \(exit 9\).*no-such-switch/,
    );
  });
});
