import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createScrubber } from '../../../main/base/scrubber.ts';
import type { Seal } from '../../../main/engine/secrets/seal.ts';
import { openVault } from '../../../main/engine/secrets/vault.ts';
import { temporaryFolder } from '../../support/store.ts';

const KEY = 'sk-planted-0123456789';

/** A keychain of one account. */
function keychain(account: string, isAvailable = true): Seal {
  const turned = (text: string) => Buffer.from(text).reverse().toString('base64');
  return {
    available: async () => isAvailable,
    seal: async (text) => `${account}:${turned(text)}`,
    async open(sealed) {
      if (!sealed.startsWith(`${account}:`)) throw new Error(`not mine: ${sealed}`);
      return Buffer.from(sealed.slice(account.length + 1), 'base64')
        .reverse()
        .toString();
    },
  };
}

function vaultIn(dir = temporaryFolder(), seal: Seal | null = null) {
  const file = join(dir, 'secrets.json');
  const scrubber = createScrubber();
  return { dir, file, scrubber, vault: openVault({ file, seal, scrubber, now: () => 5 }) };
}

describe('the vault', () => {
  it('S7 keeps secrets by name in a file of mode 0600, replaced at once', async () => {
    const { dir, file, vault } = vaultIn();
    expect(vault.list()).toEqual({ ok: true, value: [] });
    expect(existsSync(file)).toBe(false);
    await vault.set('lab', KEY);
    await vault.set('alpha', `${KEY}-2`);
    await vault.set('lab', `${KEY}-3`);
    expect(vault.list()).toEqual({
      ok: true,
      value: [
        { name: 'alpha', kept: 'file', setAt: 5 },
        { name: 'lab', kept: 'file', setAt: 5 },
      ],
    });
    expect(await vault.read('lab')).toEqual({ ok: true, value: `${KEY}-3` });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['secrets.json']);
    expect(vault.remove('lab')).toMatchObject({ ok: true });
    expect(await vault.read('lab')).toMatchObject({ ok: false, code: 'not_found' });
    expect(readFileSync(file, 'utf8')).not.toContain(`${KEY}-3`);
  });

  it('S7 two that are set at once are both kept', async () => {
    const { vault } = vaultIn();
    await Promise.all(['a', 'b', 'c'].map((name) => vault.set(name, KEY + name)));
    const list = vault.list();
    expect(list.ok && list.value.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('S7 a file that others may read is not used, and says how to mend it', async () => {
    const { file, vault } = vaultIn();
    await vault.set('lab', KEY);
    for (const mode of [0o644, 0o660, 0o604]) {
      chmodSync(file, mode);
      for (const answer of [vault.list(), await vault.read('lab'), await vault.set('b', KEY)]) {
        expect(answer).toMatchObject({
          ...{ ok: false, code: 'refused' },
          message: expect.stringContaining(`mode ${mode.toString(8)}`),
          hint: expect.stringContaining('chmod 600'),
        });
      }
    }
    chmodSync(file, 0o600);
    expect(await vault.read('lab')).toMatchObject({ ok: true });
  });

  it.each([
    ['no JSON', '{"version":1,'],
    ['another shape', '{"version":1,"secrets":{"lab":"x"}}'],
    [
      'a name that is none',
      '{"version":1,"secrets":[{"name":"../x","value":"v","seal":"none","setAt":1}]}',
    ],
    ['a newer one', '{"version":2,"secrets":[]}'],
  ])('S7 a file of %s is refused in one line that tells nothing of it', async (_what, text) => {
    const { file, vault } = vaultIn();
    writeFileSync(file, text, { mode: 0o600 });
    const answer = await vault.set('lab', KEY);
    expect(answer).toMatchObject({ ok: false, code: 'invalid' });
    expect(JSON.stringify(answer)).not.toContain('x"');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('S7 a link in the place of the file is not followed', () => {
    const { dir, file, vault } = vaultIn();
    writeFileSync(join(dir, 'elsewhere'), '{"version":1,"secrets":[]}', { mode: 0o600 });
    symlinkSync(join(dir, 'elsewhere'), file);
    expect(vault.list()).toMatchObject({
      ok: false,
      message: expect.stringContaining('plain file'),
    });
  });

  it('S7 under a keychain the file holds no secret, and nobody else opens it', async () => {
    const { dir, file, vault } = vaultIn(undefined, keychain('ann'));
    expect(await vault.set('lab', KEY)).toMatchObject({ value: { kept: 'keychain' } });
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
    expect(await vault.read('lab')).toEqual({ ok: true, value: KEY });
    const headless = vaultIn(dir);
    expect(await headless.vault.read('lab')).toMatchObject({
      ...{ ok: false, code: 'refused' },
      message: expect.stringContaining('only the desktop app can open'),
    });
    const other = await vaultIn(dir, keychain('bob')).vault.read('lab');
    expect(other).toMatchObject({ ok: false, message: expect.stringContaining('did not open') });
  });

  it('S7 what was set without the app comes under the keychain at its next start', async () => {
    const { dir, file, vault } = vaultIn();
    await vault.set('lab', KEY);
    expect(await vaultIn(dir, keychain('ann', false)).vault.sealOpen()).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain(KEY);
    const app = vaultIn(dir, keychain('ann'));
    expect(await app.vault.sealOpen()).toBe(1);
    expect(await app.vault.sealOpen()).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
    expect(await app.vault.read('lab')).toEqual({ ok: true, value: KEY });
  });

  it('S7 from the moment it is read, a secret is taken out of what others say', async () => {
    const { dir, vault } = vaultIn();
    await vault.set('lab', KEY);
    const later = vaultIn(dir);
    expect(later.scrubber.scrub(KEY)).toBe(KEY);
    await later.vault.read('lab');
    expect(later.scrubber.scrub(KEY)).toBe('[secret lab]');
  });
});
