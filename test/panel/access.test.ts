import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { AXE, LOOKS, openAll, tooWide, violations } from './axe.ts';
import { PATIENT, type Panel, soon, useBrowser } from './browser.ts';
import { fill } from './filled.ts';
import { openPanelHost, type PanelHost, panelHost } from './host.ts';
import { rosterBeside, rosterConsent, rosterNight } from './roster.ts';

const INVENTORY = join(import.meta.dirname, '..', '..', 'resources', 'demo', 'inventory.csv');
const HOUR_MS = 3_600_000;
const PLACES = [
  ...['now', 'drafts', 'drafts/1', 'schedules', 'stock', 'more', 'history', 'history/1'],
  ...['settings', 'models', 'cycles', 'machine'],
];

/** A host on which every place has something to show. */
async function richHost(open = panelHost): Promise<PanelHost> {
  let repository = '';
  const host = await open({
    prepare: (home) => {
      repository = rosterBeside(home);
      return fill(home, (filling) => {
        filling.notice('disk-full', 'The disk is full: a draft is kept back.');
        rosterNight(filling, repository, Date.now() - 6 * HOUR_MS);
      });
    },
  });
  await host.call('cycles.add', rosterConsent(repository, Date.now() + HOUR_MS));
  const content = readFileSync(INVENTORY).toString('base64');
  await host.call('stock.import', { name: 'inventory.csv', content });
  await host.call('watch.add', { id: 'vanilla', sku: 'ICE-VANILLA' });
  await host.call('watch.add', { id: 'waffle', sku: 'CONE-WAFFLE' });
  await host.call('schedule.add', {
    ...{ id: 'morning', prompt: 'Prepare the opening draft.' },
    rule: { kind: 'cron', expression: '0 7 * * *', zone: 'Europe/Berlin' },
  });
  await host.call('jobs.add', { text: 'Summarise the supplier mails' });
  await host.call('jobs.add', { text: 'Compare the offers', notBefore: Date.now() + 3_600_000 });
  await vi.waitFor(async () => expect(await host.call('drafts.list', {})).toHaveLength(2), {
    timeout: 30_000,
  });
  return host;
}

async function eachPlace({ page, go }: Panel, look: (place: string) => Promise<void>) {
  for (const place of PLACES) {
    await go(place);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await look(place);
  }
}

