import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../main/base/clock.ts';
import { createHome, type Home, resolveHome } from '../../main/base/home.ts';
import type { Facts } from '../../main/engine/gates/facts.ts';
import type { CommandInput, CommandName, CommandOutput } from '../../main/surfaces/contract.ts';
import { connectHost } from '../../main/surfaces/socket/client.ts';
import { PANEL_LINK } from '../../main/surfaces/socket/frames.ts';
import { QUIET_NIGHT } from '../support/fixed-facts.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The owner at the desk: heavy work waits. */
export const AT_THE_DESK: Facts = { ...QUIET_NIGHT, idleSeconds: 42 };

/** A real headless host in a process of its own, over a data folder of its own. */
export interface PanelHost {
  readonly home: Home;
  /** A link that opens the panel once. */
  link(): Promise<string>;
  /** Gives a command beside the panel, as the command line does. Throws for a refusal. */
  call<N extends CommandName>(command: N, input: CommandInput<N>): Promise<CommandOutput<N>>;
  /** Changes what is known of the machine. */
  facts(change: Partial<Facts>): void;
  /** Ends the process without a word, as a crash does. */
  kill(): Promise<void>;
  /** Starts the next host of the same folder; each answer of the offline model takes so long. */
  start(modelDelayMs?: number): Promise<void>;
  /** Ends it, and removes its folder. */
  close(): Promise<void>;
}

interface HostOptions {
  facts?: Facts;
  /** The owner's time zone, where it is not the machine's. */
  zone?: string;
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
  const folder = mkdtempSync(join(tmpdir(), 'lull-panel-'));
  const home = resolveHome(join(folder, 'data'));
  createHome(home);
  const factsFile = join(folder, 'facts.json');
  let facts = options.facts ?? AT_THE_DESK;
  let child: ChildProcess | null = null;

  function writeFacts(): void {
    writeFileSync(`${factsFile}.new`, JSON.stringify(facts));
    renameSync(`${factsFile}.new`, factsFile);
  }

  async function start(modelDelayMs = 0): Promise<void> {
    child = spawn(
      process.execPath,
      [
        join(ROOT, 'main', 'cli.ts'),
        ...['start', '--home', home.dir, '--no-open', '--facts', factsFile],
        ...(options.servers ? [] : ['--model', 'offline']),
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          ...process.env,
          ...(options.zone ? { TZ: options.zone } : {}),
          LULL_MODEL_PORTS: (options.ports ?? []).join(','),
          LULL_OFFLINE_DELAY_MS: String(modelDelayMs),
        },
      },
    );
    let said = '';
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      said += chunk;
      if (said.includes('/enter?token=')) return;
    }
    throw new Error(`the host ended before it was ready: ${said}`);
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
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

  process.once('exit', () => child?.kill('SIGKILL'));
  writeFacts();
  await options.prepare?.(home);
  await start();
  return {
    ...{ home, kill, start },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
    link: async () => ((await ask(PANEL_LINK, {})) as { url: string }).url,
    call: async (command, input) => (await ask(command, input)) as never,
    facts(change) {
      facts = { ...facts, ...change };
      writeFacts();
    },
  };
}
