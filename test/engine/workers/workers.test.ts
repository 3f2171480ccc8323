import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ChatTurn } from '../../../main/engine/models/server.ts';
import { until } from '../../support/host.ts';
import { temporaryFolder } from '../../support/store.ts';
import { done } from '../supervisor/room.ts';
import { isAlive, type WorkerRoom, workerRoom } from './room.ts';

const KINDS = 'kinds.ts';

/** A room whose model answers when the test says so, and tells what is asked of it. */
async function talkingRoom(settings: object = {}) {
  const here = await workerRoom(KINDS, { settings });
  const calls: { answer(text: string): void; signal: AbortSignal; cut: boolean }[] = [];
  const model = { open: 0, most: 0, calls, cutting: Promise.resolve() };
  here.models.ensure = async (key) => ({
    ...{ ok: true, label: 'Held', model: 'held', numCtx: key.numCtx },
    chat({ onText }, signal) {
      model.open += 1;
      model.most = Math.max(model.most, model.open);
      return new Promise<ChatTurn>((resolve, reject) => {
        const call = {
          signal,
          cut: false,
          answer(text: string) {
            onText?.(text.slice(0, 2));
            onText?.(text.slice(2));
            model.open -= 1;
            resolve({
              ...{ text, toolCalls: [], ended: 'stop', promptTokens: null, outputTokens: null },
            });
          },
        };
        signal.addEventListener('abort', async () => {
          call.cut = true;
          await model.cutting; // a server does not let go at once
          model.open -= 1;
          reject(new Error('cut'));
        });
        calls.push(call);
      });
    },
  });
  const nth = (n: number) => here.until(() => calls[n - 1]);
  return Object.assign(here, { model, nth });
}

const ended = (here: WorkerRoom, job: { id: number }, state: string) =>
  here.until(() => here.state(job) === state);
const goneAll = (here: WorkerRoom) =>
  here.until(() => here.started.every((worker) => !isAlive(worker.pid)));

describe('S4 a worker process at work', () => {
  it('S4 each batch lands with its checkpoint, and the end with the job', async () => {
    const here = await talkingRoom();
    const job = here.apart({ does: 'steps', steps: 3 });
    for (const n of [1, 2]) {
      (await here.nth(n)).answer(`step ${n}`);
      await here.nth(n + 1);
      expect(here.queue.get(job.id)).toMatchObject({ state: 'running', checkpoint: { step: n } });
      expect(here.numbers()).toEqual(Array.from({ length: n }, (_, i) => i + 1));
    }
    expect(here.supervisor.flights()[0]?.progress).toMatchObject({ total: 3, unit: 'steps' });
    (await here.nth(3)).answer('step 3');
    await ended(here, job, 'done');
    expect(here.queue.get(job.id)).toMatchObject({ result: '3 steps', attempts: 1 });
    expect(here.numbers()).toEqual([1, 2, 3]);
    await goneAll(here);
    expect(here.started).toHaveLength(1);
  });

  it('S4 a batch that cannot be landed leaves neither rows nor checkpoint', async () => {
    const here = await workerRoom(KINDS);
    here.store.db.exec(`CREATE TRIGGER unlucky BEFORE INSERT ON numbers WHEN NEW.n = 13
      BEGIN SELECT RAISE(ABORT, 'thirteen'); END`);
    const job = here.apart({ does: 'rows', rows: [1, 13, 2] });
    await ended(here, job, 'failed');
    expect(here.queue.get(job.id)).toMatchObject({
      ...{ error: 'thirteen', checkpoint: { n: 1 } },
    });
    expect(here.numbers()).toEqual([1]);
    await goneAll(here);
  });

  it('S4 a batch of a void claim lands nothing', async () => {
    const here = await talkingRoom();
    const job = here.apart({ does: 'steps', steps: 2 });
    const call = await here.nth(1);
    // As another host would that took the folder over: swept, and claimed anew.
    here.queue.sweep(2, () => true);
    const claim = here.queue.claim({
      ...{ runId: 2, now: here.clock.now(), blockedTiers: new Set(), loaded: [] },
    });
    expect(claim?.id).toBe(job.id);
    call.answer('late');
    await here.until(() => here.lines.some((line) => line.includes('void')));
    expect(here.numbers()).toEqual([]);
    expect(here.queue.get(job.id)).toMatchObject({ state: 'running', checkpoint: null });
    await goneAll(here);
  });

  it('S4 it reads by three verbs, from the shelves of its kind alone', async () => {
    const here = await workerRoom(KINDS);
    const job = here.apart({ does: 'reads' });
    await ended(here, job, 'done');
    const said = JSON.parse(here.queue.get(job.id)?.result as string);
    expect(said).toEqual([7, [1, 2], 3, 'there is no shelf secrets']);
  });

  it('S4 what its handler throws is what it would be in the host', async () => {
    const here = await workerRoom(KINDS);
    const failing = here.apart({ does: 'throws' });
    await ended(here, failing, 'failed');
    expect(here.queue.get(failing.id)?.error).toBe('it does not go');
    const full = here.apart({ does: 'finds the disk full' });
    await ended(here, full, 'deferred');
    expect(here.queue.get(full.id)).toMatchObject({ reasonCode: 'disk-full', attempts: 0 });
    await goneAll(here);
  });

  it('S4 the time it waits for the model is not its own', async () => {
    const here = await talkingRoom();
    const job = here.apart({ does: 'steps', steps: 1 });
    const call = await here.nth(1);
    await here.clock.advance(3_600_000);
    expect(here.state(job)).toBe('running');
    call.answer('late, but well');
    await ended(here, job, 'done');
  });
});

