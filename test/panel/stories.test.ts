import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { temporaryFolder } from '../support/store.ts';
import { PATIENT, soon, useBrowser } from './browser.ts';
import { fill } from './filled.ts';
import { panelHost } from './host.ts';

const INVENTORY = join(import.meta.dirname, '..', '..', 'resources', 'demo', 'inventory.csv');

const headline = (page: Page) => page.getByRole('heading', { level: 1 });

/** The day of the month on which the clocks of Europe next go forward, between two and three. */
function nextLastSundayOfMarch(): number {
  const now = new Date();
  for (let year = now.getFullYear(); ; year++) {
    const end = new Date(year, 2, 31);
    end.setDate(31 - end.getDay());
    if (end > now) return end.getDate();
  }
}

describe.runIf(CHROMIUM)('the panel, used', PATIENT, () => {
  const openPanel = useBrowser();

  it('D8 a link lets in once: the page stays, a second browser with the same link does not come in', async () => {
    const host = await panelHost();
    const { page } = await openPanel(host);
    await page.reload();
    await headline(page).waitFor();
    expect(new URL(page.url()).search).toBe('');
    const used = await host.link();
    expect((await fetch(used, { redirect: 'manual' })).status).toBe(303);
    expect((await fetch(used, { redirect: 'manual' })).status).toBe(401);
    expect((await fetch(new URL('/', used))).status).toBe(401);
  });

  it('D4 a stock file becomes a watched product, a draft by push, and an order file', async () => {
    const host = await panelHost();
    const { page, go } = await openPanel(host);
    await go('stock');
    await page.getByLabel('Import a stock file').setInputFiles(INVENTORY);
    await page.getByText('13 added, 0 changed, 0 unchanged, 2 skipped').waitFor();
    expect((await host.call('stock.list', {})).length).toBe(0); // nothing is stored before the word
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const waffle = page.getByRole('listitem').filter({ hasText: 'CONE-WAFFLE' });
    await waffle.getByText('4 needed').waitFor();
    await waffle.getByRole('button', { name: 'Watch Waffle cones, large' }).click();

    // Nothing is asked for from here on: the draft comes by itself.
    await page.getByRole('navigation').getByText('Drafts 1').waitFor();
    await go('drafts');
    await page.getByRole('link', { name: 'Replenish Waffle cones, large' }).click();
    const line = page.getByRole('row', { name: /CONE-WAFFLE/ });
    await line.getByText('4 sleeves').waitFor();
    await line.getByText('$36.80').waitFor();
    await page.getByText('Figures come from the stock and price tools').waitFor();
    const id = new URL(page.url()).hash.split('/').at(-1);
    expect(existsSync(join(host.home.orders, `${id}.csv`))).toBe(false);

    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(`Written: orders/${id}.csv, orders/${id}.md`).waitFor();
    expect(readFileSync(join(host.home.orders, `${id}.csv`), 'utf8')).toMatch(
      /CONE-WAFFLE.*4.*9\.20.*36\.80/,
    );
  });

  it('D2 a pause of all or of heavy work, for a time, is seen at once and is taken back', async () => {
    const host = await panelHost();
    const { page } = await openPanel(host);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: '30 minutes' }).click();
    await soon(() => headline(page).textContent()).toMatch(/^Paused until \d\d:\d\d/);
    const { all, heavy } = (await host.call('status', {})).paused;
    expect(heavy).toBeNull();
    expect(Math.abs((all?.until ?? 0) - Date.now() - 1_800_000)).toBeLessThan(20_000);
    await page.getByRole('button', { name: 'Resume' }).click();
    await soon(() => headline(page).textContent()).toBe('Idle');

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Heavy work only').check();
    await page.getByRole('button', { name: 'Until resumed' }).click();
    await soon(() => headline(page).textContent()).toBe('Heavy work paused until you resume');
    expect((await host.call('status', {})).paused).toEqual({ all: null, heavy: { until: null } });
  });

  it('P8 a task with files waits for the lull, runs in it, and its answer is a draft', async () => {
    const host = await panelHost();
    const notes = join(temporaryFolder(), 'suppliers');
    mkdirSync(notes);
    writeFileSync(join(notes, 'hillside.txt'), 'Hillside Dairy delivers on Tuesdays.\n');
    const { page } = await openPanel(host);
    await page
      .getByRole('textbox', { name: 'Do in the next lull' })
      .fill('Read the supplier notes');
    await page.getByText('When, and which files it may read').click();
    await page.getByLabel('Files or folders it may read').fill(notes);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'Read the supplier notes' });
    await row.waitFor();
    await page
      .getByRole('region', { name: 'Waiting for a lull' })
      .getByText('You are here: last input 0:42 ago')
      .waitFor();
    const [job] = await host.call('jobs.list', { state: 'queued' });
    expect(job).toMatchObject({ tier: 'synthesis', title: 'Read the supplier notes' });

    host.facts({ idleSeconds: 900 });
    await page.getByRole('navigation').getByText('Drafts 1').waitFor();
    await page.getByRole('link', { name: 'Read the supplier notes' }).click();
    await page.getByText(/^written by .*, not checked/i).waitFor();
  });

  it('D4 the words of a model are marked, copied and saved as they are', async () => {
    const text = 'First line of café\n\n- second, with <b>markup</b>\n';
    const host = await panelHost({
      prepare: (home) => fill(home, (filling) => filling.text(filling.job('Read'), 'Notes', text)),
    });
    const look = { permissions: ['clipboard-read', 'clipboard-write'] };
    const { page, go } = await openPanel(host, { look });
    await go('drafts/1');
    await page.getByText('Written by a model, not checked.').waitFor();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a file' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('draft-1.txt');
    expect(readFileSync(await saved.path(), 'utf8')).toBe(text);
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByText('Kept.').waitFor();
  });

  it('D4 a draft that was replaced leads to the one that took its place', async () => {
    const host = await panelHost();
    const content = readFileSync(INVENTORY).toString('base64');
    await host.call('stock.import', { name: 'inventory.csv', content });
    await host.call('watch.add', { id: 'waffle', sku: 'CONE-WAFFLE' });
    const count = async () => (await host.call('drafts.list', {})).length;
    await soon(count).toBe(1);
    const { page, go } = await openPanel(host);
    await go('drafts/1');
    await page.getByText('waits for you').first().waitFor();
    for (const [delta, event] of [
      [10, 'delivered'],
      [-9, 'sold'],
    ] as const) {
      await host.call('stock.adjust', { sku: 'CONE-WAFFLE', delta, reason: event, event });
      await soon(async () => (await host.call('watch.list', {}))[0]?.armed).toBe(delta > 0);
    }
    await soon(count).toBe(2);
    await page.getByText('A newer draft has taken its place').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await page.getByRole('link', { name: 'draft 2' }).click();
    await page.getByText('3 sleeves').waitFor();
  });

  it('D5 a waiting job is cancelled, and a refused one says why where it was asked', async () => {
    const host = await panelHost();
    await host.call('jobs.add', { text: 'Never mind' });
    const { page } = await openPanel(host);
    await page.getByRole('button', { name: 'Cancel Never mind' }).click();
    await soon(async () => (await host.call('jobs.list', { state: 'cancelled' })).length).toBe(1);
    await page.getByRole('textbox', { name: 'Do in the next lull' }).fill('Read a file');
    await page.getByText('When, and which files it may read').click();
    await page.getByLabel('Files or folders it may read').fill('/no/such/place');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('form', { name: 'Do in the next lull' }).getByRole('alert').waitFor();
    expect(await page.getByRole('textbox', { name: 'Do in the next lull' }).inputValue()).toBe(
      'Read a file',
    );
  });

  it('P2 a schedule is looked at before it is made, and the night of the clock change is marked', async () => {
    const host = await panelHost();
    const { page, go } = await openPanel(host);
    await go('schedules');
    await page.getByLabel('Name').fill('night');
    await page.getByLabel('What it asks').fill('Prepare the draft of the night.');
    await page.getByRole('combobox', { name: 'When', exact: true }).selectOption('By a cron line');
    const expression = `30 2 ${nextLastSundayOfMarch()} 3 *`;
    await page.getByRole('textbox', { name: 'Cron line' }).fill(expression);
    await page.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Show the next five' }).click();
    const shown = page.getByRole('form', { name: 'New schedule' }).getByRole('listitem');
    await soon(() => shown.count()).toBe(5);
    const expected = await host.call('schedule.preview', {
      rule: { kind: 'cron', expression, zone: 'Europe/Berlin' },
    });
    for (const [index, one] of expected.entries()) {
      expect(await shown.nth(index).textContent()).toContain(one.local);
      if (one.note) expect(await shown.nth(index).textContent()).toContain(one.note);
    }
    expect(expected[0]?.note).toBeTruthy();
    await page.getByRole('button', { name: 'Add schedule' }).click();
    await page.getByRole('article').getByText('night', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Turn off night' }).click();
    await page.getByRole('button', { name: 'Turn on night' }).waitFor();
    expect(await host.call('schedule.list', {})).toMatchObject([{ id: 'night', enabled: false }]);
  });
});
