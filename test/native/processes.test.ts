import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runningOf } from '../../native/index.ts';
import { processNames } from '../../native/linux/processes.ts';
import { besideAStart } from '../support/beside-a-start.ts';
import { temporaryFolder } from '../support/store.ts';

const NOW = 1_780_000_000_000;

function fakeProc() {
  const proc = temporaryFolder();
  writeFileSync(join(proc, 'meminfo'), 'MemAvailable: 1 kB');
  return {
    names: processNames(proc),
    is(pid: number, comm: string, cmdline = comm): void {
      mkdirSync(join(proc, String(pid)), { recursive: true });
      writeFileSync(join(proc, String(pid), 'comm'), `${comm}\n`);
      writeFileSync(join(proc, String(pid), 'cmdline'), `${cmdline}\0--flag\0`);
    },
    ends: (pid: number) => rmSync(join(proc, String(pid)), { recursive: true }),
  };
}

describe.runIf(process.platform === 'linux')('programs by name', () => {
  it('G5 the first listed one that runs is named as the settings spell it', () => {
    const { names, is, ends } = fakeProc();
    is(1, 'systemd');
    expect(names.find(['Blender'], NOW)).toBe('');
    is(77, 'blender');
    expect(names.find(['steam', 'Blender'], NOW)).toBe('Blender');
    expect(names.find(['blend'], NOW)).toBe('');
    ends(77);
    expect(names.find(['Blender'], NOW)).toBe('');
  });

  it('G5 a name that the kernel cuts is found by the command line', () => {
    const { names, is } = fakeProc();
    is(5, 'a-program-with-', '/opt/bin/a-program-with-a-long-name');
    is(6, 'worker-of-fifte', 'something else');
    expect(names.find(['a-program-with-a-long-name'], NOW)).toBe('a-program-with-a-long-name');
    expect(names.find(['worker-of-fifte'], NOW)).toBe('worker-of-fifte');
  });

  it('G5 a process that takes another name is found, soon when it is young and later when old', () => {
    const { names, is } = fakeProc();
    is(8, 'sh');
    expect(names.find(['game'], NOW)).toBe('');
    is(8, 'game');
    expect(names.find(['game'], NOW + 2_000)).toBe('game');
    is(8, 'sh');
    expect(names.find(['game'], NOW + 12_000)).toBe('game');
    expect(names.find(['game'], NOW + 61_999)).toBe('game');
    expect(names.find(['game'], NOW + 62_000)).toBe('');
    is(8, 'game');
    expect(names.find(['game'], NOW - 1)).toBe('game');
  });

  it('G5 finds a program that really runs', async () => {
    const program = join(temporaryFolder(), 'lull-test-game');
    copyFileSync('/bin/sleep', program);
    expect(runningOf(['lull-test-game'], NOW)).toMatchObject({ ok: true, value: '' });
    const child: ChildProcess = spawn(program, ['60'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    expect(runningOf(['Lull-Test-Game'], NOW + 1)).toMatchObject({
      ok: true,
      value: 'Lull-Test-Game',
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(runningOf(['lull-test-game'], NOW + 2)).toMatchObject({ ok: true, value: '' });
  });

  it('G5 names long known are read anew by and by: a look among hundreds is never slow', () => {
    const { names, is } = fakeProc();
    const named = (age: string) => Array.from({ length: 100 }, (_, n) => `${age}-${n}`);
    const all = (age: string) => {
      for (const [n, name] of named(age).entries()) is(n + 1, name);
    };
    all('old');
    names.find([], NOW);
    all('new');
    expect(names.find(named('new'), NOW + 59_999)).toBe('');
    // Thirty at a time.
    for (let look = 1; look < 4; look++)
      expect(names.find(named('old'), NOW + 60_000)).toMatch(/^old-/);
    expect(names.find(named('old'), NOW + 60_000)).toBe('');
  });

  it('G5 a look among hundreds of programs takes less time than one takes to start', () => {
    const { names, is } = fakeProc();
    for (let pid = 1; pid <= 300; pid++) is(pid, `program-${pid}`);
    names.find(['x'], NOW);
    expect(besideAStart(() => names.find(['x'], NOW + 30_000))).toBeLessThan(1);
  });

  it('G5 nothing is looked for where the settings list nothing', () => {
    expect(runningOf([], NOW)).toEqual({
      ...{ ok: false, source: 'settings', reason: 'exclusiveApps lists no program' },
    });
  });
});
