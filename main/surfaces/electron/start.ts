import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app, protocol } from 'electron';
import { toFailure } from '../../base/errors.ts';
import { createHome } from '../../base/home.ts';
import { NOW } from '../addresses.ts';
import { newsAddress } from '../news.ts';
import { type DesktopParts, runDesktop } from './desktop.ts';
import { PANEL_SCHEME } from './panel-files.ts';
import { cannotStart, fallWithWords } from './trouble.ts';

/**
 * Starts the desktop app. What Electron wants before it is ready is done at once; the rest follows,
 * because the entry module must have ended before the app gets ready. Nothing of Electron is kept
 * beside the data: it has a folder of its own there, so that each data folder has one app at most.
 */
export function startDesktop(parts: DesktopParts): void {
  app.setName('Lull');
  process.on('uncaughtException', fallWithWords);
  process.on('unhandledRejection', fallWithWords);
  const own = join(parts.home.dir, 'desktop');
  try {
    createHome(parts.home);
    mkdirSync(own, { recursive: true, mode: 0o700 }); // a path that is not there would be refused
  } catch (error) {
    void app.whenReady().then(() => cannotStart(parts.home, parts.clock, toFailure(error)));
    return;
  }
  app.setPath('userData', own);
  if (!app.requestSingleInstanceLock()) {
    app.exit(0); // the one that runs opens its panel
    return;
  }
  app.enableSandbox(); // for every page there may ever be
  app.setActivationPolicy?.('accessory'); // no Dock icon, also where Info.plist is not ours
  protocol.registerSchemesAsPrivileged([
    {
      scheme: PANEL_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
  app.on('window-all-closed', () => {}); // without a listener the app would quit
  const first = !existsSync(parts.home.database);
  app.once('ready', (_event, launch) => {
    void runDesktop(parts, placeOf(launch) ?? (first ? NOW : null));
  });
}

/** Where a notification leads that was clicked while the app did not run; macOS says so at the start. */
function placeOf(launch: unknown): string | null {
  const { identifier } = (launch ?? {}) as { identifier?: unknown };
  return typeof identifier === 'string' ? newsAddress(identifier) : null;
}
