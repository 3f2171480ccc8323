import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Measured, runSeeds } from './children.ts';
import type { Violation } from './world.ts';

/** A way of breaking the engine: a patch whose first line names the invariant that has to notice. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly invariant: string;
}

/** Lives that a mutation is given, and how long they may take together. */
const SEEDS = Array.from({ length: 24 }, (_, i) => i + 1);
const DAYS = 6;
const AT_MOST_MS = 8 * 60_000;

interface Noticed extends Violation {
  readonly seed: number;
}

export function mutationsOf(root: string): Mutation[] {
  const folder = join(root, 'test', 'simulation', 'mutations');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.patch'))
    .sort()
    .map((name) => {
      const file = join(folder, name);
      const invariant = /^invariant: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
      if (!invariant) throw new Error(`${name} names no invariant`);
      return { name: name.replace(/\.patch$/, ''), file, invariant };
    });
}

/** Whether a patch fits the tree; null, or why not. */
export function misfit(root: string, { file }: Mutation): string | null {
  try {
    execFileSync('git', ['apply', '--check', file], { cwd: root, stdio: 'pipe' });
    return null;
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error);
  }
}

/** Tries each mutation on a copy of the tree, and returns how many were not noticed. */
export async function tryMutations(
  root: string,
  { only, workers }: { only: string; workers: number },
): Promise<number> {
  const waiting = mutationsOf(root).filter(({ name }) => name.includes(only));
  const all = waiting.length;
  const began = performance.now();
  let unnoticed = 0;
  let asNamed = 0;
  async function worker(): Promise<void> {
    for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
      const noticed = await tryOne(root, mutation);
      if (!noticed) unnoticed += 1;
      if (noticed?.name === mutation.invariant) asNamed += 1;
      console.log(inWords(mutation, noticed));
    }
  }
  await Promise.all(Array.from({ length: workers }, worker));
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  const told =
    unnoticed === 0 ? `all ${all} were noticed` : `${unnoticed} of ${all} were NOT noticed`;
  console.log(`${told}, ${asNamed} by the invariant they name, in ${minutes} minutes`);
  return unnoticed === 0 ? 0 : 1;
}

function inWords({ name, invariant }: Mutation, noticed: Noticed | null): string {
  if (!noticed) return `NOT NOTICED ${name}`;
  const named = noticed.name === invariant ? '' : ` (named: ${invariant})`;
  return `noticed     ${name.padEnd(34)} seed ${String(noticed.seed).padEnd(3)}  ${noticed.name}${named}`;
}

/** What notices it: the invariant that it names, or where no life met that, the first that did. */
async function tryOne(root: string, mutation: Mutation): Promise<Noticed | null> {
  const copy = mkdtempSync(join(tmpdir(), 'lull-mutation-'));
  try {
    for (const name of ['main', 'native', 'resources', 'package.json'])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    cpSync(join(root, 'test', 'simulation'), join(copy, 'test', 'simulation'), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    execFileSync('git', ['apply', mutation.file], { cwd: copy, stdio: 'pipe' });
    return await live(copy, mutation);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** A process ends at the first life in which anything is noticed: the next goes on behind it. */
async function live(tree: string, { name, invariant }: Mutation): Promise<Noticed | null> {
  const began = performance.now();
  let first: Noticed | null = null;
  for (let seeds = SEEDS; seeds.length > 0; ) {
    const done: Measured[] = [];
    const atMostMs = Math.max(1, Math.ceil(AT_MOST_MS - (performance.now() - began)));
    const problem = await runSeeds(tree, DAYS, seeds, {
      atMostMs,
      each: (result) => void done.push(result),
    });
    const last = done.at(-1);
    if (!last?.violation) {
      if (problem && !first) console.log(`${name}: ${problem}`);
      return first;
    }
    const noticed = { ...last.violation, seed: last.seed };
    if (noticed.name === invariant) return noticed;
    first ??= noticed;
    seeds = seeds.slice(done.length);
  }
  return first;
}
