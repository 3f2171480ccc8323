import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Launch } from './launch.ts';
import { holdSingleInstance } from './single-instance.ts';
import { becomesReady, fail, MAC, onlyBefore, prevented, record, StandinEvent } from './state.ts';
import { utilityMetrics } from './utility.ts';

/** What quitting has to close, given by the windows. */
export interface Closing {
  /** Closes every window; false when one refused. */
  closeAll(): boolean;
}

/** The `app` module, with Electron's order of leaving: before-quit, each window, will-quit, quit. */
export function application(launch: Launch, closing: Closing) {
  const { dir, manifest, packaged } = launch;
  let name = manifest.productName ?? manifest.name ?? 'Electron';
  const appData = process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config');
  const paths: Record<string, string> = { appData, home: homedir(), temp: tmpdir() };
  let openAtLogin = false;

  function getPath(which: string): string {
    if (which === 'userData') return paths.userData ?? join(appData, name);
    return paths[which] ?? fail(`no path is called ${which}`);
  }

  function exit(code = 0): void {
    app.emit('quit', new StandinEvent(), code);
    setImmediate(() => process.exit(code)); // what was asked just now is still answered
  }

  const base = {
    isPackaged: packaged,
    whenReady: () => becomesReady.promise,
    setName(next: string) {
      name = next;
    },
    getName: () => name,
    getVersion: () => manifest.version ?? '0.0.0',
    getAppPath: () => dir,
    getPath,
    setPath(which: string, path: string) {
      if (!existsSync(path)) fail(`there is no folder ${path}`);
      paths[which] = resolve(path);
    },
    requestSingleInstanceLock: () =>
      holdSingleInstance(getPath('userData'), (argv, folder) => {
        void becomesReady.promise.then(() =>
          app.emit('second-instance', new StandinEvent(), argv, folder, {}),
        );
      }),
    quit() {
      if (prevented(app, 'before-quit')) return;
      if (!closing.closeAll()) return;
      if (!prevented(app, 'will-quit')) exit(0);
    },
    exit,
    enableSandbox: () => onlyBefore('app.enableSandbox'),
    getAppMetrics: utilityMetrics,
    focus: (options?: Electron.FocusOptions) => record('focus', options),
    getLoginItemSettings: () => ({
      openAtLogin,
      wasOpenedAtLogin: false,
      status: openAtLogin ? ('enabled' as const) : ('not-registered' as const),
      executableWillLaunchAtLogin: openAtLogin,
      launchItems: [],
    }),
    setLoginItemSettings(settings: Electron.Settings) {
      openAtLogin = settings.openAtLogin ?? false;
      record('login-item', settings);
    },
  } satisfies Partial<Electron.App>;
  const macOnly = {
    setActivationPolicy: (policy: string) => record('activation-policy', policy),
  } satisfies Partial<Electron.App>;
  // Elsewhere Electron leaves out what only macOS has; its types say that it is always there.
  const app = Object.assign(new EventEmitter(), base, (MAC ? macOnly : {}) as typeof macOnly);
  return app;
}

export type Application = ReturnType<typeof application>;
