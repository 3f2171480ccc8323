import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { PATIENT, soon, useBrowser } from './browser.ts';
import { fill } from './filled.ts';
import { panelHost } from './host.ts';

const MANY = 10_000;
/** What a browser's record of its work calls timers, frames that a page asks for, and painting. */
const WORK = ['TimerInstall', 'TimerFire', 'RequestAnimationFrame', 'FireAnimationFrame', 'Paint'];

/** What of that a page does within half a second. */
async function workOf(page: Page): Promise<string[]> {
  const browser = page.context().browser();
  await browser?.startTracing(page, { categories: ['devtools.timeline'] });
  await page.waitForTimeout(500);
  const record = JSON.parse(String(await browser?.stopTracing())) as {
    traceEvents: { name: string }[];
  };
  return record.traceEvents.map(({ name }) => name).filter((name) => WORK.includes(name));
}

/** Milliseconds a frame takes, in the middle, while a long list is scrolled. */
function medianFrame(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const main = document.querySelector('main') as HTMLElement;
    const frames: number[] = [];
    main.scrollTop = 0;
    let last = await new Promise<number>(requestAnimationFrame);
    for (let step = 0; step < 60; step++) {
      main.scrollTop += 120;
      const now = await new Promise<number>(requestAnimationFrame);
      frames.push(now - last);
      last = now;
    }
    return frames.sort((a, b) => a - b)[Math.floor(frames.length / 2)] ?? 0;
  });
}

describe.runIf(CHROMIUM)('a panel with much to show', PATIENT, () => {
  const openPanel = useBrowser();

  it('D4 of 10,000 drafts and 10,000 jobs it shows the first at once, pages through the rest, and scrolls without a stutter', async () => {
    const host = await panelHost({
      prepare: (home) =>
        fill(home, ({ job, order }) => {
          for (let n = 1; n <= MANY; n++) order(job(`Task ${n}`), `Replenish item ${n}`);
        }),
    });
    const { page, go } = await openPanel(host);
    await page.getByText('All 10,000 drafts').waitFor();
    await go('drafts');
    const cards = page.getByRole('article');
    await soon(() => cards.count()).toBe(50);
    expect(await page.locator('*').count()).toBeLessThan(2_000);

    const end = page.getByRole('button', { name: 'Older drafts' });
    for (let pages = 2; pages <= 6; pages++) {
      await end.scrollIntoViewIfNeeded();
      await soon(() => cards.count()).toBeGreaterThanOrEqual(50 * pages);
    }
    const titles = await page.locator('article .title').allTextContents();
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles.slice(0, 300)).toEqual(
      Array.from({ length: 300 }, (_, index) => `Replenish item ${MANY - index}`),
    );

    expect(await medianFrame(page)).toBeLessThan(50); // on a machine that does other things as well

    await go('history/waiting');
    await page.getByRole('link', { name: `Task ${MANY}`, exact: true }).waitFor();
    const jobs = page.getByRole('link', { name: /^Task \d+$/ });
    for (let pages = 2; pages <= 6; pages++) {
      const shown = await jobs.count();
      await page.getByRole('button', { name: 'Older', exact: true }).scrollIntoViewIfNeeded();
      await soon(() => jobs.count()).toBeGreaterThan(shown);
    }
    expect(await medianFrame(page)).toBeLessThan(50);
  });

  it('D8 an open panel with nothing changing asks for nothing, whatever place is open', async () => {
    const host = await panelHost({
      prepare: (home) => fill(home, ({ job, order }) => void order(job('A task'), 'An order')),
    });
    const { page, go } = await openPanel(host);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    for (const place of [
      'now',
      'drafts',
      'drafts/1',
      'history',
      'history/1',
      'stock',
      'settings',
    ]) {
      await go(place);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(300); // what the place itself reads
      asked.length = 0;
      await page.waitForTimeout(300);
      expect(asked, place).toEqual([]);
    }
  });

  it('D8 an open panel with nothing changing sets no timer and paints nothing', async () => {
    const host = await panelHost({
      prepare: (home) => fill(home, ({ job, order }) => void order(job('A task'), 'An order')),
    });
    const { page, go } = await openPanel(host);
    for (const place of ['now', 'drafts/1', 'history', 'machine']) {
      await go(place);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await soon(() => workOf(page)).toEqual([]);
      expect(await workOf(page), place).toEqual([]);
    }
    // The record does show such work where there is some.
    await page.evaluate(() => void setInterval(() => document.body.append('.'), 50));
    expect(await workOf(page)).toEqual(expect.arrayContaining(['TimerFire', 'Paint']));
  });
});
