import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { AXE, LOOKS, violations } from './axe.ts';
import { PATIENT, useBrowser } from './browser.ts';
import { panelHost } from './host.ts';

describe.runIf(CHROMIUM)('this machine, in the panel', PATIENT, () => {
  const openPanel = useBrowser();

  it('D13 the last backup is told with its soundness, another is made by a press, and the ways back and out are named', async () => {
    const host = await panelHost();
    const { page, go } = await openPanel(host);
    await go('machine');
    const backup = page.getByRole('region', { name: 'Backup' });
    await backup.getByText('There is no backup yet.').waitFor();
    await backup.getByRole('button', { name: 'Back up now' }).click();
    await backup.getByText(/^Copied to .*\/backups\/asked-\d+\.sqlite$/).waitFor();
    await backup.getByText(/^Last backup: today \d\d:\d\d, \d+ kB/).waitFor();
    await backup.getByText('it can be put back').waitFor();

    // Changed on the disk since: seen at the next look, not believed because it was sound once.
    const [made] = await host.call('backup.list', {});
    appendFileSync(made?.path ?? '', 'x');
    await page.getByRole('button', { name: 'Look again' }).click();
    await backup
      .getByText('It cannot be put back: it is not what was written (SHA-256).')
      .waitFor();

    await backup.getByText('Restore, or move to another machine').click();
    await backup.getByText('lull export everything.jsonl').waitFor();
    await page.evaluate(AXE);
    for (const look of LOOKS) {
      await page.emulateMedia(look);
      expect(await violations(page, look !== LOOKS[0]), JSON.stringify(look)).toEqual([]);
    }
  });
});
