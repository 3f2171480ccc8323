import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { onlyReady } from './state.ts';

/** The keychain of this stand-in: one key for each account that a test names. */
const key = createHash('sha256')
  .update(process.env.STANDIN_KEYCHAIN ?? 'somebody')
  .digest();
const backend = process.env.STANDIN_KEEPER ?? 'gnome_libsecret';

export const safeStorage = {
  async isAsyncEncryptionAvailable() {
    onlyReady('safeStorage');
    return true;
  },
  getSelectedStorageBackend: () => backend as 'gnome_libsecret' | 'basic_text',
  async encryptStringAsync(text: string): Promise<Buffer> {
    onlyReady('safeStorage');
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  },
  async decryptStringAsync(sealed: Buffer) {
    onlyReady('safeStorage');
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const opened = [decipher.update(sealed.subarray(12, -16)), decipher.final()];
    return { result: Buffer.concat(opened).toString('utf8'), shouldReEncrypt: false };
  },
};
