import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { type Display, xDisplay } from '../../native/linux/x11.ts';
import { program } from '../support/needs.ts';

/** Rounds in which ours and the reference take turns, and readings of ours in each. */
const ROUNDS = 31;
const READINGS = 100;

/** Milliseconds, medians; `ratio` is how many times faster ours is. */
export interface PresenceFigures {
  name: string;
  ours: number;
  reference: number;
  ratio: number;
  goal: string;
  holds: boolean;
}

/**
 * A presence reading by FFI beside the start of an empty program, which is the least that a reading
 * by a command line tool costs. Null where there is no X server to ask.
 */
export async function presence(): Promise<PresenceFigures | null> {
  if (!program('Xvfb')) return null;
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '320x200x8', '-noreset'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [number] = await once(server.stdio[3] as Readable, 'data');
  const display = xDisplay({ DISPLAY: `:${String(number).trim()}` });
  try {
    return measure(display);
  } finally {
    display.close();
    server.kill();
    await once(server, 'exit');
  }
}

function measure(display: Display): PresenceFigures {
  const ours: number[] = [];
  const reference: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < READINGS; i++) ours.push(timed(() => readIdle(display)));
    reference.push(timed(() => spawnSync('/bin/true', { stdio: 'ignore' })));
  }
  const [mine, theirs] = [median(ours), median(reference)];
  return {
    name: 'presence reading by FFI, beside spawning an empty program (ms)',
    ours: mine,
    reference: theirs,
    ratio: theirs / mine,
    goal: 'under 1 ms, at least 50 times faster',
    holds: mine < 1 && theirs / mine >= 50,
  };
}

function readIdle(display: Display): void {
  const { idleSeconds } = display.read();
  if (!idleSeconds.ok) throw new Error(idleSeconds.reason);
}

function timed(run: () => unknown): number {
  const began = performance.now();
  run();
  return performance.now() - began;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
