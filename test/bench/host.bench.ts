import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveHome } from '../../main/base/home.ts';
import { openRooms } from '../../main/one-command.ts';
import { atMost, type Bench, type BenchOptions, type Row, row } from './bench.ts';
import { presence } from './presence.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const ROOT = join(import.meta.dirname, '..', '..');
const SCHEDULES = 1000;
/** The start compiles and collects; what an idle host costs is measured after it. */
const SETTLE_MS = 20_000;

/** The least that a program with the same two looks a minute can cost under the same Node. */
const SLEEPER =
  "require('v8').setFlagsFromString('--memory-reducer-gc-count=0'); setInterval(() => {}, 30_000)";

async function idleHome(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'lull-idle-'));
  const rooms = await openRooms(resolveHome(dir), 'write');
  const first = Date.now() + 20 * 86_400_000;
  for (let i = 0; i < SCHEDULES; i++) {
    const rule = { kind: 'interval', everySeconds: 86_400, first };
    const reply = await rooms.dispatch('schedule.add', { id: `s${i}`, prompt: 'p', rule });
    if (!reply.ok) throw new Error(reply.message);
  }
  await rooms.close();
  return dir;
}

interface Spent {
  /** Voluntary context switches of the main thread. */
  wakes: number;
  /** Processor time, hundredths of a second. */
  ticks: number;
}

function spent(pid: number): Spent {
  const status = readFileSync(`/proc/${pid}/task/${pid}/status`, 'utf8');
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return {
    wakes: Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]),
    ticks: Number(stat[11]) + Number(stat[12]),
  };
}

async function idle({ quick }: BenchOptions): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const minutes = quick ? 1 : 5;
  const home = await idleHome();
  const cli = [join(ROOT, 'main', 'cli.ts'), 'start', '--home', home, '--no-open'];
  const host = spawn(process.execPath, cli, { stdio: ['ignore', 'pipe', 'inherit'] });
  const sleeper = spawn(process.execPath, ['-e', SLEEPER], { stdio: 'ignore' });
  try {
    if (host.stdout) await once(host.stdout, 'data');
    await pause(SETTLE_MS);
    const [ours, theirs] = [host, sleeper].map((one) => spent(one.pid as number)) as [Spent, Spent];
    await pause(minutes * 60_000);
    const [oursEnd, theirsEnd] = [host, sleeper].map((one) => spent(one.pid as number)) as [
      Spent,
      Spent,
    ];
    const share = (from: Spent, to: Spent) =>
      // One tick is the least that can be told apart from nothing.
      (Math.max(1, to.ticks - from.ticks) / 100 / (minutes * 60)) * 100;
    return [
      row(
        `idle host, ${SCHEDULES} schedules: wakes beside a sleeping Node`,
        'a minute',
        (oursEnd.wakes - ours.wakes) / minutes,
        (theirsEnd.wakes - theirs.wakes) / minutes,
        atMost(5, 'a minute'),
      ),
      row(
        `idle host, ${SCHEDULES} schedules: processor beside a sleeping Node`,
        '% of a core',
        share(ours, oursEnd),
        share(theirs, theirsEnd),
        atMost(0.1, '% of a core'),
      ),
    ];
  } finally {
    await end(host);
    await end(sleeper);
    rmSync(home, { recursive: true, force: true });
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export const benches: Bench[] = [
  { name: 'presence', run: presence },
  { name: 'idle host', run: idle },
];
