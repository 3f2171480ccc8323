import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { runningOf } from '../../native/index.ts';
import { type Display, xDisplay } from '../../native/linux/x11.ts';
import { medianBesideAStart } from '../support/beside-a-start.ts';
import { program } from '../support/needs.ts';
import { type Goal, type Row, row } from './bench.ts';

/** `ratio` is the share of what an empty program takes to start, the least that a reading by a command line tool costs. */
const within = (ms: number, share: number): Goal => ({
  text: `under ${ms} ms, ≤ ${share} × a start`,
  holds: (ratio, ours) => ours < ms && ratio <= share,
});

/** A presence reading by FFI and a look for programs by name, each beside the start of an empty program. */
export async function presence(): Promise<Row[]> {
  const lookAt = (now: number) => runningOf(['no such program'], now);
  // A while ago: of programs that are young each look reads the names.
  lookAt(Date.now() - 30_000);
  const looks = medianBesideAStart(() => lookAt(Date.now()));
  const look = row(
    'looking for programs by name, beside a start',
    'ms',
    looks.work,
    looks.start,
    within(1, 1),
  );
  return program('Xvfb') ? [await reading(), look] : [look];
}

async function reading(): Promise<Row> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '320x200x8', '-noreset'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [number] = await once(server.stdio[3] as Readable, 'data');
  const display = xDisplay({ DISPLAY: `:${String(number).trim()}` });
  try {
    const { work, start } = medianBesideAStart(() => readIdle(display));
    return row('presence reading by FFI, beside a start', 'ms', work, start, within(1, 0.02));
  } finally {
    display.close();
    server.kill();
    await once(server, 'exit');
  }
}

function readIdle(display: Display): void {
  const { idleSeconds } = display.read();
  if (!idleSeconds.ok) throw new Error(idleSeconds.reason);
}
