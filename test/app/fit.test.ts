import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/store.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Names of `electron` that exist as types as well as values. */
const CLASSES = ['BrowserWindow', 'Menu', 'Notification', 'Tray'];
const VALUES = ['app', 'dialog', 'ipcMain', 'nativeTheme', 'powerMonitor'];
const MORE_VALUES = ['protocol', 'safeStorage', 'screen', 'session', 'utilityProcess'];
const TYPES = [
  'BrowserWindowConstructorOptions',
  'IpcMainEvent',
  'IpcMainInvokeEvent',
  'MenuItemConstructorOptions',
  'WebContents',
];
/** Of the renderer's half, which the stand-in plays in the page. */
const PRELOAD = ['contextBridge', 'ipcRenderer'];

/** Compiles the desktop's sources as if the stand-in were all there is of Electron. */
function compileAgainstStandin(extra: string): string {
  const dir = temporaryFolder();
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
  const standin = join(ROOT, 'test', 'app', 'standin', 'electron-module.ts');
  const facade = [
    `import type { ElectronModule } from '${standin}';`,
    'declare const electron: ElectronModule;',
    ...[...CLASSES, ...VALUES, ...MORE_VALUES].map(
      (name) => `export const ${name} = electron.${name};`,
    ),
    ...CLASSES.map((name) => `export type ${name} = InstanceType<ElectronModule['${name}']>;`),
    ...TYPES.map((name) => `export type ${name} = Electron.${name};`),
    ...PRELOAD.map((name) => `export declare const ${name}: typeof Electron.Renderer.${name};`),
  ];
  writeFileSync(join(dir, 'electron.ts'), facade.join('\n'));
  // The modules that electron.d.ts declares would win over `paths`: only its namespace may stay.
  const types = readFileSync(join(ROOT, 'node_modules', 'electron', 'electron.d.ts'), 'utf8');
  mkdirSync(join(dir, 'types', 'electron'), { recursive: true });
  writeFileSync(
    join(dir, 'types', 'electron', 'index.d.ts'),
    types.replace(/^declare module 'electron[\s\S]*?^\}$/gm, ''),
  );
  writeFileSync(join(dir, 'extra.ts'), `import * as electron from 'electron';\n${extra}`);
  writeFileSync(
    join(dir, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        paths: { electron: [join(dir, 'electron.ts')] },
        typeRoots: [join(dir, 'types'), join(ROOT, 'node_modules', '@types')],
        types: ['node', 'electron'],
        noImplicitAny: false, // listeners of a plain EventEmitter
      },
      include: [],
      files: [
        join(dir, 'extra.ts'),
        join(ROOT, 'main', 'surfaces', 'electron', 'start.ts'),
        join(ROOT, 'main', 'surfaces', 'electron', 'preload.ts'),
        join(ROOT, 'main', 'surfaces', 'electron', 'keychain.ts'),
        join(ROOT, 'main', 'surfaces', 'electron', 'hand-over.ts'),
        join(ROOT, 'main', 'surfaces', 'electron', 'utility-workers.ts'),
      ],
    }),
  );
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = spawnSync(process.execPath, [tsc, '-p', dir, '--noEmit'], { encoding: 'utf8' });
  return run.stdout + run.stderr;
}

it('D1 the desktop uses nothing of Electron that the stand-in does not offer', () => {
  // Two uses that it lacks are planted, so that a check that sees nothing is noticed.
  const planted = [
    'new electron.BrowserWindow().setFullScreen(true);',
    "electron.shell.openPath('/');",
  ];
  const said = compileAgainstStandin(planted.join('\n')).trim().split('\n');
  expect(said).toEqual([
    expect.stringMatching(/extra\.ts\(2,.*'setFullScreen' does not exist/),
    expect.stringMatching(/extra\.ts\(3,.*'shell' does not exist/),
  ]);
}, 120_000);
