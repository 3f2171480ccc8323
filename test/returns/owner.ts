import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { program } from '../support/needs.ts';

/** Somebody who comes and goes, as a host sees it. */
export interface Owner {
  /** What the host is started with. */
  readonly args: string[];
  readonly env: Record<string, string>;
  /** Sits down and stays; the moment of the first input, epoch ms. */
  returns(): number;
  leaves(): void;
  close(): Promise<void>;
}

export const HAS_DISPLAY = program('Xvfb') !== null && program('xdotool') !== null;

/** How long after the last input the owner counts as away, seconds. */
export const AWAY_AFTER_SECONDS = 3;

/** Presses a key on a real X display, and again each second while they stay. */
export async function ownerAtDisplay(): Promise<Owner> {
  const options = ['-displayfd', '3', '-screen', '0', '320x200x8', '-nolisten', 'tcp', '-noreset'];
  const server: ChildProcess = spawn('Xvfb', options, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [number] = await once(server.stdio[3] as Readable, 'data');
  const display = `:${String(number).trim()}`;
  const press = () =>
    execFileSync('xdotool', ['key', 'a'], { env: { ...process.env, DISPLAY: display } });
  let staying: NodeJS.Timeout | undefined;
  return {
    args: [],
    env: { DISPLAY: display, XAUTHORITY: '' },
    returns() {
      const at = Date.now();
      press();
      staying = setInterval(press, 1000);
      return at;
    },
    leaves: () => clearInterval(staying),
    async close() {
      clearInterval(staying);
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    },
  };
}

/** The same by a file of facts, where there is no display. */
export async function ownerInFile(folder: string): Promise<Owner> {
  const file = join(folder, 'facts.json');
  const write = (idleSeconds: number) =>
    writeFileSync(file, JSON.stringify({ idleSeconds, powerSource: 'mains' }));
  write(900);
  return {
    args: ['--facts', file],
    env: {},
    returns() {
      const at = Date.now();
      write(0);
      return at;
    },
    leaves: () => write(900),
    close: async () => {},
  };
}
