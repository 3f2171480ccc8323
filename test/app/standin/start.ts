import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import electronManifest from 'electron/package.json' with { type: 'json' };
import { controls, serveControls } from './control.ts';
import { electronModule, MODULE } from './electron-module.ts';
import { readLaunch } from './launch.ts';
import { StandinEvent, setReady } from './state.ts';

/** Runs an app as the Electron binary would: `electron [options] APP [arguments]`. */
const [, executable = '', ...args] = process.argv;
const launch = await readLaunch(executable, args);
const electron = electronModule(launch);
(globalThis as unknown as Record<symbol, unknown>)[MODULE] = electron;
const facade = pathToFileURL(join(import.meta.dirname, 'facade.mjs')).href;
registerHooks({
  resolve: (specifier, context, next) =>
    /^electron(\/main)?$/.test(specifier)
      ? { url: facade, shortCircuit: true }
      : next(specifier, context),
});

Object.defineProperty(process, 'versions', {
  value: Object.freeze({ ...process.versions, electron: electronManifest.version }),
});
Object.defineProperties(process, {
  type: { value: 'browser' },
  defaultApp: { value: launch.packaged ? undefined : true },
  resourcesPath: { value: launch.resources },
});
process.argv = [executable, ...args];
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => electron.app.quit());
}
if (process.env.STANDIN_CONTROL) serveControls(process.env.STANDIN_CONTROL, controls(electron));
else setInterval(() => {}, 2 ** 30); // an app without windows goes on

/** As in Electron, the app gets ready when its entry module has ended, and never before. */
const ENTRY_MS = 10_000;
const command = args.includes('--cli');
const stuck = setTimeout(() => {
  console.error('stand-in: the entry module does not end; does it wait for the app to be ready?');
  process.exit(70);
}, ENTRY_MS);
if (command) clearTimeout(stuck); // a command may run as long as it likes
await import(pathToFileURL(launch.entry).href);
clearTimeout(stuck);
setReady();
// On macOS a notification may be what started the app.
const led = process.env.STANDIN_NOTIFICATION;
electron.app.emit('ready', new StandinEvent(), led ? { identifier: led } : {});
