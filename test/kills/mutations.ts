import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tree } from './host.ts';

/** A way of breaking the host that the checker has to notice, at the place where it shows. */
export interface Mutation {
  name: string;
  file: string;
  from: string;
  to: string;
  place: string;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'no sweep: what a dead run left is not looked at',
    file: 'main/engine/supervisor/ledger.ts',
    from: 'const sweep = parts.queue.sweep(runId, parts.isIdempotent);',
    to: 'const sweep: Sweep = { requeued: [], failed: [], givenUp: [], cancelled: [], leaseExpired: [] };',
    place: 'model call',
  },
  {
    name: 'no fence: a run lands though its claim is void',
    file: 'main/base/store/jobs.ts',
    from: "const FENCE = `WHERE id = ? AND state = 'running' AND claim_no = ?`;",
    to: 'const FENCE = `WHERE id = ? AND claim_no > 0 AND ? > 0`;',
    place: 'hung host',
  },
  {
    name: 'no single transaction: the draft is stored after the completion',
    file: 'main/engine/supervisor/land.ts',
    from: 'return (claim, landing, failed, now) =>\n    store.tx(() => {',
    to: 'return (claim, landing, failed, now) =>\n    (() => {',
    place: 'land',
  },
];

/** A copy of the tree with one thing broken. */
export function mutated(tree: Tree, mutation: Mutation): Tree {
  const root = mkdtempSync(join(tmpdir(), 'lull-mutated-'));
  for (const name of ['main', 'native', 'resources', 'package.json']) {
    cpSync(join(tree.root, name), join(root, name), { recursive: true });
  }
  symlinkSync(join(tree.root, 'node_modules'), join(root, 'node_modules'));
  const file = join(root, mutation.file);
  const text = readFileSync(file, 'utf8');
  if (!text.includes(mutation.from))
    throw new Error(`${mutation.name}: its text is not in ${mutation.file}`);
  let broken = text.replace(mutation.from, mutation.to);
  if (mutation.place === 'land')
    broken = broken.replace('return true;\n    });', 'return true;\n    })();');
  writeFileSync(file, broken);
  return { root, cli: join(root, 'main', 'cli.ts') };
}

export function discard(tree: Tree): void {
  rmSync(tree.root, { recursive: true, force: true });
}
