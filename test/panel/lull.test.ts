import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { PATIENT, soon, useBrowser } from './browser.ts';
import { fill } from './filled.ts';
import { AT_THE_DESK, panelHost } from './host.ts';

const HOUR_MS = 3_600_000;
const headline = (page: Page) => page.getByRole('heading', { level: 1 });

describe.runIf(CHROMIUM)('the owner and the lulls, in the panel', PATIENT, () => {
  const openPanel = useBrowser();

  it('D5 run now says what it waives before it is done, and does it while the owner is here', async () => {
    const host = await panelHost();
    await host.call('jobs.add', { text: 'Read the notes' });
    const { page } = await openPanel(host);
    const press = page.getByRole('button', { name: 'Run now: Read the notes' });
    const question = page.getByRole('group', { name: 'Run Read the notes now?' });
    await press.click();
    await question.getByText('You are here: last input 0:42 ago').waitFor();
    await question.getByText('It runs in spite of your presence').waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Run now');
    expect((await host.call('status', {})).queue).toMatchObject({ queued: 1, running: 0 });

    await press.click();
    await question.getByRole('button', { name: 'Run it now' }).click();
    await page.getByRole('navigation').getByText('Drafts 1').waitFor();
  });

  it('D5 on battery run now waits, unless its question is answered with battery too', async () => {
    const battery = { onBattery: true, powerSource: 'battery', draining: true } as const;
    const host = await panelHost({ facts: { ...AT_THE_DESK, ...battery } });
    const { job } = await host.call('jobs.add', { text: 'Read the notes' });
    const { page, go } = await openPanel(host);
    await go(`now/${job}`); // as the menu of the tray asks it
    const question = page.getByRole('group', { name: 'Run Read the notes now?' });
    await question.getByText('First it still waits for').waitFor();
    await question.getByLabel('On battery too').check();
    await question.getByText('battery power').waitFor();
    await question.getByRole('button', { name: 'Run it now' }).click();
    await page.getByRole('navigation').getByText('Drafts 1').waitFor();
  });

  it('G1 the word that one is away lets heavy work run, and is taken back', async () => {
    const host = await panelHost();
    const { page } = await openPanel(host);
    await page.locator('summary', { hasText: 'presence' }).click();
    await page.getByRole('button', { name: 'I am away for 1 h' }).click();
    await page.getByText('You said that you are away until').waitFor();
    await host.call('jobs.add', { text: 'Read the notes' });
    await page.getByRole('navigation').getByText('Drafts 1').waitFor();
    await page.getByRole('button', { name: 'Take that back' }).click();
    await page.getByRole('button', { name: 'I am here for 1 h' }).waitFor();
    expect((await host.call('status', {})).word).toBeNull();
  });

  it('D6 what was recorded is drawn as the tide, told in words, and read in History', async () => {
    const midnight = new Date().setHours(0, 0, 0, 0);
    const yesterday = (hour: number, minute = 0) =>
      new Date(midnight - 12 * HOUR_MS).setHours(hour, minute);
    const host = await panelHost({
      prepare: (home) =>
        fill(home, ({ was, ran }) => {
          was('power', 'mains', yesterday(0), yesterday(23, 59));
          was('presence', 'away', yesterday(0), yesterday(9));
          was('presence', 'here', yesterday(9), yesterday(18));
          was('presence', 'away', yesterday(18), yesterday(23, 59));
          was('hold', 'presence/active', yesterday(9), yesterday(18));
          ran({
            ...{ title: 'Dream over the notes', tier: 'synthesis', askedAt: yesterday(8) },
            ...{ from: yesterday(8, 30), gaveWayAt: yesterday(9), until: yesterday(19) },
          });
        }),
    });
    const { page, go } = await openPanel(host);
    await headline(page).waitFor();
    await page.getByRole('img', { name: /^Today: / }).waitFor();
    await go('history');
    const row = page.getByRole('listitem').filter({ hasText: 'Dream over the notes' });
    await row.getByText(/waited .*: you were here/).waitFor();
    await row.getByText('gave way once: you came back').waitFor();

    await page.getByRole('button', { name: 'Day before' }).click();
    const tide = page.getByRole('img', { name: /^That day: you were here 9 h; lulls 14 h/ });
    await tide.waitFor();
    expect(await tide.locator('path').count()).toBe(1);
    expect(await tide.locator('rect').count()).toBe(2);
    expect(await tide.locator('.ran').count()).toBe(2);
    await page.getByRole('button', { name: 'Day after' }).click();
    await page.getByRole('img', { name: /^Today: / }).waitFor();

    await row.getByRole('link').click();
    await page.getByText('Gave way because you came back, stopped after 2.0 s').waitFor();
    await soon(() => headline(page).textContent()).toBe('Dream over the notes');
  });
});
