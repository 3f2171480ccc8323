import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LullError } from '../../../main/base/errors.ts';
import { type Home, resolveHome } from '../../../main/base/home.ts';
import { takeLock } from '../../../main/base/store/lock.ts';
import { type OpenRooms, reach } from '../../../main/surfaces/cli/reach.ts';
import { serveSocket } from '../../../main/surfaces/socket/server.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/store.ts';
import { answering, temporaryHome, temporaryLock } from '../support.ts';

/** Rooms that say how they were opened; `write` takes the lock, as the real ones do. */
function rooms() {
  const log: string[] = [];
  const open: OpenRooms = async (home: Home, mode) => {
    const lock = mode === 'write' ? takeLock(home, { version: '1', now: 1, waitMs: 0 }) : null;
    log.push(mode);
    return {
      dispatch: async (command) => ({ ok: true, value: `${mode}:${command}` }),
      close: async () => {
        lock?.release();
        log.push('closed');
      },
    };
  };
  return { open, log };
}

/** Lets the patience pass in steps, so that what happens meanwhile can be looked at. */
async function wait<T>(clock: FakeClock, work: Promise<T>, ms = 10_000): Promise<T> {
  let over = false;
  const done = () => {
    over = true;
  };
  work.then(done, done);
  for (let passed = 0; !over && passed < ms; passed += 100) {
    await clock.advance(100);
    await new Promise((turn) => setTimeout(turn, 2));
  }
  return work;
}

describe('reaching the host', () => {
  it('D8 a running host is asked; the rooms stay closed to the command', async () => {
    const lock = temporaryLock();
    const server = await serveSocket(
      lock,
      answering({ dispatch: async (command) => ({ ok: true, value: `host:${command}` }) }),
    );
    onTestFinished(() => server.close());
    const { open, log } = rooms();
    const reached = reach(lock.home, new FakeClock(), open);
    expect(await reached.call('status', {})).toBe('host:status');
    expect(await reached.call('resume', {})).toBe('host:resume');
    await reached.close();
    expect(log).toEqual([]);
  });

  it('D8 a refusal of the host is a refusal here, with its code and hint', async () => {
    const lock = temporaryLock();
    const server = await serveSocket(
      lock,
      answering({
        dispatch: async () => ({ ok: false, code: 'queue_full', message: 'full', hint: 'later' }),
      }),
    );
    onTestFinished(() => server.close());
    const reached = reach(lock.home, new FakeClock(), rooms().open);
    await expect(reached.call('status', {})).rejects.toMatchObject({
      code: 'queue_full',
      message: 'full',
      hint: 'later',
    });
    await reached.close();
  });

  it('D8 with no host, reading opens the rooms to read and changing takes the lock, and lets go', async () => {
    const home = temporaryHome();
    const { open, log } = rooms();
    const reached = reach(home, new FakeClock(), open);
    expect(await reached.call('status', {})).toBe('read:status');
    expect(await reached.call('why', {})).toBe('read:why');
    expect(await reached.call('resume', {})).toBe('write:resume');
    expect(await reached.call('status', {})).toBe('write:status');
    await reached.close();
    expect(log).toEqual(['read', 'closed', 'write', 'closed']);
    takeLock(home, { version: '1', now: 1, waitMs: 0 }).release();
  });

  it('D8 a lock that is held while nobody answers is refused after 3 seconds, naming the holder', async () => {
    const { home } = temporaryLock();
    for (const command of ['status', 'resume'] as const) {
      const clock = new FakeClock();
      const { open, log } = rooms();
      const reached = reach(home, clock, open);
      await expect(wait(clock, reached.call(command, {}))).rejects.toMatchObject({
        code: 'host_silent',
        message: expect.stringMatching(
          new RegExp(`^a Lull \\(pid ${process.pid}, version 1.0.0, since .*does not answer`),
        ),
      });
      expect(clock.monotonic()).toBeGreaterThanOrEqual(3_000);
      expect(clock.monotonic()).toBeLessThan(3_500);
      expect(clock.pendingTimers).toBe(0);
      expect(log).toEqual([]);
    }
  });

  it('D8 a host that hangs with its socket open is refused as well', async () => {
    const { home } = temporaryLock();
    const server = createServer(() => {}).listen(home.socket);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const clock = new FakeClock();
    const reached = reach(home, clock, rooms().open);
    await expect(wait(clock, reached.call('status', {}))).rejects.toMatchObject({
      code: 'host_silent',
      message: expect.stringContaining(`pid ${process.pid}`),
    });
    expect(clock.monotonic()).toBeLessThan(3_500);
  });

  it('D8 a host that is just starting is waited for', async () => {
    const lock = temporaryLock();
    const clock = new FakeClock();
    const reached = reach(lock.home, clock, rooms().open);
    const answer = reached.call('status', {});
    await clock.advance(500);
    const server = await serveSocket(
      lock,
      answering({ dispatch: async () => ({ ok: true, value: 'host' }) }),
    );
    onTestFinished(() => server.close());
    expect(await wait(clock, answer)).toBe('host');
    await reached.close();
  });

  it('D8 a command that holds the lock for a moment is waited for, then the lock is ours', async () => {
    const lock = temporaryLock();
    const clock = new FakeClock();
    const { open, log } = rooms();
    const reached = reach(lock.home, clock, open);
    const answer = reached.call('resume', {});
    await clock.advance(500);
    lock.release();
    expect(await wait(clock, answer)).toBe('write:resume');
    await reached.close();
    expect(log).toEqual(['write', 'closed']);
  });

  it('D8 another fault of opening is told at once', async () => {
    const clock = new FakeClock();
    const reached = reach(temporaryHome(), clock, async () => {
      throw new LullError('database_newer', 'newer');
    });
    await expect(reached.call('status', {})).rejects.toMatchObject({ code: 'database_newer' });
    expect(clock.monotonic()).toBe(0);
  });

  it('D8 a host is found by host.json, though the runtime folder is another one here', async () => {
    const home = resolveHome(join(temporaryFolder(), 'x'.repeat(110)));
    const lock = temporaryLock(home);
    const before = process.env.XDG_RUNTIME_DIR;
    const server = await serveSocket(
      lock,
      answering({ dispatch: async () => ({ ok: true, value: 'host' }) }),
    );
    onTestFinished(async () => {
      if (before === undefined) delete process.env.XDG_RUNTIME_DIR;
      else process.env.XDG_RUNTIME_DIR = before;
      await server.close();
    });
    process.env.XDG_RUNTIME_DIR = temporaryFolder();
    const reached = reach(home, new FakeClock(), rooms().open);
    expect(await reached.call('status', {})).toBe('host');
    await reached.close();
  });

  it('D8 what only a running host can do is refused without one', async () => {
    const reached = reach(temporaryHome(), new FakeClock(), rooms().open);
    await expect(reached.askHost('panel.link')).rejects.toMatchObject({
      code: 'refused',
      hint: 'start it with: lull start',
    });
  });
});
