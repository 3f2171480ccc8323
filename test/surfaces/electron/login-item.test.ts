import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  linuxLoginItem,
  macLoginItem,
  noLoginItem,
} from '../../../main/surfaces/electron/login-item.ts';
import { temporaryFolder } from '../../support/store.ts';

describe('opening at login', () => {
  it('D10 is off until the owner says so, and off again at a word', () => {
    const item = linuxLoginItem(temporaryFolder(), '/opt/Lull/lull');
    expect(item.read()).toEqual({ open: false, note: null });
    item.set(true);
    expect(item.read().open).toBe(true);
    item.set(false);
    item.set(false);
    expect(item.read().open).toBe(false);
  });

  it('D10 writes an entry whose path cannot be read as anything else', () => {
    const folder = temporaryFolder();
    linuxLoginItem(folder, '/opt/a "b" $c `d` 50%\\e').set(true);
    const entry = readFileSync(join(folder, 'autostart', 'lull.desktop'), 'utf8');
    expect(entry).toContain('Exec="/opt/a \\"b\\" \\$c \\`d\\` 50%%\\\\e"\n');
    expect(entry).toMatch(/^\[Desktop Entry\]\nType=Application\n/);
  });

  it.each([
    ['enabled', null],
    ['requires-approval', 'Allow Lull in System Settings → General → Login Items.'],
    ['not-found', 'macOS does not know this copy of Lull: move it to the Applications folder.'],
  ])('D10 says what macOS still wants of the owner: %s', (status, note) => {
    let openAtLogin = false;
    const item = macLoginItem({
      getLoginItemSettings: () => ({ openAtLogin, status }),
      setLoginItemSettings: (settings) => {
        openAtLogin = settings.openAtLogin;
      },
    });
    item.set(true);
    expect(item.read()).toEqual({ open: true, note });
  });

  it('D10 a copy run from its sources offers nothing', () => {
    const item = noLoginItem();
    item.set(true);
    expect(item.read()).toEqual({ open: false, note: 'Only an installed Lull can open at login.' });
  });
});
