#!/usr/bin/env node
// Builds the panel once, and again only when its sources changed. Plain JavaScript for Node 18+.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode } from './node.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'dist', 'renderer', '.sources');

function digest() {
  const hash = createHash('sha256');
  const visit = (dir) => {
    for (const entry of readdirSync(dir, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) visit(path);
      else hash.update(path.slice(root.length)).update(readFileSync(path));
    }
  };
  visit(join(root, 'renderer'));
  for (const name of ['vite.config.ts', 'svelte.config.js', 'package.json'])
    hash.update(readFileSync(join(root, name)));
  return hash.digest('hex');
}

export function buildPanel() {
  if (!existsSync(join(root, 'renderer'))) return 0; // packed: only dist/
  const sources = digest();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return 0;
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const node = findNode();
  if (!node) return 1;
  const run = spawnSync(node, [vite, 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (run.status === 0) writeFileSync(stamp, sources);
  return run.status ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = buildPanel();