describe('S4 G7 a worker process is stopped as any run is', () => {
  it('G7 S4 paused: it goes back at its next step, and goes on from there', async () => {
    const here = await talkingRoom();
    const job = here.apart({ does: 'steps', steps: 3 });
    const call = await here.nth(1);
    here.pauses.set('all', here.clock.now(), null);
    here.supervisor.runOnce();
    call.answer('first');
    await ended(here, job, 'queued');
    expect(here.causes(job)).toEqual(['paused']);
    expect(here.queue.get(job.id)).toMatchObject({ attempts: 0, checkpoint: { step: 1 } });
    here.pauses.clear('all');
    (await here.nth(2)).answer('second');
    (await here.nth(3)).answer('third');
    await ended(here, job, 'done');
    expect(here.numbers()).toEqual([1, 2, 3]);
    expect(here.started).toHaveLength(2);
  });

  it('G7 S4 the owner returns during a call: after the grace the call is cut', async () => {
    const here = await talkingRoom();
    const job = here.apart({ does: 'steps', steps: 2 }, { tier: 'synthesis' });
    (await here.nth(1)).answer('first');
    const call = await here.nth(2);
    here.facts.set({ idleSeconds: 0 });
    here.supervisor.runOnce();
    await here.clock.advance(9_999);
    expect(call.cut).toBe(false);
    await here.clock.advance(1);
    expect(call.cut).toBe(true);
    await ended(here, job, 'queued');
    expect(here.queue.get(job.id)).toMatchObject({ attempts: 0, checkpoint: { step: 1 } });
    expect(here.causes(job)).toEqual(['returned']);
    expect(here.models.released).toEqual(['returned']);
    await goneAll(here);
  });

  it('G7 S4 cancelled, and deaf to it: given up, and ended', async () => {
    const here = await workerRoom(KINDS);
    const job = here.apart({ does: 'is deaf' });
    await here.until(() => here.supervisor.flights()[0]?.progress);
    here.queue.cancel(job.id);
    expect(here.supervisor.cancel(job.id)).toBe(true);
    await here.clock.advance(10_000);
    expect(here.state(job)).toBe('running');
    await here.clock.advance(5_000);
    expect(here.state(job)).toBe('cancelled');
    await goneAll(here);
  });

  it('S4 the host quits: the job goes back, and no process is left', async () => {
    const here = await talkingRoom();
    const job = here.apart({ does: 'steps', steps: 2 });
    await here.nth(1);
    const stopped = here.supervisor.stop();
    await here.clock.advance(10_000);
    await stopped;
    await here.processes.close();
    expect(here.state(job)).toBe('queued');
    expect(here.causes(job)).toEqual(['quitting']);
    expect(here.started.map((worker) => isAlive(worker.pid))).toEqual([false]);
  });
});

