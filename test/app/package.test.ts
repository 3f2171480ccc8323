import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listPackage } from '@electron/asar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../main/base/version.ts';
import type { Bridge } from '../../renderer/electron-client.ts';
import { testHome } from '../support/host.ts';
import { desktop } from './desktop.ts';
import { fakeDist, fakeMacDist } from './fake-dist.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'lull-package-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function node(args: string[]) {
  const run = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  return { status: run.status, said: run.stdout + run.stderr };
}

/** The package for one target, made without Electron's binary. */
function make(target: '--linux' | '--mac', arch: string): string {
  const [dist, out] = ['dist', 'out'].map((name) => join(scratch, target + name)) as [
    string,
    string,
  ];
  if (target === '--mac') fakeMacDist(dist);
  else fakeDist(dist);
  const options = [
    target,
    `--${arch}`,
    '--dir',
    `-c.electronDist=${dist}`,
    `-c.directories.output=${out}`,
  ];
  // For macOS the script itself refuses here, where the native part of macOS cannot be installed.
  const builder = join(ROOT, 'node_modules', 'electron-builder', 'cli.js');
  const program = target === '--mac' ? [builder] : [join(ROOT, 'bin', 'package.mjs')];
  const { status, said } = node([...program, ...options]);
  if (status !== 0) throw new Error(said);
  return join(out, readdirSync(out).find((name) => /unpacked|^mac/.test(name)) ?? '');
}

/** Every file in the archive. */
function archived(resources: string): string[] {
  const archive = join(resources, 'app.asar');
  return listPackage(archive, { isPack: false }).filter((path) => /\.[a-z]+$/i.test(path));
}

