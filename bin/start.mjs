#!/usr/bin/env node
// `npm start`: builds what its sources changed, then runs Lull: as the desktop app where Electron is there
// and a screen is, else headless with the panel in the browser. Nothing is downloaded here: Electron's
// binary comes by `npx install-electron`, once, when the owner asks for it.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPanel } from './build.mjs';
import { buildDesktop } from './build-desktop.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const args = process.argv.slice(2);

/** Electron's program, as its own launcher finds it (without its download); null where it is not there. */
function electronProgram() {
  const folder = join(root, 'node_modules', 'electron');
  const named = join(folder, 'path.txt');
  const name = existsSync(named) ? readFileSync(named, 'utf8') : null;
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  const program = override
    ? join(override, name ?? 'electron')
    : name && join(folder, 'dist', name);
  return program && existsSync(program) ? program : null;
}

/** Why the desktop app cannot run here; null where it can. */
function obstacle(program) {
  if (args.includes('--headless')) return 'as asked for';
  if (process.platform === 'linux') {
    if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'there is no screen here';
    if (process.getuid?.() === 0) return 'the desktop app does not run as root';
  }
  if (!program) return 'the desktop app needs Electron, which comes by: npx install-electron';
  return null;
}

const program = electronProgram();
const why = obstacle(program);
const status = buildPanel() || (why ? 0 : buildDesktop());
if (status !== 0) process.exit(status);
if (why) {
  console.error(`Lull runs headless, with its panel in your browser (${why}).`);
  process.argv.splice(2, args.length, 'start', ...args.filter((arg) => arg !== '--headless'));
  await import('./lull.mjs');
} else {
  // Heard before there is a child, so that none is left behind by a signal that comes with its start.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  const child = spawn(program, [root, ...args], { stdio: 'inherit' });
  child.on('error', (error) => {
    console.error(`Electron does not start: ${error.message}`);
    process.exit(2);
  });
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}
