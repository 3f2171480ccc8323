import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { AXE, violations } from './axe.ts';
import { PATIENT, soon, useBrowser } from './browser.ts';
import { fill } from './filled.ts';
import { panelHost } from './host.ts';

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim());

describe.runIf(CHROMIUM)('the panel, for what can wait and what is looked for', PATIENT, () => {
  const openPanel = useBrowser();

  it('D4 a draft is put off by keyboard, found among those put off, and brought back', async () => {
    const host = await panelHost({
      prepare: (home) =>
        fill(home, ({ job, order, text }) => {
          const one = job('Ask');
          order(one, 'Replenish vanilla');
          text(one, 'A note', 'Hillside Dairy delivers on Tuesdays.');
        }),
    });
    const { page, go } = await openPanel(host);
    await page.evaluate(AXE);
    await go('drafts');
    const order = page.getByRole('article', { name: 'Replenish vanilla' });
    await order.getByText(/order · 5 tubs/).waitFor();
    await page
      .getByRole('article', { name: 'A note' })
      .getByText(/Hillside Dairy/)
      .waitFor();
    await order.getByRole('button', { name: 'Later: Replenish vanilla' }).press('Enter');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page, colorScheme === 'dark'), colorScheme).toEqual([]);
    }
    await order.getByRole('button', { name: 'With the next lull' }).press('Enter');
    await order.getByText('Put off until the next lull.').waitFor();
    await soon(() => focused(page)).toBe('Bring back');
    await page.getByRole('navigation').getByText('Drafts 1').waitFor();
    expect(await host.call('drafts.list', { snoozed: true })).toMatchObject([
      { title: 'Replenish vanilla', snoozed: { until: null } },
    ]);

    await page.getByLabel('Show').selectOption('put off');
    await soon(() => page.getByRole('article').count()).toBe(1);
    await page.getByRole('button', { name: 'Bring back' }).click();
    await page.getByRole('navigation').getByText('Drafts 2').waitFor();
  });

  it('P4 one product among ten thousand is found by a part of its name, and changes where it stands', async () => {
    const rows = Array.from(
      { length: 10_000 },
      (_, n) =>
        `P-${String(n).padStart(5, '0')},${n === 7_777 ? 'Crème brûlée' : `Part ${n}`},5,2,1.00`,
    );
    const csv = ['sku,name,on hand,reorder point,unit cost', ...rows].join('\n');
    const host = await panelHost();
    await host.call('stock.import', {
      ...{ name: 'parts.csv', content: Buffer.from(csv).toString('base64') },
    });
    const { page, go } = await openPanel(host);
    await go('stock');
    await page.getByText('10,000 products').waitFor();
    const find = page.getByRole('searchbox', { name: 'Find a product' });
    await find.fill('creme');
    await soon(() => page.getByRole('listitem').count()).toBe(1);
    await page.getByRole('listitem').getByText('P-07777').waitFor();
    await host.call('stock.adjust', {
      ...{ sku: 'P-07777', delta: -4, reason: 'sold', event: 'one' },
    });
    await find.fill('no such thing');
    await page.getByText('No product has that in its name or SKU.').waitFor();
    await find.fill('');
    await soon(() => page.getByRole('listitem').count()).toBeGreaterThan(40);
  });
});