describe.runIf(CHROMIUM)('the panel for everybody', PATIENT, () => {
  const openPanel = useBrowser();
  /** For the tests that only look. */
  let shared: PanelHost;
  beforeAll(async () => {
    shared = await richHost(openPanelHost);
  }, PATIENT.timeout);
  afterAll(() => shared?.close());

  it('D11 axe finds nothing in any place, with all that opens open, by day, by night and in high contrast', async () => {
    const host = shared;
    const panel = await openPanel(host, { look: { viewport: { width: 400, height: 900 } } });
    const { page } = panel;
    await page.evaluate(AXE);
    await eachPlace(panel, async (place) => {
      await openAll(page);
      if (place === 'now') {
        await page.getByRole('textbox', { name: 'Do in the next lull' }).fill('Read');
        await page.getByRole('button', { name: /^Pause/ }).click();
        await openAll(page);
      }
      for (const look of LOOKS) {
        await page.emulateMedia(look);
        const found = await violations(page, look !== LOOKS[0]);
        expect(found, `${place} ${JSON.stringify(look)}`).toEqual([]);
      }
      if (place === 'now') await page.keyboard.press('Escape');
    });
  });

  it('D11 axe finds nothing in what the panel answers: changes, refusals, undo, a stock file looked at', async () => {
    const host = await richHost();
    const { page, go } = await openPanel(host, { look: { viewport: { width: 400, height: 900 } } });
    await page.evaluate(AXE);
    const seen = async (what: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await violations(page, colorScheme === 'dark');
        expect(found, `${what} ${colorScheme}`).toEqual([]);
      }
    };
    await go('drafts');
    await host.call('stock.adjust', {
      ...{ sku: 'ICE-VANILLA', delta: 2, reason: 'delivered' },
      event: 'delivery:1',
    });
    const vanilla = page.getByRole('article', { name: /Vanilla/ });
    await vanilla.getByRole('button', { name: 'Approve' }).click();
    await vanilla.getByText('Since this draft was made').waitFor();
    const waffle = page.getByRole('article', { name: /Waffle/ });
    await waffle.getByRole('button', { name: 'Dismiss' }).click();
    await waffle.getByRole('button', { name: 'Undo' }).waitFor();
    await seen('drafts');

    await go('now');
    host.facts({ onBattery: true, powerSource: 'battery', draining: true });
    await page.getByRole('button', { name: 'Run now: Summarise the supplier mails' }).click();
    await page.getByLabel('On battery too').waitFor();
    await seen('what run now asks');
    await page.getByRole('button', { name: 'Let it wait' }).click();
    await page.getByRole('button', { name: 'Cancel Summarise the supplier mails' }).click();
    await page.getByRole('button', { name: 'Ask again for Summarise' }).waitFor();
    await seen('a job that was cancelled');

    await go('stock');
    await page.getByLabel('Import a stock file').setInputFiles(INVENTORY);
    await page.getByText('13 unchanged').waitFor();
    await page.getByText('left out').click();
    await seen('a stock file');

    await go('settings');
    await page.getByLabel('Nothing starts at or below').fill('120');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await seen('a refused setting');
  });

  it('D11 every control can be reached by the Tab key alone, in its order, and shows that it is', async () => {
    const host = shared;
    const panel = await openPanel(host, { look: { viewport: { width: 400, height: 900 } } });
    const { page } = panel;
    await eachPlace(panel, async (place) => {
      await openAll(page);
      const count = await page.evaluate(() => {
        const all = [
          ...document.querySelectorAll<HTMLElement>(
            'a[href], button, input, select, textarea, summary',
          ),
        ].filter((one) => one.checkVisibility() && !(one as HTMLButtonElement).disabled);
        Object.assign(window, { controls: all });
        document.body.tabIndex = -1;
        document.body.focus();
        document.body.removeAttribute('tabindex');
        return all.length;
      });
      const reached: number[] = [];
      // A field for a date and a time takes several presses.
      for (let press = 0; press < count * 2 + 20 && !reached.includes(count - 1); press++) {
        await page.keyboard.press('Tab');
        const [index, outline] = await page.evaluate(() => {
          const { controls } = window as unknown as { controls: Element[] };
          const at = document.activeElement as Element;
          return [controls.indexOf(at), getComputedStyle(at).outlineStyle] as const;
        });
        if (index < 0 || index === reached.at(-1)) continue;
        expect(outline, `${place}: control ${index}`).not.toBe('none');
        reached.push(index);
      }
      expect(reached, place).toEqual(Array.from({ length: count }, (_, index) => index));
    });
  });

  it('D11 with the keyboard alone: a task is added, work is paused, a draft is read, approved and another dismissed and restored', async () => {
    const host = await richHost();
    const { page } = await openPanel(host);
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
    const tabTo = async (name: RegExp) => {
      for (let press = 0; press < 80; press++) {
        await page.keyboard.press('Tab');
        const label = await page.evaluate(() => {
          const at = document.activeElement as HTMLInputElement;
          return (
            at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? ''
          );
        });
        if (name.test(label.trim())) return;
      }
      throw new Error(`no way to ${name}`);
    };
    await tabTo(/^Pause/);
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('1 hour');
    await page.keyboard.press('Escape');
    expect(await focused()).toMatch(/^Pause/);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await soon(focused).toBe('Resume'); // one takes the place of the other, and its focus
    await page.keyboard.press('Enter');
    await soon(focused).toMatch(/^Pause/);
    await tabTo(/^Do in the next lull/);
    await page.keyboard.type('Read the notes');
    await tabTo(/^Add$/);
    await page.keyboard.press('Enter');
    await page.getByText(/^Added as job/).waitFor();
    expect(await focused()).toBe('Add');

    await tabTo(/^Stock$/);
    await page.keyboard.press('Enter');
    await tabTo(/^Watch Wafer cones/);
    await page.keyboard.press('Enter');
    await soon(focused).toBe('Watching');

    await tabTo(/^Drafts 2$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Drafts' }).waitFor();
    await tabTo(/^Replenish/); // the place itself has the focus, so its first control is next
    await page.keyboard.press('Enter');
    await page.getByText('What would change').waitFor();
    await tabTo(/^Approve$/);
    await page.keyboard.press('Space');
    await page.getByText(/^Written: orders/).waitFor();

    await tabTo(/^Drafts 1$/);
    await page.keyboard.press('Enter');
    await tabTo(/^Dismiss$/);
    await page.keyboard.press('Enter');
    await soon(focused).toBe('Undo');
    expect(await host.call('drafts.list', { state: 'pending' })).toEqual([]);
    await page.keyboard.press('Enter');
    await soon(async () => (await host.call('drafts.list', { state: 'pending' })).length).toBe(1);
    await soon(focused).toBe('Approve');
  });

  it('D11 nothing is cut off or has to be scrolled sideways, from 320 to 1200 points', async () => {
    for (const host of [shared, await panelHost()]) {
      const panel = await openPanel(host);
      const { page } = panel;
      const places = host === shared ? PLACES : ['now', 'drafts', 'stock', 'schedules', 'history'];
      for (const place of places) {
        await panel.go(place);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await openAll(page);
        for (const width of [320, 400, 640, 1200]) {
          await page.setViewportSize({ width, height: 700 });
          await page.evaluate(() => new Promise(requestAnimationFrame));
          expect(await tooWide(page), `${place} at ${width}`).toEqual([]);
        }
      }
    }
  });

  it('D11 rows are tall enough to be hit, and nothing moves where motion is not wanted', async () => {
    const host = shared;
    const panel = await openPanel(host, { look: { reducedMotion: 'reduce' } });
    const { page } = panel;
    await eachPlace(panel, async (place) => {
      const found = await page.evaluate(() => ({
        low: [...document.querySelectorAll('main .row, nav a')]
          .filter((one) => one.checkVisibility())
          .filter((one) => one.getBoundingClientRect().height < 44)
          .map((one) => one.textContent),
        small: [...document.querySelectorAll('button, .button, summary, select, input')]
          .filter((one) => one.checkVisibility() && !one.matches('[type=checkbox]'))
          .filter((one) => one.getBoundingClientRect().height < 32)
          .map((one) => `${one.tagName} ${one.textContent}`),
        moving: [...document.querySelectorAll('*')]
          .map((one) => getComputedStyle(one))
          .filter((style) => style.transitionDuration !== '0s' || style.animationName !== 'none')
          .length,
      }));
      expect(found, place).toEqual({ low: [], small: [], moving: 0 });
    });
  });
});
