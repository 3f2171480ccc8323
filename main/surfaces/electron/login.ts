import { app } from 'electron';
import { type LoginItem, linuxLoginItem, macLoginItem, noLoginItem } from './login-item.ts';

/** The login item of this platform. An AppImage is started by its own file, not by what it unpacks. */
export function loginItem(platform: NodeJS.Platform): LoginItem {
  if (!app.isPackaged) return noLoginItem();
  if (platform === 'darwin') return macLoginItem(app);
  return linuxLoginItem(app.getPath('appData'), process.env.APPIMAGE ?? process.execPath);
}
