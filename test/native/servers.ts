import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, vi } from 'vitest';
import { program } from '../support/needs.ts';
import { temporaryFolder } from '../support/store.ts';

/** Whether a shared library can be loaded here, by the names under which Debian and others keep it. */
function library(name: string): boolean {
  const folders = ['/lib', '/usr/lib', '/usr/lib64', '/lib64'];
  const arch = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  return [...folders, `/usr/lib/${arch}`, `/lib/${arch}`].some((dir) =>
    existsSync(join(dir, name)),
  );
}

export const HAS_X = library('libxcb.so.1');
export const HAS_XVFB = HAS_X && program('Xvfb') !== null && program('xdotool') !== null;
export const HAS_BUS = library('libsystemd.so.0') && program('dbus-daemon') !== null;

export interface Server {
  process: ChildProcess;
  /** Ends it with SIGKILL and waits for its end. */
  kill(): Promise<void>;
  /** Stops it where it stands, until `thaw` or the end of the test. */
  freeze(): Promise<void>;
  thaw(): void;
}

function serverOf(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Server {
  const end = async (how: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(how);
    await ended;
  };
  const thaw = (): void => void child.kill('SIGCONT');
  onTestFinished(() => {
    thaw();
    return end(signal);
  });
  return {
    process: child,
    kill: () => end('SIGKILL'),
    async freeze() {
      child.kill('SIGSTOP');
      const state = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.[0];
      await vi.waitFor(() => expect(state()).toBe('T'));
    },
    thaw,
  };
}

async function firstLine(stream: Readable, child: ChildProcess): Promise<string> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${child.spawnfile} ended with ${code} before it was ready`);
  });
  const [chunk] = (await Promise.race([once(stream, 'data'), ended])) as [Buffer];
  return chunk.toString().trim().split('\n')[0] ?? '';
}

/** A real X server without a screen, at a display of its own choice or at the given one. */
export async function startXvfb(display?: string): Promise<Server & { display: string }> {
  const options = ['-displayfd', '3', '-screen', '0', '320x200x8', '-nolisten', 'tcp', '-noreset'];
  const child = spawn('Xvfb', display === undefined ? options : [display, ...options], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await firstLine(child.stdio[3] as Readable, child);
  return { ...serverOf(child, 'SIGTERM'), display: `:${number}` };
}

function stateFile(state: object): { file: string; set(state: object): void } {
  const file = join(temporaryFolder(), 'state.json');
  const set = (next: object): void => writeFileSync(file, JSON.stringify(next));
  set(state);
  return { file, set };
}

const fake = (name: string): string => join(import.meta.dirname, 'fakes', name);

/** The stand-in for an X server; `set` changes what it says. */
export async function startFakeX(
  state: object,
): Promise<Server & { display: string; set(state: object): void }> {
  mkdirSync('/tmp/.X11-unix', { recursive: true, mode: 0o1777 });
  const { file, set } = stateFile(state);
  const child = spawn(process.execPath, [fake('x-server.mjs'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const number = await firstLine(child.stdout, child);
  return { ...serverOf(child, 'SIGTERM'), display: `:${number}`, set };
}

/** A private message bus on which any name may be owned. */
export async function startBus(): Promise<Server & { address: string }> {
  const dir = temporaryFolder();
  const config = join(dir, 'bus.conf');
  writeFileSync(
    config,
    `<busconfig><type>custom</type><listen>unix:path=${dir}/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
</policy></busconfig>`,
  );
  const child = spawn('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address=1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { ...serverOf(child), address: await firstLine(child.stdout, child) };
}

/** A stand-in for logind on that bus: object path → property → value. */
export async function startFakeLogind(
  address: string,
  state: object,
): Promise<Server & { set(state: object): void }> {
  return startFakeService(address, 'org.freedesktop.login1', state);
}

/** A stand-in for what a desktop's place for icons registers with; `shows`: whether one has. */
export function startFakeWatcher(address: string, shows: boolean): Promise<Server> {
  return startFakeService(address, 'org.kde.StatusNotifierWatcher', {
    '/StatusNotifierWatcher': { IsStatusNotifierHostRegistered: shows },
  });
}

/** A stand-in for a desktop's session manager: inhibitor → its flags and its program. */
export function startFakeSessionManager(
  address: string,
  inhibitors: Record<string, { flags?: number; app?: string }>,
): Promise<Server & { set(state: object): void }> {
  return startFakeService(address, 'org.gnome.SessionManager', inhibitors);
}

async function startFakeService(
  address: string,
  name: string,
  state: object,
): Promise<Server & { set(state: object): void }> {
  const { file, set } = stateFile(state);
  const child = spawn(process.execPath, [fake('logind.mjs'), address, file, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await firstLine(child.stdout, child);
  return { ...serverOf(child), set };
}

/** Starts programs that end one after another, 40 ms apart: each end is a signal to this process. */
export function childrenThatEnd(count: number): Promise<unknown> {
  const children = Array.from({ length: count }, (_, i) => spawn('sleep', [String(i * 0.04)]));
  return Promise.all(children.map((child) => once(child, 'exit')));
}
