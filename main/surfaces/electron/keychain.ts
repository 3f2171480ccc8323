import { safeStorage } from 'electron';
import type { Seal } from '../../engine/secrets/seal.ts';
import { desktopPlatform } from './platform.ts';

/**
 * The seal of Electron's safeStorage: its key lies in the macOS keychain, or with the Linux desktop's
 * password keeper. The first call may make the system ask the owner, so none is made before a secret
 * is there. A Linux desktop without a keeper has a fixed password only, which protects from nobody.
 */
export const keychain: Seal = {
  async available() {
    if (!(await safeStorage.isAsyncEncryptionAvailable())) return false;
    if (desktopPlatform() === 'darwin') return true;
    return !UNSAFE.has(safeStorage.getSelectedStorageBackend());
  },
  seal: async (text) => (await safeStorage.encryptStringAsync(text)).toString('base64'),
  open: async (sealed) =>
    (await safeStorage.decryptStringAsync(Buffer.from(sealed, 'base64'))).result,
};

const UNSAFE: ReadonlySet<string> = new Set(['basic_text', 'unknown']);
