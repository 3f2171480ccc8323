import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resolveHome } from '../../main/base/home.ts';
import type { SecretRow } from '../../main/surfaces/contract.ts';
import { lullHere, until } from '../support/host.ts';
import { temporaryFolder } from '../support/store.ts';
import { startApp } from './drive.ts';

const KEY = 'sk-desktop-0b1c2d3e';

describe('secrets under the app', () => {
  it.each([
    ['darwin', {}, 'keychain'],
    ['linux', {}, 'keychain'],
    ['linux', { STANDIN_KEEPER: 'basic_text' }, 'file'],
  ] as const)(
    'S7 what was set before comes under the keychain, and so does what follows: %s %j',
    async (platform, env, kept) => {
      const home = resolveHome(temporaryFolder());
      await lullHere(home, ['secret', 'set', 'before'], `${KEY}-1`);
      const app = await startApp({ home: home.dir, platform, env });
      onTestFinished(app.end);
      const set = await until(async () => {
        const ran = await lullHere(home, ['secret', 'set', 'after'], `${KEY}-2`);
        return ran.code === 0 && ran.out;
      });
      expect(set).toContain(kept === 'keychain' ? 'under the keychain' : 'only you can read');
      const list = async () =>
        (await lullHere(home, ['secret', 'list', '--json'])).json<SecretRow[]>();
      await until(async () => (await list()).every((row) => row.kept === kept));
      expect(readFileSync(home.secrets, 'utf8').includes(KEY)).toBe(kept === 'file');
      await app.quit();
      expect((await list()).map((row) => [row.name, row.kept])).toEqual([
        ['after', kept],
        ['before', kept],
      ]);
    },
  );
});
