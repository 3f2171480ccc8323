import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../main/base/clock.ts';
import { LullError } from '../../main/base/errors.ts';
import { type Home, resolveHome } from '../../main/base/home.ts';
import { type Host, openHost } from '../../main/host.ts';
import { openRooms } from '../../main/one-command.ts';
import { runCli } from '../../main/surfaces/cli/run.ts';
import type { CommandInput, CommandName, CommandOutput } from '../../main/surfaces/contract.ts';
import { CLI } from './built.ts';
import { type FakeClock, settle } from './fake-clock.ts';
import { temporaryFolder } from './store.ts';

/** Away for a quarter of an hour, on mains, and nothing else known: heavy work may run. */
export const AWAY = { idleSeconds: 900, powerSource: 'mains' };

/** A data folder that is gone after the test, with its settings and its file of facts. */
export interface TestHome extends Home {
  readonly factsFile: string;
  setFacts(facts: object): void;
  setConfig(config: object): void;
  /** A file beside the data folder; its path. */
  file(name: string, content: string | Uint8Array): string;
}

export function testHome(facts: object = AWAY, config?: object): TestHome {
  const outside = temporaryFolder();
  const home = resolveHome(join(outside, 'data'));
  const file = (name: string, content: string | Uint8Array): string => {
    const path = join(outside, name);
    writeFileSync(path, content);
    return path;
  };
  const setConfig = (settings: object): void => {
    mkdirSync(home.dir, { recursive: true, mode: 0o700 });
    writeFileSync(home.config, JSON.stringify(settings));
  };
  if (config) setConfig(config);
  const factsFile = file('facts.json', JSON.stringify(facts));
  return {
    ...{ ...home, factsFile, setConfig, file },
    setFacts: (next) => writeFileSync(factsFile, JSON.stringify(next)),
  };
}

export type Call = <N extends CommandName>(
  name: N,
  input: CommandInput<N>,
) => Promise<CommandOutput<N>>;

/** Gives commands to a host as a carrier does; a refusal is thrown. */
export function callOf(dispatch: Host['dispatch']): Call {
  return async (name, input) => {
    const reply = await dispatch(name, input);
    if (!reply.ok) throw new LullError(reply.code, reply.message, reply.hint);
    return reply.value as never;
  };
}

export interface HostHere {
  host: Host;
  call: Call;
  /** Lets everything that may run now run to its end. */
  calm(): Promise<void>;
  stop(): Promise<void>;
}

/** A whole host in this process, whose time the test owns. It is stopped after the test. */
export async function hostHere(
  home: TestHome,
  clock: FakeClock,
  options: { offline?: boolean; offlineDelayMs?: number } = {},
): Promise<HostHere> {
  const { offline = true, offlineDelayMs = 0 } = options;
  const host = await openHost({ home, clock, offline, offlineDelayMs, facts: home.factsFile });
  const stop = async (): Promise<void> => {
    const stopped = host.stop();
    await clock.advance(30_000);
    await stopped;
  };
  onTestFinished(stop);
  await settle();
  const call = callOf(host.dispatch);
  const isCalm = async (): Promise<boolean> => {
    await clock.advance(0);
    return (await call('status', {})).queue.running === 0;
  };
  return { host, call, stop, calm: async () => void (await until(isCalm)) };
}

/** How a command line ended. */
export interface Ended {
  code: number | null;
  out: string;
  err: string;
  /** Standard output as the one JSON document it must be. */
  json<T = never>(): T;
}

/**
 * Runs `lull` with these words in this process: the same program, on a host's socket or on the
 * database, without the time that a process takes to start. `start` opens a host and stops it.
 */
export async function lullHere(
  home: Pick<Home, 'dir'>,
  args: readonly string[],
  stdin = '',
): Promise<Ended> {
  let out = '';
  let err = '';
  const code = await runCli(args, {
    env: { LULL_HOME: home.dir },
    cwd: '/',
    clock: systemClock(),
    terminal: {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      width: null,
    },
    openRooms,
    async startHost(options) {
      await (await openHost(options)).stop();
      return 0;
    },
    openUrl: () => {},
    readSecret: async () => stdin,
  });
  return { code, out, err, json: () => JSON.parse(out) };
}

/** Runs `lull` with these words as a process of its own. */
export async function lull(
  home: Pick<Home, 'dir'>,
  args: readonly string[],
  options: { uid?: number } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [CLI, '--home', home.dir, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { out, err } = reading(child);
  const [code] = await once(child, 'close');
  return { code, out: out(), err: err(), json: () => JSON.parse(out()) };
}

export interface HostThere {
  process: ChildProcess;
  out(): string;
  err(): string;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, and its end. */
  kill(): Promise<void>;
}

/** Starts `lull start` as a process of its own and waits until it says that it runs. */
export async function hostThere(
  home: TestHome,
  options: { args?: readonly string[]; env?: Record<string, string> } = {},
): Promise<HostThere> {
  const { args = ['--facts', home.factsFile], env = {} } = options;
  const child = spawn(process.execPath, [CLI, 'start', '--home', home.dir, '--no-open', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { out, err } = reading(child);
  const ended = once(child, 'close');
  let over = false;
  void ended.then(() => {
    over = true;
  });
  await until(
    () => over || out().includes('\n'),
    40_000, // a machine that does other things as well
    () => `no host: ${out()}${err()}`,
  );
  if (over) throw new Error(`the host did not start: ${err()}`);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return (await ended)[0] as number | null;
  };
  return {
    ...{ process: child, out, err },
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
  };
}

function reading(child: ChildProcess): { out: () => string; err: () => string } {
  let out = '';
  let err = '';
  child.stdout?.on('data', (part) => {
    out += part;
  });
  child.stderr?.on('data', (part) => {
    err += part;
  });
  return { out: () => out, err: () => err };
}

/** Waits until something holds, in real time; then fails with `what`. */
export async function until<T>(
  holds: () => T | Promise<T>,
  ms = 10_000,
  what: () => unknown = () => 'it never came to that',
): Promise<Exclude<T, false | null | undefined>> {
  const end = performance.now() + ms;
  for (;;) {
    const value = await holds();
    if (value) return value as Exclude<T, false | null | undefined>;
    if (performance.now() > end) throw new Error(String(what()));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Reads the database beside whoever has it open. */
function looking<T>(home: Pick<Home, 'database'>, look: (db: Database.Database) => T): T {
  const db = new Database(home.database, { readonly: true, timeout: 5000 });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

/** Rows of the database as they lie there. */
export function rowsIn<T>(home: Pick<Home, 'database'>, sql: string, ...values: unknown[]): T[] {
  return looking(home, (db) => db.prepare(sql).all(...values) as T[]);
}

/** Everything the database holds, table by table; null where there is none. */
export function dumpOf(home: Pick<Home, 'database'>): Record<string, unknown[]> | null {
  if (!existsSync(home.database)) return null;
  return looking(home, (db) => {
    const names = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all();
    return Object.fromEntries(
      names.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]),
    );
  });
}
