import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VERSION } from '../../main/base/version.ts';
import type { StatusView } from '../../main/surfaces/contract.ts';
import { hostThere, lull, type TestHome, testHome, until } from '../support/host.ts';
import { temporaryFolder } from '../support/store.ts';
import { desktop } from './desktop.ts';
import { startApp } from './drive.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Runs the app's program with `--cli`, as a shim in the owner's path does. */
function program(home: string, args: string[]) {
  return spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules', 'electron', 'cli.js'), ROOT, '--cli', ...args],
    {
      env: {
        ...process.env,
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        ELECTRON_OVERRIDE_DIST_PATH: join(import.meta.dirname, 'standin'),
        LULL_HOME: home,
      },
      encoding: 'utf8',
    },
  );
}

/** Ports on which a process listens, from /proc: its sockets among those of the system in state LISTEN. */
function listeningPorts(pid: number): number[] {
  const folder = `/proc/${pid}/fd`;
  const inodes = new Set(
    readdirSync(folder).flatMap((fd) => {
      try {
        return readlinkSync(join(folder, fd)).match(/^socket:\[(\d+)\]$/)?.[1] ?? [];
      } catch {
        return []; // closed meanwhile
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((words) => words[3] === '0A' && inodes.has(words[9] ?? ''))
      .map((words) => Number.parseInt(words[1]?.split(':')[1] ?? '', 16)),
  );
}

describe('the same program as a command', () => {
  it('D10 with --cli is the lull command: one document on standard output, its exit code, no icon', () => {
    const home = testHome();
    const version = program(home.dir, ['--version']);
    expect(version).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
    const wrong = program(home.dir, ['jobs', 'show', 'x']);
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toMatch(/^lull: .*\n$/);
    expect(existsSync(home.dir)).toBe(false);
  });

  it('D10 reaches the running app by its socket, and so does the command of the clone', async () => {
    const home = testHome();
    const app = await desktop(home);
    const asked = program(home.dir, ['pause', '--for', '90m', '--json']);
    expect(asked.status).toBe(0);
    await app.until('tray', ({ icon }) => icon.path.includes('paused'));
    const status = (await lull(home, ['status', '--json'])).json<StatusView>();
    expect(status.host?.pid).toBe(app.pid);
    expect(status.paused.all).not.toBeNull();
    const second = await lull(home, ['start', '--no-open']);
    expect(second.code).toBe(3);
    expect(second.err).toContain(`pid ${app.pid}`);
  });
});

describe.runIf(process.platform === 'linux')('ports', () => {
  it('D10 the app opens none', async () => {
    const app = await desktop(testHome());
    await app.ask('press', {});
    await app.page();
    expect(listeningPorts(app.pid)).toEqual([]);
  });

  it('D8 the check sees the one of a headless host', async () => {
    const host = await hostThere(testHome());
    expect(listeningPorts(host.process.pid as number)).toHaveLength(1);
  });
});

describe('what keeps the app from starting', () => {
  /** The app, its dialog open. */
  async function troubled(home: TestHome, env: Record<string, string> = {}) {
    const app = await startApp({ home: home.dir, env });
    onTestFinished(() => app.end());
    return { app, asked: await app.dialog() };
  }

  it('D10 a host that runs without it is named, left alone, and its panel can be opened', async () => {
    const home = testHome();
    const host = await hostThere(home);
    const opened = join(temporaryFolder(), 'opened');
    const bin = temporaryFolder();
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, {
      mode: 0o755,
    });
    const { app, asked } = await troubled(home, {
      PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    });
    expect(asked.message).toBe('Lull is running already, without this app');
    expect(asked.detail).toContain(`pid ${host.process.pid}`);
    expect(asked.buttons).toEqual(['Open its panel', 'Quit']);
    await app.ask('answerDialog', { response: 0 });
    expect(await app.exited).toBe(3);
    await until(() => existsSync(opened) && readFileSync(opened, 'utf8') !== '');
    expect(readFileSync(opened, 'utf8')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/enter\?token=/);
    expect((await lull(home, ['status', '--json'])).json<StatusView>().host?.pid).toBe(
      host.process.pid,
    );
  });

  it('D10 a broken config is said in one line with its remedy', async () => {
    const home = testHome();
    home.setConfig({ powr: {} });
    const { app, asked } = await troubled(home);
    expect(asked).toMatchObject({
      message: 'Lull cannot start',
      detail: 'config.json: unknown key "powr"\ndid you mean "power"?',
      buttons: ['Quit'],
    });
    await app.ask('answerDialog', { response: 0 });
    expect(await app.exited).toBe(1);
    expect(app.output()).toBe('lull: config.json: unknown key "powr" - did you mean "power"?\n');
  });
});

it('D10 an error that nobody foresaw is said, and ends the app; the next start goes on', async () => {
  const home = testHome();
  const app = await desktop(home);
  await app.ask('fault', { message: 'planned by the test' });
  expect(await app.exited).toBe(2);
  expect(app.output()).toMatch(/^lull: Error: planned by the test\n/);
  const again = await desktop(home);
  expect(await again.quit()).toBe(0);
});
