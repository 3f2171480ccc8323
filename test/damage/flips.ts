import { cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { systemClock } from '../../main/base/clock.ts';
import { LullError } from '../../main/base/errors.ts';
import { type Home, resolveHome } from '../../main/base/home.ts';
import { listBackups } from '../../main/base/store/backup-folder.ts';
import { JOB_EDGES } from '../../main/base/store/job-states.ts';
import { openHost } from '../../main/host.ts';
import { flipBit } from '../support/damages.ts';

/** What became of a database in which one bit was changed. */
export type Fate =
  /** A backup was put in its place, and the owner told. */
  | 'restored'
  /** The last changes of a log could not be read, and the owner was told. */
  | 'log kept'
  /** The host did not start, with one line. */
  | 'refused'
  /** Nothing that is stored reads differently. */
  | 'harmless'
  /** A stored value reads differently, and nothing could tell. */
  | 'unseen';

export interface Flip {
  file: 'database' | 'log';
  bit: number;
  fate: Fate;
  /** What must never be: a crash, a wrong edge, a database that is not sound afterwards. */
  faults: string[];
}

export interface Templates {
  clean: string;
  killed: string;
  remove(): void;
}

/** Two data folders with a backup: left cleanly, and as a killed host leaves one. */
export async function makeTemplates(): Promise<Templates> {
  const root = mkdtempSync(join(tmpdir(), 'lull-flips-'));
  const clean = join(root, 'clean');
  const killed = join(root, 'killed');
  const home = resolveHome(clean);
  await fillWith(home, 'first');
  await fillWith(home, 'second', () => {
    cpSync(clean, killed, { recursive: true, filter: (path) => !/lock|host\.|panel/.test(path) });
  });
  return { clean, killed, remove: () => rmSync(root, { recursive: true, force: true }) };
}

async function fillWith(home: Home, name: string, before: () => void = () => {}): Promise<void> {
  const host = await open(home);
  const call = async (command: string, input: object) => {
    const reply = await host.dispatch(command, input);
    if (!reply.ok) throw new LullError(reply.code, reply.message, reply.hint);
    return reply.value as { queue: { queued: number; running: number } };
  };
  const stock = `sku,name,on hand,reorder point,unit cost\n${name},Apple,2,8,1.50\n`;
  await call('resume', {});
  await call('stock.import', { name: 'a.csv', content: Buffer.from(stock).toString('base64') });
  await call('watch.add', { id: name, sku: name });
  for (let n = 0; n < 4; n++) await call('jobs.add', { text: `${name} ${n}: sum up.` });
  // Full pages: a bit in an empty one says nothing.
  for (let n = 0; n < 40; n++) {
    const text = `${name} ${n}: ${'some words of a longer order, '.repeat(40)}`;
    await call('jobs.add', { text, notBefore: 4_000_000_000_000 });
  }
  for (;;) {
    const { queue } = await call('status', {});
    if (queue.queued + queue.running === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await call('backup.make', {});
  await call('pause', { scope: 'heavy' });
  for (let n = 0; n < 3; n++) await call('jobs.add', { text: `${name}, waiting: ${n}` });
  before();
  await host.stop();
}

async function open(home: Home, said: string[] = []) {
  const facts = join(home.dir, '..', 'facts.json');
  writeFileSync(facts, JSON.stringify({ idleSeconds: 900, powerSource: 'mains' }));
  const say = (line: string) => void said.push(line);
  return openHost({ home, facts, offline: true, clock: systemClock(), say });
}

/** Changes one bit of a copy, lets a host live over it, and looks at what it left. */
export async function flipOne(templates: Templates, draw: () => number): Promise<Flip> {
  const dir = mkdtempSync(join(tmpdir(), 'lull-flip-'));
  const home = resolveHome(join(dir, 'home'));
  const killed = draw() < 0.5;
  cpSync(killed ? templates.killed : templates.clean, home.dir, { recursive: true });
  const log = `${home.database}-wal`;
  const file = killed && existsSync(log) && draw() < 0.5 ? 'log' : 'database';
  const path = file === 'log' ? log : home.database;
  const bit = Math.floor(draw() * statSync(path).size * 8);
  const whole = copyOf(home);
  const before = { dump: dumpOf(whole), states: statesIn(whole) };
  flipBit(path, bit);
  const spoilt = copyOf(home);
  const after = { dump: dumpOf(spoilt), states: statesIn(spoilt) };
  const { fate, faults } = await live(home, after.dump !== before.dump);
  if (fate === 'unseen' && JSON.stringify(after.states) !== JSON.stringify(before.states)) {
    faults.push('the state of a job was changed, and nothing noticed');
  }
  // What the host began with: the backup, or what the copy could be read as.
  const [backup] = listBackups(home.backups);
  const begun = fate === 'restored' && backup ? statesIn(backup.path) : after.states;
  if (fate !== 'refused') faults.push(...wrongEdges(home, new Map(begun)));
  if (faults.length === 0) rmSync(dir, { recursive: true, force: true });
  else faults.push(`left in ${dir}`);
  return { file, bit, fate, faults };
}

async function live(home: Home, changed: boolean): Promise<{ fate: Fate; faults: string[] }> {
  const said: string[] = [];
  const faults: string[] = [];
  let host: Awaited<ReturnType<typeof open>>;
  try {
    host = await open(home, said);
  } catch (error) {
    const told = error instanceof LullError && error.code !== 'failed';
    return { fate: 'refused', faults: told ? [] : [`not one line: ${error}`] };
  }
  for (const [command, input] of [
    ['panel', {}],
    ['jobs.history', {}],
    ['stock.list', {}],
    ['drafts.list', {}],
    ['resume', {}],
    ['jobs.add', { text: 'After.' }],
    ['drafts.show', { id: 1 }],
    ['export.make', {}],
  ] as const) {
    const reply = await host.dispatch(command, input);
    if (!reply.ok && reply.code === 'failed') faults.push(`${command}: ${reply.message}`);
  }
  await new Promise((resolve) => setTimeout(resolve, 150));
  await host.stop();
  if (said.length > 0) return { fate: 'restored', faults };
  const kept = existsSync(home.setAside);
  return { fate: kept ? 'log kept' : changed ? 'unseen' : 'harmless', faults };
}

/** Jobs move along the table of edges alone, from what they were when the host began. */
function wrongEdges(home: Home, before: ReadonlyMap<number, string>): string[] {
  const db = new Database(home.database, { readonly: true });
  try {
    const sound = db.pragma('integrity_check(1)', { simple: true });
    const faults = sound === 'ok' ? [] : [`not sound afterwards: ${sound}`];
    for (const { id, state } of db.prepare('SELECT id, state FROM jobs').all() as Row[]) {
      const was = before.get(id);
      if (was === undefined || was === state || reaches(was, state)) continue;
      faults.push(`job ${id} was ${was} and is ${state}`);
    }
    return faults;
  } finally {
    db.close();
  }
}

interface Row {
  id: number;
  state: string;
}

function reaches(from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const state of seen) {
    for (const [a, b] of JOB_EDGES) if (a === state) seen.add(b);
  }
  return seen.has(to);
}

/** Empty where it cannot be read. */
function statesIn(database: string): [number, string][] {
  let db: Database.Database | undefined;
  try {
    db = new Database(database, { readonly: true });
    const rows = db.prepare('SELECT id, state FROM jobs ORDER BY id').all() as Row[];
    return rows.map(({ id, state }) => [id, state]);
  } catch {
    return [];
  } finally {
    db?.close();
  }
}

/** Reading takes a log in, so what is only looked at is a copy. */
function copyOf(home: Home): string {
  const copy = join(home.dir, '..', 'copy.sqlite');
  for (const part of ['', '-wal', '-shm']) {
    rmSync(copy + part, { force: true });
    if (part !== '-shm' && existsSync(home.database + part))
      cpSync(home.database + part, copy + part);
  }
  return copy;
}

/** Everything that is stored, as text; or why it cannot be read. */
function dumpOf(file: string): string {
  let db: Database.Database | undefined;
  try {
    db = new Database(file);
    const names = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck();
    const open = db;
    const tables = names.all().map((name) => open.prepare(`SELECT * FROM "${name}"`).all());
    const schema = db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
    return JSON.stringify([schema, tables]);
  } catch (error) {
    return (error as Error).message;
  } finally {
    db?.close();
  }
}

/** Repeatable numbers in [0, 1). */
export function random(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
