import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Home } from '../../../main/base/home.ts';
import { VERSION } from '../../../main/base/version.ts';
import type { Dispatch } from '../../../main/surfaces/dispatch.ts';
import { serveSocket } from '../../../main/surfaces/socket/server.ts';
import { answering, temporaryHome, temporaryLock } from '../support.ts';
import { JOB } from './fake-rooms.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const CLI = join(ROOT, 'main', 'cli.ts');
const LAUNCHER = join(ROOT, 'bin', 'lull.mjs');

interface Ended {
  code: number | null;
  out: string;
  err: string;
  ms: number;
}

function start(home: Home, args: string[], stdout: 'pipe' | number = 'pipe'): ChildProcess {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, LULL_HOME: home.dir, NODE_OPTIONS: '' },
    stdio: ['ignore', stdout, 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function ended(child: ChildProcess): Promise<Ended> {
  const began = performance.now();
  let out = '';
  let err = '';
  child.stdout?.on('data', (part) => {
    out += part;
  });
  child.stderr?.on('data', (part) => {
    err += part;
  });
  const [code] = await once(child, 'close');
  return { code, out, err, ms: performance.now() - began };
}

async function hostWith(dispatch: Dispatch): Promise<Home> {
  const lock = temporaryLock();
  const server = await serveSocket(lock, answering({ dispatch }));
  onTestFinished(() => server.close());
  return lock.home;
}

describe('the lull program', () => {
  it('D8 speaks to a running host, JSON on standard output alone', async () => {
    const home = await hostWith(async (command, input) => ({
      ok: true,
      value: [{ ...JOB, title: `${command} ${JSON.stringify(input)}` }],
    }));
    const ran = await ended(start(home, ['jobs', 'list', '--limit', '1', '--json']));
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(ran.out)[0].title).toBe('jobs.list {"limit":2}');
  });

  it('D8 a refusal is one line on standard error and its exit code', async () => {
    const home = await hostWith(async () => ({
      ok: false,
      code: 'queue_full',
      message: 'the queue is full: 100 of 100',
      hint: 'cancel something',
    }));
    expect(await ended(start(home, ['add', 'x']))).toMatchObject({
      code: 3,
      out: '',
      err: 'lull: the queue is full: 100 of 100 - cancel something\n',
    });
    expect(await ended(start(home, ['ad']))).toMatchObject({
      code: 1,
      err: "lull: unknown command 'ad' - did you mean add?\n",
    });
  });

  it('D8 a reader that leaves early is no fault: no trace, exit 0', async () => {
    const home = await hostWith(async () => ({
      ok: true,
      value: Array.from({ length: 400 }, () => ({ ...JOB, title: 'x'.repeat(5_000) })),
    }));
    const child = start(home, ['jobs', 'list', '--limit', '400']);
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended(child)).toMatchObject({ code: 0, err: '' });
  });

  it.runIf(process.platform === 'linux')(
    'D8 output that cannot be written is told, exit 2',
    async () => {
      const home = await hostWith(async () => ({ ok: true, value: [JOB] }));
      const ran = await ended(start(home, ['jobs', 'list'], openSync('/dev/full', 'w')));
      expect(ran.code).toBe(2);
      expect(ran.err).toMatch(/^lull: the output cannot be written: [^\n]+\n$/);
    },
  );

  it('D8 a host that was stopped in its tracks is refused within a few seconds, exit 3', async () => {
    const home = temporaryHome();
    const host = spawn(process.execPath, [join(import.meta.dirname, 'silent-host.ts'), home.dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void host.kill('SIGKILL'));
    await once(host.stdout as NodeJS.ReadableStream, 'data');
    expect(await ended(start(home, ['config', 'get', '--json']))).toMatchObject({ code: 0 });
    host.kill('SIGSTOP');
    const ran = await ended(start(home, ['status']));
    expect(ran.code).toBe(3);
    expect(ran.err).toMatch(
      new RegExp(
        `^lull: a Lull \\(pid ${host.pid}, version 9\\.9\\.9, since .*does not answer.*\n$`,
      ),
    );
    expect(ran.ms).toBeLessThan(6_000);
  });

  it('D8 a lock that is held by somebody without a socket is refused, exit 3', async () => {
    const { home } = temporaryLock();
    const ran = await ended(start(home, ['status']));
    expect(ran).toMatchObject({ code: 3, out: '' });
    expect(ran.err).toMatch(/^lull: a Lull \(pid \d+, .*does not answer[^\n]*\n$/);
    expect(ran.ms).toBeGreaterThan(2_500);
  });

  const olderNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
    const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout ?? '';
    return Number(version.match(/^v(\d+)/)?.[1] ?? 99) < 24;
  });
  it.runIf(olderNode)('D8 the launcher runs it on its own Node, whatever "node" is', async () => {
    const run = (...args: string[]) =>
      spawnSync(olderNode as string, [LAUNCHER, ...args], {
        encoding: 'utf8',
        env: { ...process.env, LULL_HOME: temporaryHome().dir },
      });
    expect(run('--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
    expect(run('open')).toMatchObject({ status: 3, stdout: '' });
  });
});