describe('S4 G2 one model in flight', () => {
  it('G2 S4 two model jobs in workers: the second starts when nothing of the first is left', async () => {
    const here = await talkingRoom();
    const first = here.apart({ does: 'calls the model' });
    const second = here.apart({ does: 'calls the model' }, { tier: 'synthesis' });
    const call = await here.nth(1);
    for (let passes = 0; passes < 20; passes++) await here.pass();
    expect(here.state(second)).toBe('queued');
    expect(here.started).toHaveLength(1);
    call.answer('one');
    (await here.nth(2)).answer('two');
    await ended(here, second, 'done');
    expect(here.state(first)).toBe('done');
    expect(here.model.most).toBe(1);
  });

  it('G2 S4 the pinned model is never blocked by a worker', async () => {
    const here = await talkingRoom();
    const heavy = here.apart({ does: 'calls the model' }, { tier: 'synthesis' });
    await here.nth(1);
    const pinned = here.apart({ does: 'calls the model' }, { tier: 'pinned' });
    (await here.nth(2)).answer('at once');
    await ended(here, pinned, 'done');
    expect(here.state(heavy)).toBe('running');
    here.model.calls[0]?.answer('later');
    await ended(here, heavy, 'done');
  });

  it('G2 S4 it dies in the middle of a call: the call is cut before anything else starts', async () => {
    const here = await talkingRoom();
    const job = here.apart({ does: 'calls the model' }, { maxAttempts: 2 });
    const call = await here.nth(1);
    const letGo = Promise.withResolvers<void>();
    here.model.cutting = letGo.promise;
    process.kill(here.started[0]?.pid as number, 'SIGKILL');
    await here.until(() => call.cut);
    for (let passes = 0; passes < 20; passes++) await here.pass();
    expect(here.state(job)).toBe('running');
    letGo.resolve();
    await ended(here, job, 'deferred');
    await here.clock.advance(2000);
    (await here.nth(2)).answer('again');
    await ended(here, job, 'done');
    expect(here.model.most).toBe(1);
  });
});

describe('S1 S4 the host beside a worker that computes', () => {
  it('S1 S4 serves the other lane, looks at its gates, and stops the worker by its deadline', async () => {
    const here = await workerRoom(KINDS);
    here.kind('plain', async () => done('beside'));
    const busy = here.apart({ does: 'computes for ever' });
    await here.until(() => here.supervisor.flights()[0]?.progress);
    const beside = here.add({ kind: 'plain', tier: 'pinned' });
    await ended(here, beside, 'done');
    expect(here.state(busy)).toBe('running');
    await here.clock.advance(60_000);
    expect(here.state(busy)).toBe('failed');
    await goneAll(here);
  });
});

describe('S4 what a worker process may do', () => {
  it('S4 its environment is pruned', async () => {
    vi.stubEnv('A_SECRET_OF_THE_SHELL', 'x');
    vi.stubEnv('TZ', process.env.TZ ?? 'UTC');
    onTestFinished(() => void vi.unstubAllEnvs());
    const here = await workerRoom(KINDS);
    const job = here.apart({ does: 'environment' });
    await ended(here, job, 'done');
    const { env, cwd, argv } = JSON.parse(here.queue.get(job.id)?.result as string);
    const kept = ['LANG', 'LC_ALL', 'LC_NUMERIC', 'LC_TIME', 'TZ'];
    expect(env.filter((name: string) => !kept.includes(name))).toEqual([]);
    expect(env).toContain('TZ');
    expect({ cwd, argv }).toEqual({ cwd: '/', argv: ['--host', String(process.pid)] });
  });

  it.each([
    ['with Node’s own limits behind the guard', undefined],
    ['with the guard alone, as under Electron', ['--no-warnings']],
  ])('S4 doors: %s', { timeout: 60_000 }, async (_, flags) => {
    const server = createServer((_request, answer) => answer.end('open'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const open = (server.address() as AddressInfo).port;
    const file = join(temporaryFolder(), 'written');
    const settings = {
      models: { servers: [{ name: 'far', kind: 'openai', url: 'http://192.0.2.1:1234' }] },
    };
    const here = await workerRoom(KINDS, { settings, ...(flags && { flags }) });
    const job = here.apart({ does: 'doors', open, shut: '192.0.2.1:99', file });
    await here.until(() => !['queued', 'running'].includes(here.state(job) as string));
    const { result, error } = here.queue.get(job.id) ?? {};
    expect(error).toBeNull();
    const { allowed, refused } = JSON.parse(result as string);
    expect(allowed).toEqual(['open', 'open', null]);
    const guarded = Object.entries(refused).filter(
      ([name]) => flags === undefined || name !== 'write',
    );
    for (const [name, why] of guarded) {
      expect([name, why]).toEqual([name, expect.stringMatching(/^a worker may not |restricted/)]);
    }
    expect(existsSync(file)).toBe(flags !== undefined);
    const reaching = here.apart({ does: 'reaches its server', server: '192.0.2.1:1234' });
    await ended(here, reaching, 'done');
  });

  it.each(['computes for ever', 'is deaf'])(
    'S4 the host is killed: no worker that %s is left',
    async (does) => {
      const host = spawn(
        process.execPath,
        [join(import.meta.dirname, 'entries', 'host.ts'), does],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      onTestFinished(() => void host.kill('SIGKILL'));
      const [line] = await once(host.stdout as NodeJS.ReadableStream, 'data');
      const pid = Number(line);
      expect(isAlive(pid)).toBe(true);
      host.kill('SIGKILL');
      await until(() => !isAlive(pid), 20_000);
    },
  );
});
