#!/usr/bin/env node
// `npm run package`: builds everything and makes the packages of this system. Arguments go to
// electron-builder, for example `--arm64`, `--dir` or `-c.electronDist=FOLDER`. Plain JavaScript for Node 18+.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPanel } from './build.mjs';
import { buildDesktop } from './build-desktop.mjs';
import { findNode } from './node.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const args = process.argv.slice(2);
const platform = args.includes('--mac')
  ? 'darwin'
  : args.includes('--linux')
    ? 'linux'
    : process.platform;
const named = ['arm64', 'x64'].filter((arch) => args.includes(`--${arch}`));
const archs = named.length > 0 ? named : platform === 'darwin' ? ['arm64', 'x64'] : [process.arch];

/** koffi's binary comes as a package of its own, which npm installs for this machine only. */
function missingBinary() {
  for (const arch of archs) {
    const name = `@koromix/koffi-${platform}-${arch}`;
    if (existsSync(join(root, 'node_modules', name))) continue;
    const { version } = JSON.parse(
      readFileSync(join(root, 'node_modules/koffi/package.json'), 'utf8'),
    );
    return `npm i --no-save --force --os=${platform} --cpu=${arch} ${name}@${version}`;
  }
  return null;
}

function make() {
  const missing = missingBinary();
  if (missing) {
    console.error(`A native part for ${platform} is not installed. Get it with: ${missing}`);
    return 1;
  }
  const built = buildPanel() || buildDesktop();
  const node = findNode();
  if (built || !node) return built || 1;
  const require = createRequire(import.meta.url);
  const builder = require.resolve('electron-builder/cli.js');
  const system = platform === 'darwin' ? '--mac' : '--linux';
  const rest = args.filter((arg) => arg !== system);
  const run = spawnSync(node, [builder, system, '--publish', 'never', ...rest], {
    cwd: root,
    stdio: 'inherit',
  });
  return run.status ?? 1;
}

process.exitCode = make();
