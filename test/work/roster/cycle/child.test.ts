import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../main/base/clock.ts';
import {
  type ChildEnd,
  type ChildOrder,
  childRunner,
} from '../../../../main/work/roster/cycle/child.ts';
import { temporaryFolder } from '../../../support/store.ts';
import { processesIn } from './sample-repository.ts';

interface Trial {
  order: Partial<ChildOrder>;
  stop?: AbortController;
  onLine?: (line: string) => void;
}

async function run(command: string, trial: Partial<Trial> = {}) {
  const root = temporaryFolder();
  const lines: string[] = [];
  const hear = (line: string) => {
    lines.push(line);
    trial.onLine?.(line);
  };
  const stop = trial.stop ?? new AbortController();
  const ended: ChildEnd = await childRunner({
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root },
    clock: systemClock(),
    signal: stop.signal,
    say: { out: hear, err: (line) => hear(`! ${line}`) },
  })({
    ...{ label: 'x', program: 'bash', args: ['-c', command], limitMs: 300_000 },
    ...trial.order,
  });
  expect(processesIn(root), 'processes left behind').toEqual([]);
  return { ...ended, lines };
}

describe.runIf(process.platform === 'linux')('a child', { timeout: 120_000 }, () => {
  it('T5 is heard line by line, each stream on its own, with a prefix', async () => {
    const ran = await run('echo one; echo two >&2; printf three');
    expect(ran).toMatchObject({ code: 0, fault: null, stdout: 'one\nthree', stderr: 'two\n' });
    expect(ran.lines.sort()).toEqual(['! [x] two', '[x] one', '[x] three']);
  });

  it('T5 has no standard input and leads its own process group', async () => {
    const ran = await run('cat; ps -o pgid= -p $$; echo $$');
    const [group, pid] = ran.stdout.trim().split(/\s+/);
    expect(group).toBe(pid);
  });

  it.each([
    ['exits otherwise', 'exit 7', 7, null],
    ['is not found by the shell', 'no-such-program', 127, null],
    ['is killed', 'kill -9 $$', 1, 'It was ended by SIGKILL.'],
  ])('T5 that %s ends with its code', async (_, command, code, fault) => {
    expect(await run(command)).toMatchObject({ code, fault });
  });

  it('T5 that is not there, or takes no such arguments, is told', async () => {
    expect(await run('', { order: { program: 'no-such-program' } })).toMatchObject({
      code: 127,
      fault: 'There is no program "no-such-program" on the PATH.',
    });
    const ran = await run('', { order: { program: 'echo', args: ['x'.repeat(3_000_000)] } });
    expect(ran.code).toBe(127);
    expect(ran.fault).toContain('could not be started');
  });

  it('T5 that never ends is ended at its time limit, though it will not listen', async () => {
    const ran = await run('trap "" TERM; echo on; while :; do sleep 1; done', {
      order: { limitMs: 2_000 },
    });
    expect(ran).toMatchObject({ code: 1, fault: 'It took longer than 2 s and was ended.' });
  });

  it('T5 is ended whole: children, grandchildren, and who left the group', async () => {
    const ran = await run(
      `(sleep 600 & sleep 600 & wait) & setsid sleep 600 &
       setsid bash -c 'trap "" TERM; (setsid sleep 600 &) ; sleep 600' &
       sleep 1; sleep 600`,
      { order: { limitMs: 3_000 } },
    );
    expect(ran.fault).toContain('took longer');
  });

  it('T5 that goes on forking is ended whole', async () => {
    const ran = await run('f() { sleep 0.2; f & f & sleep 30; }; f & sleep 600', {
      order: { limitMs: 1_500 },
    });
    expect(ran.fault).toContain('took longer');
  });

  it('T5 that ends well leaves nobody behind who holds its output open', async () => {
    const ran = await run('sleep 600 & setsid sleep 600 & echo done');
    expect(ran).toMatchObject({ code: 0, fault: null, stdout: 'done\n' });
  });

  it('T5 is ended when the cycle is stopped, and none is started after', async () => {
    const stop = new AbortController();
    const ran = await run('echo on; sleep 600', {
      stop,
      onLine: () => stop.abort('SIGINT'),
    });
    expect(ran).toMatchObject({ code: 1, fault: 'It was stopped: SIGINT.', stdout: 'on\n' });
    expect(await run('echo on', { stop })).toMatchObject({ code: 1, stdout: '', lines: [] });
  });

  it('T5 that writes 1 GB costs little memory; a marker at its end is found', async () => {
    let most = 0;
    const before = process.memoryUsage().rss;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 50);
    const ran = await run(`head -c 1000000000 /dev/zero | tr '\\0' x; echo MEMORY_STORED`, {
      order: { markers: ['MEMORY_STORED', 'MEMORY_RETRIEVED'] },
    });
    clearInterval(timer);
    expect(ran.code).toBe(0);
    expect([...ran.found]).toEqual(['MEMORY_STORED']);
    expect(ran.stdout.length).toBe(1_000_000);
    expect(ran.lines.join('').length).toBeLessThan(20_200);
    expect(most).toBeLessThan(250_000_000);
  });
});
