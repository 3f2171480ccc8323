import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { frameReader } from '../../base/frames.ts';
import { heapFlag, workerEnvironment } from './environment.ts';
import { tail, type WorkerPort } from './port.ts';
import { LARGEST_MESSAGE } from './protocol.ts';

/**
 * Node's own limits on what a worker may do: it reads files, and cannot write one, start a program
 * or load native code. Threads are allowed for the one that watches the lifeline; the worker refuses
 * them to everything after it.
 */
export const NODE_LIMITS = [
  '--no-warnings',
  ...['--permission', '--allow-fs-read=*', '--allow-worker'],
] as const;

/** What a process has still in its pipe when it ends is read, for at most this long. */
const LAST_WORDS_MS = 1000;

/**
 * Worker processes of plain Node, each with a group of its own. Messages are lines on a pipe instead
 * of Node's channel between processes, which takes in a message of any size and ends the host over
 * one that no string can hold. A second pipe is the lifeline: when the host goes, however it goes,
 * the worker is ended, even in the middle of a computation.
 */
export function nodeWorkers(
  entry: string,
  clock: Pick<Clock, 'timer'>,
  flags: readonly string[] = NODE_LIMITS,
): WorkerPort {
  let started = 0;
  return {
    start({ memoryMb }, listener) {
      started += 1;
      const args = [...flags, heapFlag(memoryMb), entry, '--host', String(process.pid)];
      const child = spawn(process.execPath, args, {
        detached: true,
        cwd: '/',
        env: workerEnvironment(process.env, started),
        stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      });
      // Before anything else: a failed start is told so, and would end the host were it not heard.
      child.on('error', (error) => {
        if (child.pid === undefined)
          listener.onEnd({ code: null, signal: null, said: error.message });
      });
      const [, , errors, channel, lifeline] = child.stdio as [null, null, Duplex, Duplex, Duplex];
      for (const stream of [errors, channel, lifeline]) stream.on('error', () => {});
      const said = tail();
      errors.on('data', said.push);
      const reader = frameReader(listener.onMessage, listener.onOverflow, LARGEST_MESSAGE);
      channel.on('data', (chunk: Buffer) => reader.push(chunk));

      child.on('exit', (code, signal) => {
        toGroup(child, 'SIGKILL'); // whatever it may have started
        lifeline.destroy();
        const tell = () => listener.onEnd({ code, signal, said: said.text() });
        if (channel.closed) return tell();
        const cancel = clock.timer(LAST_WORDS_MS, () => channel.destroy());
        channel.once('close', () => {
          cancel();
          tell();
        });
        channel.end();
      });
      return {
        pid: child.pid,
        send(text) {
          if (channel.writable) channel.write(`${text}\n`);
        },
        terminate: () => toGroup(child, 'SIGTERM'),
        kill: () => toGroup(child, 'SIGKILL'),
        residentBytes: () => residentBytes(child),
      };
    },
  };
}

function toGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // nobody is left in it
  }
}

async function residentBytes({ pid }: ChildProcess): Promise<number | null> {
  try {
    if (process.platform === 'linux') {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return kilobytes(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
    }
    const { stdout } = await promisify(execFile)('/bin/ps', ['-o', 'rss=', '-p', String(pid)]);
    return kilobytes(stdout.trim());
  } catch {
    return null; // it has just ended
  }
}

function kilobytes(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) * 1024 : null;
}
