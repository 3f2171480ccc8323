import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { resolveHome } from '../../../../main/base/home.ts';
import { type FaultProxy, faultProxy } from '../../../support/relay/fault-proxy.ts';
import { startRelay } from '../../../support/relay/relay.ts';
import { AGENTS, cloneFor, readLogs } from './repository.ts';

const MACHINES = 4;
const RELAYS = 3;
const DAY_MS = 86_400_000;
/** Rounds in which all machines cycle at once; three would do if nobody ever lost a race. */
const MOST_ROUNDS = 12;

export interface FleetOptions {
  seed: number;
  windows: number;
  /** Relays forget, and machines are parted from some of them. */
  faults: boolean;
  say?: (line: string) => void;
}

export interface FleetReport {
  windows: number;
  cycles: number;
  completed: number;
  /** `date agent` of those that ran on more than one machine in a window. */
  doubles: string[];
  /** Doubles that no machine knows of. */
  unreported: string[];
  /** `date agent` of those that ran on none. */
  starved: string[];
  /** What is wrong with logs, and completed runs without one. */
  logFaults: string[];
}

interface Cycled {
  status: string;
  agent: string;
  reason: string;
  detail: string | null;
  said: string[];
}

interface Machine {
  root: string;
  home: string;
  child: ChildProcess;
  /** Its way to each relay. */
  ways: FaultProxy[];
}

/** Four machines with homes and clones of their own, cycling at once against three real relays. */
export async function runFleet({ seed, windows, faults, say }: FleetOptions): Promise<FleetReport> {
  const random = mulberry32(seed);
  const folder = mkdtempSync(join(tmpdir(), 'lull-fleet-'));
  const relays = await Promise.all(Array.from({ length: RELAYS }, () => startRelay()));
  const machines: Machine[] = [];
  try {
    for (const [index, root] of cloneFor(folder, MACHINES).entries()) {
      const ways = await Promise.all(relays.map((relay) => faultProxy(relay.url)));
      const home = join(folder, `machine-${index}`, 'home');
      mkdirSync(home);
      const skewMs = Math.round((random() - 0.5) * 1000);
      machines.push({ root, home, ways, child: await start(root, home, skewMs, ways, faults) });
    }
    const ran = new Map<string, number>();
    let cycles = 0;
    const first = Math.ceil(Date.now() / DAY_MS) + 1;
    for (let window = 0; window < windows; window++) {
      const day = (first + window) * DAY_MS;
      const date = new Date(day).toISOString().slice(0, 10);
      const trouble = faults
        ? (['forget', 'part', 'none'] as const)[Math.floor(random() * 3)]
        : 'none';
      if (trouble === 'part') part(machines, true);
      // Two hours of the morning, so that yesterday's runs are a day old or nearly so.
      let at = day + 6 * 3_600_000 + Math.floor(random() * 3_600_000);
      let idle = 0;
      for (let round = 0; round < MOST_ROUNDS && idle < 2; round++, at += 300_000) {
        const ended = await Promise.all(machines.map((machine) => cycle(machine, at)));
        cycles += ended.length;
        const done = ended.filter(({ status }) => status === 'completed');
        for (const { agent } of done) {
          const key = `${date} ${agent}`;
          ran.set(key, (ran.get(key) ?? 0) + 1);
        }
        if (trouble === 'forget' && round === 0) for (const relay of relays) relay.forget();
        // Machines may all give way to each other in a round; in the next one somebody goes on.
        idle = done.length === 0 ? idle + 1 : 0;
      }
      if (trouble === 'part') part(machines, false);
      // The next contact, in the same window: whatever happened unseen is seen now.
      if (faults) await Promise.all(machines.map((machine) => cycle(machine, at)));
      say?.(`${date} ${trouble}: ${cycles} cycles, ${ran.size} turns`);
    }
    return reportOf(machines, ran, { windows, cycles, first });
  } finally {
    for (const { child, ways } of machines) {
      child.kill('SIGKILL');
      await Promise.all(ways.map((way) => way.close()));
    }
    await Promise.all(relays.map((relay) => relay.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(
  root: string,
  home: string,
  skewMs: number,
  ways: FaultProxy[],
  faults: boolean,
): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'machine.ts'), [root, home, String(skewMs)], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      NOSTR_LOCK_RELAYS: ways.map(({ url }) => url).join(','),
      // With faults one copy is enough, so that the parted go on.
      NOSTR_LOCK_MIN_SUCCESSFUL_PUBLISHES: faults ? '1' : '2',
      // A parted relay is silent, and each question to it is waited for.
      NOSTR_LOCK_QUERY_TIMEOUT_MS: faults ? '5000' : '20000',
    },
  });
  await once(child, 'message');
  return child;
}

async function cycle({ child }: Machine, at: number): Promise<Cycled> {
  child.send({ at });
  const [ended] = await once(child, 'message');
  return ended as Cycled;
}

/** Two machines reach the first relay alone, the others all but that one. */
function part(machines: readonly Machine[], parted: boolean): void {
  for (const [index, { ways }] of machines.entries()) {
    for (const [relay, way] of ways.entries()) {
      way.faults.parted = parted && index < 2 !== (relay === 0);
    }
  }
}

function reportOf(
  machines: readonly Machine[],
  ran: ReadonlyMap<string, number>,
  { windows, cycles, first }: { windows: number; cycles: number; first: number },
): FleetReport {
  const dates = Array.from({ length: windows }, (_, index) =>
    new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
  );
  const turns = dates.flatMap((date) => AGENTS.map((agent) => `${date} ${agent}`));
  const doubles = [...ran].filter(([, times]) => times > 1).map(([key]) => key);
  const reported = new Set(machines.flatMap(doublesOf));
  const logs = machines.map(({ root }) => readLogs(root));
  const kept = logs.flatMap(({ completed }) => completed);
  const missing = [...ran].filter(
    ([key, times]) => kept.filter((one) => one === key).length !== times,
  );
  return {
    ...{ windows, cycles, doubles },
    completed: [...ran.values()].reduce((sum, times) => sum + times, 0),
    unreported: doubles.filter((key) => !reported.has(key)),
    starved: turns.filter((key) => !ran.has(key)),
    logFaults: [...logs.flatMap(({ faults }) => faults), ...missing.map(([key]) => `${key}: lost`)],
  };
}

/** What a machine has found out, as it stands in its own record. */
function doublesOf({ home }: Machine): string[] {
  const record = new Database(resolveHome(home).roster, { readonly: true });
  try {
    const rows = record.prepare('SELECT window, agent FROM doubles').all();
    return (rows as { window: string; agent: string }[]).map((row) => `${row.window} ${row.agent}`);
  } finally {
    record.close();
  }
}

/** Tommy Ettinger's mulberry32: a small generator with a seed. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
