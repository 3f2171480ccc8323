import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { PATIENT, useBrowser } from './browser.ts';
import { loneHost } from './host.ts';

/** What Chromium itself says on the console of a page whose host is gone. */
const LOST = /net::ERR_|401 \(Unauthorized\)/;

describe.runIf(CHROMIUM)('a panel that loses its host', PATIENT, () => {
  const openPanel = useBrowser();

  it('D8 the page says so, and what was pressed meanwhile is done by the next host', async () => {
    const host = await loneHost();
    await host.call('jobs.add', { text: 'Read the notes' });
    const { page } = await openPanel(host, { allow: LOST });
    const away = page.getByText('Lull is not answering');
    await host.kill();
    await away.waitFor();
    await page.getByText('Read the notes').waitFor(); // what was known stays in sight
    await page.getByRole('button', { name: /^Pause/ }).click();
    await page.getByRole('button', { name: '1 hour' }).click();

    await host.start();
    await away.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    const { all } = (await host.call('status', {})).paused;
    expect((all?.until ?? 0) - Date.now()).toBeGreaterThan(3_500_000);
    // Pushes flow again, and a reload needs no new link.
    await host.call('resume', {});
    await page.getByRole('button', { name: /^Pause/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('D8 a page that the next host does not know says how to get in, and no press waits for ever', async () => {
    const host = await loneHost();
    const { page } = await openPanel(host, { allow: LOST });
    await host.kill();
    await page.getByText('Lull is not answering').waitFor();
    await page.getByRole('button', { name: /^Pause/ }).click();
    await page.getByRole('button', { name: '1 hour' }).click();
    const door = JSON.parse(readFileSync(host.home.panelDoor, 'utf8'));
    writeFileSync(host.home.panelDoor, JSON.stringify({ ...door, sessions: [] }));
    await host.start();
    await page.getByText('This page has no access any more').first().waitFor();
    await page.getByRole('banner').getByRole('alert').getByText('lull open').waitFor();
    expect((await host.call('status', {})).paused.all).toBeNull();

    const again = await page.context().newPage();
    await again.goto(await host.link());
    await again.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
});
