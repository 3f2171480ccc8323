import { join } from 'node:path';
import { app, protocol } from 'electron';
import { toFailure } from '../../base/errors.ts';
import { createHome } from '../../base/home.ts';
import { type DesktopParts, runDesktop } from './desktop.ts';
import { PANEL_SCHEME } from './panel-files.ts';
import { cannotStart } from './trouble.ts';

/**
 * Starts the desktop app. What Electron wants before it is ready is done at once; the rest follows,
 * because the entry module must have ended before the app gets ready. Nothing of Electron is kept
 * beside the data: it has a folder of its own there, so that each data folder has one app at most.
 */
export function startDesktop(parts: DesktopParts): void {
  app.setName('Lull');
  try {
    createHome(parts.home);
  } catch (error) {
    void app.whenReady().then(() => cannotStart(parts.home, parts.clock, toFailure(error)));
    return;
  }
  app.setPath('userData', join(parts.home.dir, 'desktop'));
  if (!app.requestSingleInstanceLock()) {
    app.exit(0); // the one that runs opens its panel
    return;
  }
  app.setActivationPolicy?.('accessory'); // no Dock icon, also where Info.plist is not ours
  protocol.registerSchemesAsPrivileged([
    {
      scheme: PANEL_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
  app.on('window-all-closed', () => {}); // without a listener the app would quit
  void app.whenReady().then(() => runDesktop(parts));
}
