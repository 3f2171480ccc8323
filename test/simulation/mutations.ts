import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSeeds } from './children.ts';
import type { Violation } from './world.ts';

/** A way of breaking the engine: a patch whose first line names the invariant that has to notice. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly invariant: string;
}

/** Seeds that a mutation is given, and how long they may take together. */
const SEEDS = Array.from({ length: 24 }, (_, i) => i + 1);
const AT_MOST_MS = 15 * 60_000;

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
  let unnoticed = 0;
  async function worker(): Promise<void> {
    for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
      const { seed, found } = await tryOne(root, mutation);
      const noticed = found !== null;
      const asNamed = found?.name === mutation.invariant;
      if (!noticed) unnoticed += 1;
      const by = noticed ? `${found.name}${asNamed ? '' : ` (named: ${mutation.invariant})`}` : '';
      console.log(
        `${noticed ? 'noticed    ' : 'NOT NOTICED'} ${mutation.name.padEnd(34)} ${noticed ? `seed ${String(seed).padEnd(3)}` : ''} ${by}`,
      );
    }
  }
  await Promise.all(Array.from({ length: workers }, worker));
  console.log(
    unnoticed === 0 ? `all ${all} were noticed` : `${unnoticed} of ${all} were not noticed`,
  );
  return unnoticed === 0 ? 0 : 1;
}

async function tryOne(
  root: string,
  mutation: Mutation,
): Promise<{ seed: number; found: Violation | null }> {
  const copy = mkdtempSync(join(tmpdir(), 'lull-mutation-'));
  try {
    for (const name of ['main', 'native', 'resources', 'package.json'])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    cpSync(join(root, 'test', 'simulation'), join(copy, 'test', 'simulation'), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    execFileSync('git', ['apply', mutation.file], { cwd: copy, stdio: 'pipe' });
    let seed = 0;
    let found: Violation | null = null;
    const problem = await runSeeds(copy, 6, SEEDS, {
      atMostMs: AT_MOST_MS,
      each(result) {
        seed = result.seed;
        found = result.violation;
      },
    });
    if (problem && !found) console.log(`${mutation.name}: ${problem}`);
    return { seed, found };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
