import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Home, resolveHome } from '../../../main/base/home.ts';
import { readHostInfo } from '../../../main/base/host-file.ts';
import { isLocked, takeLock } from '../../../main/base/store/lock.ts';
import { temporaryFolder } from '../../support/store.ts';

const HOLDER = join(import.meta.dirname, 'lock-holder.ts');
const OURS = { version: '1.0.0', now: 1_780_000_000_000, waitMs: 0 };

interface Holder {
  process: ChildProcess;
  /** The next line it says. */
  says(): Promise<string>;
}

function holder(home: Home, waitMs = 0, ...more: string[]): Holder {
  const child = spawn(process.execPath, [HOLDER, home.dir, String(waitMs), ...more], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[
    Symbol.asyncIterator
  ]();
  return { process: child, says: async () => String((await lines.next()).value) };
}

function temporaryHome(): Home {
  return resolveHome(join(temporaryFolder(), 'data'));
}

describe('the lock of the one writer', () => {
  it('D8 a second host is refused, exit 3, and is told who holds the folder', async () => {
    const home = temporaryHome();
    const first = holder(home);
    expect(await first.says()).toBe('held');
    expect(readHostInfo(home)).toMatchObject({ pid: first.process.pid, version: '9.9.9' });
    expect(isLocked(home)).toBe(true);
    expect(() => takeLock(home, OURS)).toThrow(
      new RegExp(`another Lull \\(pid ${first.process.pid}, version 9.9.9, since 20`),
    );
    const second = holder(home);
    expect(await second.says()).toMatch(/^host_running: another Lull \(pid \d+, version 9\.9\.9/);
    expect(await once(second.process, 'exit')).toEqual([3, null]);
    expect(isLocked(home)).toBe(true);
  });

  it('D8 of hosts that start together exactly one gets the folder', async () => {
    const home = temporaryHome();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => holder(home)).map((one) => one.says()),
    );
    expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
    expect(answers.filter((answer) => answer.startsWith('host_running'))).toHaveLength(3);
  });

  it('D8 a killed host leaves no lock: the next one starts at once', async () => {
    const home = temporaryHome();
    const first = holder(home);
    await first.says();
    first.process.kill('SIGKILL');
    await once(first.process, 'exit');
    expect(existsSync(home.hostFile)).toBe(true); // nobody was left to remove it
    expect(isLocked(home)).toBe(false);
    const lock = takeLock(home, OURS);
    expect(readHostInfo(home)).toEqual({
      pid: process.pid,
      version: '1.0.0',
      startedAt: OURS.now,
      socket: home.socket,
    });
    lock.release();
  });

  it('D8 a lock let go within the wait is taken, so a short command delays no start', async () => {
    const home = temporaryHome();
    const lock = takeLock(home, OURS);
    const waiting = holder(home, 10_000);
    expect(await waiting.says()).toBe('trying');
    lock.release();
    expect(await waiting.says()).toBe('held');
    expect(readHostInfo(home)?.pid).toBe(waiting.process.pid);
  });

  it('D8 release frees the folder, removes host.json, and may be called twice', async () => {
    const home = temporaryHome();
    const lock = takeLock(home, OURS);
    expect(statSync(home.dir).mode & 0o777).toBe(0o700);
    expect(statSync(home.hostFile).mode & 0o777).toBe(0o600);
    lock.release();
    expect(existsSync(home.hostFile)).toBe(false);
    const other = holder(home);
    expect(await other.says()).toBe('held');
    lock.release();
    expect(readHostInfo(home)?.pid).toBe(other.process.pid);
    other.process.stdin?.write('go\n');
    expect(await other.says()).toBe('released');
    expect(isLocked(home)).toBe(false);
  });

  it('D8 one read of the lock file by the host would lose the lock: why nothing may do that', async () => {
    const home = temporaryHome();
    const careless = holder(home, 0, 'read-the-lock');
    expect(await careless.says()).toBe('held');
    expect(isLocked(home)).toBe(false);
  });

  it('D8 asking whether a folder is locked changes nothing in it', () => {
    const home = temporaryHome();
    expect(isLocked(home)).toBe(false);
    expect(existsSync(home.dir)).toBe(false);
  });

  it('D8 a folder or a lock that cannot be used is one line with a remedy', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => takeLock(resolveHome(file), OURS)).toThrow(/^the data folder cannot be used: /);
    const damaged = temporaryHome();
    takeLock(damaged, OURS).release();
    writeFileSync(damaged.lock, 'this is not a database, whatever its name says. '.repeat(40));
    expect(() => takeLock(damaged, OURS)).toThrow(/^the lock file is damaged/);
    if (process.getuid?.() === 0) return; // root may write anywhere
    const closed = temporaryFolder();
    chmodSync(closed, 0o500);
    expect(() => takeLock(resolveHome(join(closed, 'data')), OURS)).toThrow(/cannot be used/);
  });
});
