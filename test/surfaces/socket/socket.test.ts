import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../main/base/clock.ts';
import { resolveHome } from '../../../main/base/home.ts';
import { socketPath } from '../../../main/base/host-file.ts';
import type { Push } from '../../../main/surfaces/contract.ts';
import { connectHost } from '../../../main/surfaces/socket/client.ts';
import { LARGEST_FRAME } from '../../../main/surfaces/socket/frames.ts';
import { serveSocket } from '../../../main/surfaces/socket/server.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/store.ts';
import {
  answering,
  echo,
  publisher,
  rawClient,
  temporaryHome,
  temporaryLock,
  temporarySocket,
} from '../support.ts';

const clock = systemClock();

describe('the socket', () => {
  it('D8 is open to its owner alone, and gone with the host', async () => {
    const lock = temporaryLock();
    const server = await serveSocket(lock, answering());
    expect(statSync(lock.info.socket).mode & 0o777).toBe(0o600);
    await server.close();
    expect(existsSync(lock.info.socket)).toBe(false);
    expect(await connectHost(lock.info.socket, clock)).toBeNull();
  });

  it('D8 answers commands and refusals in any order, each with its own id', async () => {
    const slow = Promise.withResolvers<void>();
    const path = await temporarySocket({
      dispatch: async (command, input) => {
        if (command === 'slow') await slow.promise;
        return echo(command, input);
      },
    });
    const client = await connectHost(path, clock);
    const first = client?.dispatch('slow', { n: 1 });
    expect(await client?.dispatch('quick', undefined)).toEqual({
      ok: true,
      value: { command: 'quick', input: {} },
    });
    expect(await client?.dispatch('refuse', {})).toEqual({
      ok: false,
      code: 'refused',
      message: 'not now',
      hint: 'later',
    });
    slow.resolve();
    expect(await first).toEqual({ ok: true, value: { command: 'slow', input: { n: 1 } } });
    client?.close();
  });

  it('D8 a client that has said all it wants still gets its answers', async () => {
    const heard = Promise.withResolvers<void>();
    const path = await temporarySocket({
      dispatch: async (command, input) => {
        await heard.promise;
        return echo(command, input);
      },
    });
    const client = rawClient(path);
    client.socket.end('{"id":1,"command":"a"}\n\n{"id":2,"command":"b"}\n');
    expect(await client.next()).toMatchObject({ event: 'hello', version: '1.0.0' });
    await expect.poll(() => client.socket.writableFinished).toBe(true);
    for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next));
    heard.resolve();
    expect(await client.next()).toMatchObject({ id: 1, ok: true });
    expect(await client.next()).toMatchObject({ id: 2, ok: true });
    expect(await client.next()).toBeUndefined();
  });

  it.each([
    ['{', 0, 'a request must be one line of JSON'],
    ['\u0000\u0001', 0, 'a request must be one line of JSON'],
    ['[]', 0, 'a request must be an object'],
    ['null', 0, 'a request must be an object'],
    ['{"id":"1","command":"a"}', 0, 'id must be a number'],
    ['{"id":7}', 7, 'command is missing'],
    ['{"id":7,"command":3}', 7, 'command must be a text'],
    ['{"id":7,"command":"a","extra":1}', 7, 'unknown key "extra"'],
  ])('D8 a malformed frame is answered and the next one served: %s', async (line, id, message) => {
    const client = rawClient(await temporarySocket());
    await client.next();
    client.send(`${line}\n{"id":8,"command":"a","input":{}}\n`);
    expect(await client.next()).toEqual({ id, ok: false, code: 'invalid', message });
    expect(await client.next()).toMatchObject({ id: 8, ok: true });
  });

  it('D8 no bytes whatever stop the host: afterwards it answers as before', async () => {
    const path = await temporarySocket();
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 200 }),
            fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
            fc.json().map((text) => Buffer.from(`${text}\n`)),
            fc
              .jsonValue()
              .map((input) => Buffer.from(`${JSON.stringify({ id: 1, command: 'a', input })}\n`)),
          ),
          { maxLength: 8 },
        ),
        async (chunks) => {
          const client = rawClient(path);
          expect(await client.next()).toMatchObject({ event: 'hello' });
          for (const chunk of chunks) client.send(chunk);
          client.send('\n{"id":4711,"command":"still there?","input":{}}\n');
          for (;;) {
            const reply = await client.next();
            if (reply?.id === 4711) break;
            expect(reply).toMatchObject({ id: expect.any(Number), ok: expect.any(Boolean) });
          }
          client.socket.destroy();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('D8 frames are put together from any cuts, within a character too', async () => {
    const path = await temporarySocket();
    const text = `${JSON.stringify({ id: 3, command: 'ä€𝄞', input: { n: 'x'.repeat(300) } })}\n`;
    const bytes = Buffer.from(text);
    for (const size of [1, 7, 64]) {
      const client = rawClient(path);
      client.socket.setNoDelay(true);
      await client.next();
      for (let at = 0; at < bytes.length; at += size) {
        await new Promise((sent) => client.socket.write(bytes.subarray(at, at + size), sent));
      }
      expect(await client.next()).toMatchObject({ id: 3, value: { command: 'ä€𝄞' } });
    }
  });

  it('D8 a frame over 16 MB is refused, not kept; one just under it passes', async () => {
    const path = await temporarySocket({ dispatch: async () => ({ ok: true, value: 'taken' }) });
    const client = await connectHost(path, clock);
    const room = LARGEST_FRAME - 100;
    expect(await client?.dispatch('a', 'x'.repeat(room))).toEqual({ ok: true, value: 'taken' });
    expect(await client?.dispatch('a', 'x'.repeat(LARGEST_FRAME))).toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/too much for one command/),
    });
    client?.close();
    const rude = rawClient(path);
    await rude.next();
    rude.send(Buffer.alloc(LARGEST_FRAME + 1, 'x'));
    expect(await rude.next()).toEqual({
      id: 0,
      ok: false,
      code: 'invalid',
      message: 'a request may be 16 MB at most',
    });
    expect(await rude.next()).toBeUndefined();
  });

  it('D8 pushes reach those who asked for them, until they go', async () => {
    const { subscribe, push, listeners } = publisher();
    const path = await temporarySocket({ subscribe });
    const client = rawClient(path);
    await client.next();
    client.send('{"id":1,"command":"subscribe"}\n{"id":2,"command":"subscribe"}\n');
    expect(await client.next()).toEqual({ id: 1, ok: true, value: {} });
    expect(await client.next()).toEqual({ id: 2, ok: true, value: {} });
    expect(listeners()).toBe(1);
    push({ event: 'panel', changed: { stockTotal: 3 } });
    expect(await client.next()).toEqual({ event: 'panel', changed: { stockTotal: 3 } });
    client.socket.destroy();
    await expect.poll(listeners).toBe(0);
  });

  it('D8 a client that does not read keeps the newest of each section, not a backlog', async () => {
    const { subscribe, push } = publisher();
    const path = await temporarySocket({ subscribe });
    const client = rawClient(path);
    await client.next();
    client.send('{"id":1,"command":"subscribe"}\n');
    await client.next();
    client.socket.pause();
    const big = 'x'.repeat(100_000);
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    for (let n = 1; n <= 3_000; n++) {
      push({ event: 'panel', changed: { stockTotal: n, detail: `${big}${n}` } });
      if (n === 2_000) push({ event: 'panel', changed: { nextLull: 'seen once' } });
      if (n % 100 === 0) await new Promise((turn) => setImmediate(turn));
    }
    const grown = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed - before;
    expect(grown).toBeLessThan(60_000_000); // 3,000 pushes are 300 MB
    client.socket.resume();
    let nextLull: unknown;
    for (let count = 1; ; count++) {
      const got = (await client.next()) as unknown as Push;
      nextLull ??= got.changed.nextLull;
      expect(count).toBeLessThan(100);
      if (got.changed.stockTotal === 3_000) break;
    }
    expect(nextLull).toBe('seen once');
  });

  it('D8 a client that asks and does not read is asked to wait', async () => {
    let served = 0;
    const path = await temporarySocket({
      dispatch: async () => {
        served++;
        return { ok: true, value: 'x'.repeat(200_000) };
      },
    });
    const client = rawClient(path);
    await client.next();
    client.socket.pause();
    for (let id = 1; id <= 20_000; id++) client.send(`{"id":${id},"command":"a"}\n`);
    let last = -1;
    while (served !== last) {
      last = served;
      await new Promise((turn) => setTimeout(turn, 100));
    }
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThan(4_000);
    client.socket.destroy();
  });

  it('D8 whoever asks for the panel gets a link, or no link from a host that has opened it itself', async () => {
    const without = await connectHost(await temporarySocket(), clock);
    expect(await without?.dispatch('panel.link', {})).toEqual({ ok: true, value: { url: null } });
    without?.close();
    const path = await temporarySocket({ panel: () => 'http://127.0.0.1:1/enter?token=t' });
    const client = await connectHost(path, clock);
    expect(await client?.dispatch('panel.link', {})).toEqual({
      ok: true,
      value: { url: 'http://127.0.0.1:1/enter?token=t' },
    });
    client?.close();
  });

  it('D8 the socket file of a dead host is replaced, anything else is left alone', async () => {
    const lock = temporaryLock();
    const child = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(lock.info.socket)}, () => console.log('up'))`,
    ]);
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(lock.info.socket)).toBe(true);
    const server = await serveSocket(lock, answering());
    const client = await connectHost(lock.info.socket, clock);
    expect(await client?.dispatch('a', {})).toMatchObject({ ok: true });
    client?.close();
    await server.close();
    writeFileSync(lock.info.socket, 'a file of the owner');
    await expect(serveSocket(lock, answering())).rejects.toThrow(/no socket is in the way/);
  });

  it('D8 a path too long for a socket moves to the runtime folder under a digest', async () => {
    const home = resolveHome(join(temporaryFolder(), 'ü'.repeat(60)));
    const runtime = temporaryFolder();
    const path = socketPath(home, { XDG_RUNTIME_DIR: runtime });
    expect(path).toMatch(new RegExp(`^${runtime}/lull/[0-9a-f]{24}\\.sock$`));
    expect(socketPath(home, {})).toMatch(/\/lull-\d+\/[0-9a-f]{24}\.sock$/);
    expect(socketPath(home, { XDG_RUNTIME_DIR: `/${'x'.repeat(90)}` })).toBe(socketPath(home, {}));
    expect(socketPath(temporaryHome())).toMatch(/\/data\/host\.sock$/);

    const lock = temporaryLock(home);
    const moved = { ...lock, info: { ...lock.info, socket: path } };
    const server = await serveSocket(moved, answering());
    onTestFinished(() => server.close());
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    const client = await connectHost(path, clock);
    expect(await client?.dispatch('a', {})).toMatchObject({ ok: true });
    client?.close();
  });

  it('D8 a runtime folder that is a link of somebody is not used', async () => {
    const lock = temporaryLock();
    const theirs = temporaryFolder();
    mkdirSync(join(theirs, 'trap'));
    symlinkSync(join(theirs, 'trap'), join(theirs, 'lull'));
    const moved = { ...lock, info: { ...lock.info, socket: join(theirs, 'lull', 'x.sock') } };
    await expect(serveSocket(moved, answering())).rejects.toThrow(/belongs to someone else/);
  });

  it('D8 a host that takes the connection and says nothing is silent within 3 seconds', async () => {
    const path = join(temporaryFolder(), 'silent.sock');
    const server = createServer(() => {}).listen(path);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const fake = new FakeClock();
    const connecting = connectHost(path, fake);
    const refused = expect(connecting).rejects.toMatchObject({ code: 'host_silent' });
    await once(server, 'connection');
    await fake.advance(3_000);
    await refused;
    expect(fake.pendingTimers).toBe(0);
  });

  it('D8 a host that hangs in a command, or ends in it, is told apart', async () => {
    const fake = new FakeClock();
    const hanging = await connectHost(
      await temporarySocket({ dispatch: () => new Promise(() => {}) }),
      fake,
    );
    const reply = hanging?.dispatch('a', {});
    await fake.advance(120_000);
    expect(await reply).toMatchObject({ ok: false, code: 'host_silent' });
    hanging?.close();

    const lock = temporaryLock();
    const asked = Promise.withResolvers<void>();
    const server = await serveSocket(
      lock,
      answering({
        dispatch: () => {
          asked.resolve();
          return new Promise(() => {});
        },
      }),
    );
    const ending = await connectHost(lock.info.socket, fake);
    const lost = ending?.dispatch('a', {});
    await asked.promise;
    await server.close();
    expect(await lost).toMatchObject({ ok: false, code: 'failed', message: /stopped before/ });
    expect(await ending?.dispatch('b', {})).toMatchObject({ ok: false, code: 'failed' });
    expect(fake.pendingTimers).toBe(0);
  });

  it('D8 closing does not wait for a client that never reads', async () => {
    const { subscribe, push, listeners } = publisher();
    const lock = temporaryLock();
    const server = await serveSocket(lock, answering({ subscribe }));
    const client = connect(lock.info.socket);
    onTestFinished(() => void client.destroy());
    client.write('{"id":1,"command":"subscribe"}\n');
    await expect.poll(listeners).toBe(1);
    for (let n = 0; n < 50; n++) push({ event: 'panel', changed: { detail: 'x'.repeat(100_000) } });
    await server.close();
  });

  it('D8 what is no Lull behind the socket is nobody', async () => {
    const path = join(temporaryFolder(), 'other.sock');
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(
      path,
    );
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    expect(await connectHost(path, clock)).toBeNull();
    expect(await connectHost(join(temporaryFolder(), 'none.sock'), clock)).toBeNull();
  });
});
