import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../support/host.ts';
import { temporaryFolder } from '../support/store.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const NOBODY = 65_534;

/** `npm start` with an environment of its own. */
function start(env: Record<string, string>, args: string[] = [], uid?: number) {
  const home = temporaryFolder();
  if (uid !== undefined) chownSync(home, uid, uid);
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'start.mjs'), ...args], {
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: home,
      LULL_HOME: join(home, 'data'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout?.on('data', (part) => {
    out += part;
  });
  child.stderr?.on('data', (part) => {
    err += part;
  });
  return { child, home, out: () => out, err: () => err };
}

async function stopped(child: ChildProcess): Promise<number | null> {
  child.kill('SIGTERM');
  return (await once(child, 'close'))[0] as number | null;
}

describe.runIf(process.platform === 'linux')('npm start', () => {
  beforeAll(() => {
    // The owner of the folder builds; who starts it may not be allowed to.
    const built = spawnSync(process.execPath, [join(ROOT, 'bin', 'build.mjs')], {
      encoding: 'utf8',
    });
    if (built.status !== 0) throw new Error(built.stderr);
  }, 60_000);

  it('D8 without a screen says so in one line, and runs the same host headless', async () => {
    const run = start({}, ['--no-open']);
    await until(() => run.out().includes('/enter?token='), 15_000, run.err);
    expect(run.err()).toMatch(
      /^Lull runs headless, with its panel in your browser \(there is no screen here\)\.\n$/m,
    );
    expect(await stopped(run.child)).toBe(0);
  });

  it('D10 with a screen and without Electron names the command that gets it, and downloads nothing', async () => {
    const user = process.getuid?.() === 0 ? NOBODY : undefined;
    const run = start(
      { DISPLAY: ':1', ELECTRON_OVERRIDE_DIST_PATH: '/nowhere' },
      ['--no-open'],
      user,
    );
    await until(() => run.out().includes('/enter?token='), 15_000, run.err);
    expect(run.err()).toMatch(
      /^Lull runs headless, .* \(the desktop app needs Electron, which comes by: npx install-electron\)\.\n$/m,
    );
    expect(await stopped(run.child)).toBe(0);
  });

  it('D10 with a screen and Electron is the desktop app, and ends with it', async () => {
    const user = process.getuid?.() === 0 ? NOBODY : undefined;
    const electron = temporaryFolder();
    mkdirSync(electron, { recursive: true });
    const seen = join(electron, 'seen');
    writeFileSync(seen, '', { mode: 0o666 });
    // A program that only says how it was started, and waits: the stand-in itself is tried elsewhere.
    writeFileSync(
      join(electron, 'electron'),
      `#!/bin/sh\ntrap 'exit 0' TERM\nprintf '%s ' "$@" > ${seen}\nwhile :; do sleep 0.05; done\n`,
      { mode: 0o755 },
    );
    if (user !== undefined) for (const path of [electron, seen]) chownSync(path, user, user);
    const run = start(
      { DISPLAY: ':1', ELECTRON_OVERRIDE_DIST_PATH: electron },
      ['--model', 'offline'],
      user,
    );
    await until(() => readFileSync(seen, 'utf8') !== '', 15_000, run.err);
    expect(readFileSync(seen, 'utf8')).toBe(`${ROOT} --model offline `);
    expect(await stopped(run.child)).toBe(0);
  });
});
