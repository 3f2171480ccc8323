import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { type AppPages, appPages } from './pages.ts';
import type { Controls } from './standin/control.ts';
import { type Ask, wire } from './standin/wire.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const STANDIN = join(import.meta.dirname, 'standin');

export interface AppOptions {
  /** The data folder; a fresh one of its own by default, removed at the end. */
  home?: string;
  platform?: 'darwin' | 'linux';
  args?: string[];
  env?: Record<string, string>;
  /** What is started: Electron's own launcher with the built app, or a packaged executable. */
  executable?: string;
}

type ControlName = keyof Controls;
type Answer<N extends ControlName> = Awaited<ReturnType<Controls[N]>>;
type Given<N extends ControlName> = Parameters<Controls[N]>[0];

/** The app, running in the stand-in. */
export interface RunningApp {
  readonly home: string;
  /** Of the app itself, not of its launcher. */
  readonly pid: number;
  readonly output: () => string;
  /** Looks or acts from outside, see standin/control.ts. */
  ask<N extends ControlName>(name: N, input?: Given<N>): Promise<Answer<N>>;
  /** Asks until `good` holds, and gives that answer; fails with what was seen last. */
  until<N extends ControlName>(
    name: N,
    good: (answer: Answer<N>) => boolean,
    input?: Given<N>,
  ): Promise<Answer<N>>;
  /** What the n-th dialog asks, once it is open. */
  dialog(n?: number): Promise<Electron.MessageBoxOptions>;
  /** The page of the n-th window. */
  page(index?: number): Promise<Page>;
  /** Resolves with the exit code, or the signal's name. */
  readonly exited: Promise<number | string>;
  /** Quits as the menu does; the exit code. */
  quit(): Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
  /** Ends what is left, and removes the folders. */
  end(): Promise<void>;
}

const PATIENCE_MS = 15_000;

/** Starts the built app in the stand-in, by Electron's own launcher. */
export async function startApp(options: AppOptions = {}): Promise<RunningApp> {
  const scratch = mkdtempSync(join(tmpdir(), 'lull-app-'));
  const home = options.home ?? join(scratch, 'home');
  const control = join(scratch, 'control');
  const launcher = join(ROOT, 'node_modules', 'electron', 'cli.js');
  const [program, args] = options.executable
    ? [options.executable, options.args ?? []]
    : [process.execPath, [launcher, ROOT, ...(options.args ?? [])]];
  const child = spawn(program, args, {
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      ELECTRON_OVERRIDE_DIST_PATH: STANDIN,
      STANDIN_CONTROL: control,
      STANDIN_PLATFORM: options.platform ?? 'darwin',
      XDG_CONFIG_HOME: join(scratch, 'config'),
      LULL_HOME: home,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, so that launcher and app end together
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      output += data;
    });
  }
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const socket = await connect(control, child, () => output);
  const ask = wire(
    socket,
    (name, input) => pages.perform(name, input),
    () => `the app is gone\n${output}`,
  ) as RunningApp['ask'];
  const pages: AppPages = appPages((news) => (ask as Ask)('page', news));
  socket.on('close', pages.end);

  async function until<N extends ControlName>(
    name: N,
    good: (answer: Answer<N>) => boolean,
    input?: Given<N>,
  ): Promise<Answer<N>> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await ask(name, input);
      if (good(answer)) return answer;
      if (performance.now() > end) {
        throw new Error(`${name} stayed ${JSON.stringify(answer, null, 1)}\n${output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  try {
    await until('ready', Boolean);
  } catch (error) {
    endGroup(child.pid as number);
    throw error;
  }
  const pid = await ask('pid');

  return {
    ...{ home, ask, until, exited, pid, output: () => output },
    async dialog(n = 0) {
      const asked = (log: Answer<'log'>) => log.filter(({ type }) => type === 'dialog');
      const log = await until('log', (all) => asked(all).length > n);
      return asked(log)[n]?.data as Electron.MessageBoxOptions;
    },
    async page(index = 0) {
      const windows = await until('windows', (all) => (all[index]?.url ?? '') !== '');
      return pages.page(windows[index]?.id ?? 0);
    },
    async quit() {
      void ask('quit').catch(() => {});
      return exited;
    },
    kill: (signal) => void child.kill(signal),
    async end() {
      socket.destroy();
      endGroup(child.pid as number);
      await exited;
      await pages.end();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function connect(path: string, child: ChildProcess, output: () => string): Promise<Socket> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const socket = createConnection(path);
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      if (child.exitCode !== null || performance.now() > end) {
        throw new Error(`the stand-in did not start:\n${output()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
