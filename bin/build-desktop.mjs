// Builds the desktop app's scripts, and again only when their sources changed. Plain JavaScript for Node 18+.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestOf } from './digest.mjs';
import { findNode } from './node.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const stamp = join(dist, '.desktop');

export function buildDesktop() {
  if (!existsSync(join(root, 'main'))) return 0; // packed: only dist/
  const sources = digestOf(root, ['main', 'native'], ['electron.vite.config.ts', 'package.json']);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return 0;
  const node = findNode();
  if (!node) return 1;
  const begun = Date.now();
  const bundler = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const run = spawnSync(node, [bundler, 'build', '--logLevel', 'error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // Whoever calls this may be a test: the app is built to be used all the same.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (run.status === 0) {
    for (const name of readdirSync(dist)) {
      // A chunk of an older build must not stay, nor be missed by an app that runs meanwhile.
      const path = join(dist, name);
      if (/\.c?js$/.test(name) && statSync(path).mtimeMs < begun) rmSync(path);
    }
    writeFileSync(stamp, sources);
  }
  return run.status ?? 1;
}
