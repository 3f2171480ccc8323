#!/usr/bin/env node
// Builds the panel, and as a program the desktop app's scripts as well; again only when their sources
// changed. Plain JavaScript for Node 18+.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDesktop } from './build-desktop.mjs';
import { digestOf } from './digest.mjs';
import { findNode } from './node.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'dist', 'renderer', '.sources');

export function buildPanel() {
  if (!existsSync(join(root, 'renderer'))) return 0; // packed: only dist/
  const sources = digestOf(
    root,
    ['renderer'],
    ['vite.config.ts', 'svelte.config.js', 'package.json'],
  );
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return 0;
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const node = findNode();
  if (!node) return 1;
  const run = spawnSync(node, [vite, 'build', '--logLevel', 'error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // Whoever calls this may be a test: the panel is built to be used all the same.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (run.status === 0) writeFileSync(stamp, sources);
  return run.status ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = buildPanel() || buildDesktop();
}