function unpacked(resources: string): string[] {
  return readdirSync(join(resources, 'app.asar.unpacked'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(resources.length))
    .sort();
}

const NAMES = [
  'runAsNode',
  'cookieEncryption',
  'nodeOptions',
  'nodeCliInspect',
  'asarIntegrity',
  'onlyLoadFromAsar',
  'browserSnapshot',
  'fileProtocolPrivileges',
] as const;

/** The fuses as they stand in a binary, behind their sentinel, version and count. */
function fusesOf(path: string): Record<string, boolean> {
  const bytes = readFileSync(path);
  const at = bytes.indexOf('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX') + 34;
  return Object.fromEntries(NAMES.map((name, i) => [name, bytes[at + i] === 0x31]));
}

const FUSES = {
  runAsNode: false,
  cookieEncryption: false,
  nodeOptions: false,
  nodeCliInspect: false,
  asarIntegrity: true,
  onlyLoadFromAsar: true,
  browserSnapshot: false,
  fileProtocolPrivileges: false,
};

/** All that may be in an archive. */
const ALLOWED = [
  /^\/package\.json$/,
  /^\/dist\/[\w-]+\.(js|cjs)$/,
  /^\/dist\/licenses\.md$/,
  /^\/dist\/renderer\/(index\.html|assets\/[\w-]+\.(js|css|svg))$/,
  /^\/resources\/(constitution|prompts\/[\w-]+)\.md$/,
  /^\/resources\/demo\/[\w-]+\.csv$/,
  /^\/resources\/icons\/tray-[\w-]+(@2x)?\.png$/,
  /^\/node_modules\/better-sqlite3\/(package\.json|LICENSE|lib\/.*\.js|prebuilds\/.*\.node)$/,
  /^\/node_modules\/koffi\/(package\.json|LICENSE\.txt|[\w./-]+\.c?js)$/,
  /^\/node_modules\/@koromix\/koffi-[\w-]+\/(package\.json|index\.js|\w+\/koffi\.node)$/,
];

describe.runIf(process.platform === 'linux')('the package for Linux', () => {
  let made: string;
  beforeAll(() => {
    made = make('--linux', process.arch);
  }, 120_000);

  it('D10 holds what it runs and nothing else: no source, test, map, hidden file or other package', () => {
    const files = archived(join(made, 'resources'));
    expect(files.filter((path) => !ALLOWED.some((allowed) => allowed.test(path)))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([
        '/dist/electron.js',
        '/dist/cli.js',
        '/dist/worker.js',
        '/dist/preload.cjs',
        '/dist/renderer/index.html',
        '/resources/constitution.md',
        '/resources/icons/tray-needs-you-18Template@2x.png',
        '/node_modules/koffi/LICENSE.txt',
      ]),
    );
    expect(readFileSync(join(ROOT, 'dist', 'licenses.md'), 'utf8')).toContain('zod');
  });

  it('D10 has the native parts of its own target, unpacked, and of no other', () => {
    const native = unpacked(join(made, 'resources')).filter((path) => path.endsWith('.node'));
    const at = '/app.asar.unpacked/node_modules';
    expect(native).toEqual([
      `${at}/@koromix/koffi-linux-${process.arch}/linux_${process.arch}/koffi.node`,
      `${at}/better-sqlite3/prebuilds/linux-${process.arch}.node`,
    ]);
    const inside = archived(join(made, 'resources')).filter((path) => path.endsWith('.node'));
    expect(inside).toHaveLength(2); // named there, kept outside
  });

  it('D10 security 19: its fuses leave no way in beside the archive', () => {
    expect(fusesOf(join(made, 'lull'))).toEqual(FUSES);
  });

  it('D10 runs: as a command, and as the app, which then can open at login', async () => {
    const program = join(made, 'lull');
    const command = spawnSync(program, ['--cli', '--version'], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env.PATH}` },
    });
    expect(command).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' });

    const config = mkdtempSync(join(scratch, 'config-'));
    const app = await desktop(testHome(), {
      executable: program,
      platform: 'linux',
      env: { XDG_CONFIG_HOME: config },
    });
    await app.ask('press', {});
    const page = await app.page();
    expect((await app.ask('windows'))[0]?.options.webPreferences).toMatchObject({
      devTools: false,
    });
    await page.getByRole('heading', { name: 'Idle' }).waitFor();
    const login = (open?: boolean) =>
      page.evaluate(
        (input) => (window as unknown as { lull: Bridge }).lull.call('desktop.login', input),
        open === undefined ? {} : { open },
      );
    const entry = join(config, 'autostart', 'lull.desktop');
    expect(await login()).toEqual({ ok: true, value: { open: false, note: null } });
    expect(existsSync(entry)).toBe(false);
    await login(true);
    expect(readFileSync(entry, 'utf8')).toMatch(/^Exec="\/.*"$/m);
    await login(false);
    expect(existsSync(entry)).toBe(false);
    expect(await app.quit()).toBe(0);
  });
});

describe('the package for macOS, made without a Mac', () => {
  let contents: string;
  beforeAll(() => {
    contents = join(make('--mac', 'arm64'), 'Lull.app', 'Contents');
  }, 120_000);

  it('D10 is an agent for macOS 13 and newer, with our icon and no other file than the Linux one', () => {
    const plist = readFileSync(join(contents, 'Info.plist'), 'utf8');
    const value = (key: string) =>
      plist
        .match(new RegExp(`<key>${key}</key>\\s*<(?:string>([^<]*)|(true|false))`))
        ?.slice(1)
        .find(Boolean);
    expect(value('LSUIElement')).toBe('true');
    expect(value('LSMinimumSystemVersion')).toBe('13.0');
    expect(value('CFBundleIdentifier')).toBe('app.lull.desktop');
    expect(plist).toMatch(/<key>ElectronAsarIntegrity<\/key>/);
    const icon = readFileSync(join(contents, 'Resources', 'icon.icns'));
    expect(icon.equals(readFileSync(join(ROOT, 'resources', 'icons', 'lull.icns')))).toBe(true);
    const files = archived(join(contents, 'Resources'));
    expect(files.filter((path) => !ALLOWED.some((allowed) => allowed.test(path)))).toEqual([]);
    expect(files.filter((path) => /linux|x64/.test(path))).toEqual([]);
    expect(files).toContain('/node_modules/better-sqlite3/prebuilds/darwin-arm64.node');
  });

  it('D10 security 19: its fuses are those of the other', () => {
    const framework = 'Frameworks/Electron Framework.framework/Electron Framework';
    expect(fusesOf(join(contents, framework))).toEqual(FUSES);
  });

  it('D10 asks for one entitlement, with the hardened runtime', () => {
    for (const name of ['entitlements.mac.plist', 'entitlements.mac.inherit.plist']) {
      const text = readFileSync(join(ROOT, 'resources', name), 'utf8');
      expect([...text.matchAll(/<key>([^<]+)</g)].map(([, key]) => key)).toEqual([
        'com.apple.security.cs.allow-jit',
      ]);
    }
    const config = readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8');
    expect(config).toMatch(/^ {2}hardenedRuntime: true$/m);
    expect(config.match(/\{ target: (dmg|zip), arch: \[arm64, x64\] \}/g)).toHaveLength(2);
    expect(config).toMatch(/target: \[AppImage, deb\]/);
  });
});

it.runIf(process.platform === 'linux')(
  'D10 a package that would lack a native part is refused, with the line that gets it',
  () => {
    const { status, said } = node([join(ROOT, 'bin', 'package.mjs'), '--mac', '--arm64', '--dir']);
    expect(status).toBe(1);
    expect(said).toMatch(
      /^A native part for darwin is not installed\. Get it with: npm i .*@koromix\/koffi-darwin-arm64@\d+\.\d+\.\d+\n$/,
    );
  },
);
