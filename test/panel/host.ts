import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../main/base/clock.ts';
import { createHome, type Home, resolveHome } from '../../main/base/home.ts';
import type { Facts } from '../../main/engine/gates/facts.ts';
import type { CommandInput, CommandName, CommandOutput } from '../../main/surfaces/contract.ts';
import { connectHost } from '../../main/surfaces/socket/client.ts';
import { PANEL_LINK } from '../../main/surfaces/socket/frames.ts';
import { CLI, makeBuilt } from '../support/built.ts';
import { QUIET_NIGHT } from '../support/fixed-facts.ts';
import type { Asked, Ended } from './many-hosts.ts';

const _ROOT = join(import.meta.dirname, '..', '..');

/** The owner at the desk: heavy work waits. */
export const AT_THE_DESK: Facts = { ...QUIET_NIGHT, idleSeconds: 42 };

/** A real headless host over a data folder of its own. */
export interface PanelHost {
  readonly home: Home;
  /** A link that opens the panel once. */
  link(): Promise<string>;
  /** Gives a command beside the panel, as the command line does. Throws for a refusal. */
  call<N extends CommandName>(command: N, input: CommandInput<N>): Promise<CommandOutput<N>>;
  /** Changes what is known of the machine. */
  facts(change: Partial<Facts>): void;
  /** Ends it, and removes its folder. */
  close(): Promise<void>;
}

/** One in a process of its own. */
export interface LoneHost extends PanelHost {
  /** Ends the process without a word, as a crash does. */
  kill(): Promise<void>;
  /** Starts the next host of the same folder; each answer of the offline model takes so long. */
  start(modelDelayMs?: number): Promise<void>;
}

interface HostOptions {
  facts?: Facts;
  /** Uses the model servers of the config; without it the offline model answers in any case. */
  servers?: boolean;
  /** Ports on which it looks for model servers by itself; none unless a test says so. */
  ports?: readonly number[];
  /** Prepares the data folder before the first start. */
  prepare?: (home: Home) => unknown;
}

/** Starts a host that is closed when the test is over. */
export async function panelHost(options: HostOptions = {}): Promise<PanelHost> {
  const host = await openPanelHost(options);
  onTestFinished(host.close);
  return host;
}

/** Starts a host for several tests; whoever does closes it. */
export async function openPanelHost(options: HostOptions = {}): Promise<PanelHost> {
  const folder = await newFolder(options);
  const { home, factsFile: facts } = folder;
  const ports = portsOf(options);
  manyHosts ??= startManyHosts();
  const end = await manyHosts.start({ start: home.dir, facts, offline: !options.servers, ports });
  return {
    ...folder.host,
    async close() {
      await end();
      folder.remove();
    },
  };
}

/** Starts a host in a process of its own, to be killed by the test; it is closed when the test is over. */
export async function loneHost(options: HostOptions = {}): Promise<LoneHost> {
  const host = await openLoneHost(options);
  onTestFinished(host.close);
  return host;
}

/** The same for whoever closes it; `zone`: the owner's time zone, where it is not the machine's. */
export async function openLoneHost(
  options: HostOptions & { zone?: string } = {},
): Promise<LoneHost> {
  await makeBuilt(); // the bench and the pictures come without a test runner that has done it
  const folder = await newFolder(options);
  const { home, factsFile } = folder;
  let child: ChildProcess | null = null;

  async function start(modelDelayMs = 0): Promise<void> {
    child = spawn(
      process.execPath,
      [
        CLI,
        ...['start', '--home', home.dir, '--no-open', '--facts', factsFile],
        ...(options.servers ? [] : ['--model', 'offline']),
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          ...process.env,
          ...(options.zone ? { TZ: options.zone } : {}),
          LULL_MODEL_PORTS: portsOf(options),
          LULL_OFFLINE_DELAY_MS: String(modelDelayMs),
        },
      },
    );
    let said = '';
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      said += chunk;
      if (said.includes(LINK)) return;
    }
    throw new Error(`the host ended before it was ready: ${said}`);
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  process.once('exit', () => child?.kill('SIGKILL'));
  await start();
  return {
    ...{ ...folder.host, kill, start },
    async close() {
      await kill();
      folder.remove();
    },
  };
}

/** What a host prints when it can be asked. */
const LINK = '/enter?token=';

const portsOf = ({ ports = [] }: HostOptions) => ports.join(',');

/** Makes the data folder of a host to come; `host` is what can be done with it from outside. */
async function newFolder(options: HostOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'lull-panel-'));
  const home = resolveHome(join(folder, 'data'));
  createHome(home);
  const factsFile = join(folder, 'facts.json');
  let facts = options.facts ?? AT_THE_DESK;

  function writeFacts(): void {
    writeFileSync(`${factsFile}.new`, JSON.stringify(facts));
    renameSync(`${factsFile}.new`, factsFile);
  }

  async function ask(command: string, input: unknown): Promise<unknown> {
    const client = await connectHost(home.socket, systemClock());
    if (!client) throw new Error('no host answers');
    try {
      const reply = await client.dispatch(command, input);
      if (!reply.ok) throw new Error(`${command}: ${reply.message}`);
      return reply.value;
    } finally {
      client.close();
    }
  }

  writeFacts();
  await options.prepare?.(home);
  return {
    ...{ home, factsFile },
    remove: () => rmSync(folder, { recursive: true, force: true }),
    host: {
      home,
      link: async () => ((await ask(PANEL_LINK, {})) as { url: string }).url,
      call: async (command, input) => (await ask(command, input)) as never,
      facts(change) {
        facts = { ...facts, ...change };
        writeFacts();
      },
    } satisfies Omit<PanelHost, 'close'>,
  };
}

interface ManyHosts {
  /** Resolves, when that host serves, with what ends it. One start at a time. */
  start(asked: Extract<Asked, { start: string }>): Promise<() => Promise<void>>;
}

let manyHosts: ManyHosts | null = null;

/** One process for the hosts of all suites of this one, with which it ends. */
function startManyHosts(): ManyHosts {
  const program = join(import.meta.dirname, 'many-hosts.ts');
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  process.once('exit', () => child.kill('SIGKILL'));
  child.once('exit', () => {
    manyHosts = null;
    for (const { reject } of living.values()) reject(new Error('the process of the hosts ended'));
  });
  const living = new Map<string, { ports: string; ended(): void; reject(why: Error): void }>();
  child.on('message', ({ ended, fault }: Ended) => {
    const host = living.get(ended);
    living.delete(ended);
    if (fault) host?.reject(new Error(fault));
    else host?.ended();
  });
  // Neither keeps the tests from ending.
  child.unref();
  child.channel?.unref();
  (child.stdout as Socket).unref();

  return {
    async start(asked) {
      const { start: dir, ports } = asked;
      if ([...living.values()].some((other) => other.ports !== ports))
        throw new Error('hosts of one process look for models on the same ports');
      const ended = Promise.withResolvers<void>();
      living.set(dir, { ports, ended: ended.resolve, reject: ended.reject });
      child.send(asked);
      await Promise.race([
        ended.promise.then(() => Promise.reject(new Error('it ended before it was ready'))),
        linkPrinted(child),
      ]);
      return async () => {
        child.send({ stop: dir } satisfies Asked);
        await ended.promise;
      };
    },
  };
}

function linkPrinted({ stdout }: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    let said = '';
    const read = (chunk: Buffer) => {
      said += chunk;
      if (!said.includes(LINK)) return;
      stdout?.off('data', read);
      resolve();
    };
    stdout?.on('data', read);
  });
}
