/**
 * `node test/panel/screenshots.ts`: the pictures of docs/images, each place of the panel by day and by
 * night, from a real host with the demo's stock and a week of made-up days behind it. It runs in a time
 * zone in which it is early evening now, so that there is a day to be seen. Build the panel first.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM, QUIET } from '../support/chromium.ts';
import { startTestServer } from '../support/ollama-server/server.ts';
import { type Filling, fill } from './filled.ts';
import { AT_THE_DESK, openLoneHost, openPanelHost, type PanelHost } from './host.ts';
import { palettePng } from './palette-png.ts';
import { rosterBeside, rosterConsent, rosterNight } from './roster.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const IMAGES = join(ROOT, 'docs', 'images');
const INVENTORY = join(ROOT, 'resources', 'demo', 'inventory.csv');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const PLACES: readonly [name: string, place: string, open?: string][] = [
  ['now', 'now'],
  ['drafts', 'drafts'],
  ['draft', 'drafts/1'],
  ['schedules', 'schedules', 'What it asks'],
  ['stock', 'stock'],
  ['history', 'history'],
  ['job', 'history/2'],
  ['settings', 'settings'],
  ['cycles', 'cycles'],
  ['machine', 'machine'],
  ['more', 'more'],
];
/** From hosts of their own, with a model server beside them. */
const ON_SERVERS: readonly [name: string, place: string, host: () => Promise<PanelHost>][] = [
  ['start', 'now', startHost],
  ['models', 'models', modelsHost],
];

/** One of them has its early evening at any time. */
const CITIES = [
  ...['Europe/Berlin', 'Europe/London', 'Atlantic/Azores', 'America/Noronha', 'America/Sao_Paulo'],
  ...['America/Halifax', 'America/New_York', 'America/Chicago', 'America/Denver'],
  ...['America/Los_Angeles', 'America/Anchorage', 'Pacific/Honolulu', 'Pacific/Auckland'],
  ...['Pacific/Guadalcanal', 'Australia/Brisbane', 'Asia/Tokyo', 'Asia/Singapore'],
  ...['Asia/Bangkok', 'Asia/Dhaka', 'Asia/Tashkent', 'Asia/Dubai', 'Europe/Istanbul'],
];

/** Where it is early evening, and the midnight before it. */
function eveningZone(now: Date): { zone: string; midnight: number } {
  for (const zone of CITIES) {
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, timeStyle: 'medium' });
    const [hour = 0, minute = 0, second = 0] = clock.format(now).split(':').map(Number);
    const since = (hour * 3600 + minute * 60 + second) * 1000 + now.getMilliseconds();
    if (hour === 17 || hour === 18) return { zone, midnight: now.getTime() - since };
  }
  throw new Error('it is evening nowhere');
}

/** Nights away, a lunch away, the rest at the desk; work in the lulls. */
function pastWeek({ was, ran }: Filling, midnight: number, now: number): void {
  for (let day = 8; day >= 0; day--) {
    const at = (hour: number) => Math.min(midnight - day * DAY_MS + hour * HOUR_MS, now);
    const drift = (day % 3) * 0.2;
    const parts: [string, number, number][] = [
      ['away', 0, 6.6 + drift],
      ['here', 6.6 + drift, 12.1],
      ['away', 12.1, 13.2],
      ['here', 13.2, 21.5 + drift],
      ['away', 21.5 + drift, 24],
    ];
    was('power', 'mains', at(0), at(24));
    for (const [state, from, to] of parts) {
      if (at(from) < at(to)) {
        was('presence', state, at(from), at(to));
        was('hold', state === 'here' ? 'presence/active' : 'open', at(from), at(to));
      }
    }
  }
  const today = (hour: number) => midnight + hour * HOUR_MS;
  const heavy = { tier: 'synthesis' } as const;
  ran({
    ...{ ...heavy, title: 'Index the supplier mails', askedAt: today(-3.5) },
    ...{ from: today(0.6), until: today(1.1) },
  });
  ran({
    ...{ ...heavy, title: 'Dream over this week’s notes', askedAt: today(-3) },
    ...{ from: today(1.7), gaveWayAt: today(2.4), until: today(4.2) },
  });
  ran({
    ...{ ...heavy, title: 'Reading list: cold-chain sensors', askedAt: today(9) },
    ...{ from: today(12.4), until: today(12.7) },
  });
}

async function demoHost(): Promise<PanelHost & { zone: string }> {
  const now = new Date();
  const { zone, midnight } = eveningZone(now);
  let repository = '';
  const host = await openLoneHost({
    zone,
    prepare: (home) => {
      repository = rosterBeside(home);
      return fill(home, (filling) => {
        pastWeek(filling, midnight, now.getTime());
        rosterNight(filling, repository, midnight + 4.3 * HOUR_MS);
      });
    },
  });
  await host.call('cycles.add', rosterConsent(repository, now.getTime() + HOUR_MS));
  const content = readFileSync(INVENTORY).toString('base64');
  await host.call('stock.import', { name: 'inventory.csv', content });
  await host.call('watch.add', { id: 'waffle', sku: 'CONE-WAFFLE' });
  await host.call('watch.add', { id: 'vanilla', sku: 'ICE-VANILLA' });
  const cron = (expression: string) => ({ kind: 'cron', expression, zone }) as const;
  await host.call('schedule.add', {
    ...{ id: 'morning', prompt: 'Prepare the opening replenishment draft.' },
    rule: cron('0 7 * * *'),
  });
  await host.call('schedule.add', {
    ...{ id: 'sunday', prompt: 'Summarise the week for me.', tier: 'synthesis' },
    rule: cron('30 18 * * SUN'),
  });
  await waitFor(async () => (await host.call('drafts.list', {})).length === 2);
  await host.kill();
  await host.start(120_000); // from here on work takes its time, and is seen running
  await host.call('jobs.add', { text: 'Dream over this week’s notes' });
  await host.call('jobs.add', { text: 'Compare the supplier offers' });
  await host.call('jobs.add', { text: 'Sort today’s delivery notes', tier: 'routine' });
  await waitFor(async () => (await host.call('status', {})).queue.running === 1);
  return { ...host, zone };
}

/** An Ollama of this machine, as far as Lull can tell. */
const ollama = await startTestServer();

/** Nothing is chosen yet. */
function startHost(): Promise<PanelHost> {
  return openPanelHost({
    servers: true,
    ports: [Number(new URL(ollama.url).port)],
    facts: { ...AT_THE_DESK, idleSeconds: 900 },
    prepare: (home) => writeFileSync(home.config, '{"models":{"budgetGb":24}}'),
  });
}

/** What was proposed serves, one model is in memory for Lull and one for somebody else. */
async function modelsHost(): Promise<PanelHost> {
  const host = await startHost();
  await host.call('models.discover', {});
  await host.call('models.adopt', {});
  await fetch(`${ollama.url}/api/generate`, {
    method: 'POST',
    body: JSON.stringify({ model: 'tiny', keep_alive: -1, options: { num_ctx: 2048 } }),
  });
  await host.call('jobs.add', { text: 'Sort today’s delivery notes', tier: 'routine' });
  await waitFor(async () => (await host.call('drafts.list', {})).length === 1);
  return host;
}

async function waitFor(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('this took too long');
}

/** What the page shows, as pixels: the browser itself reads its own picture. */
async function picture(browser: Browser, page: Page) {
  const shot = (await page.screenshot()).toString('base64');
  const reader = await browser.newPage();
  const read = await reader.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context?.drawImage(image, 0, 0);
    const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? [];
    let text = '';
    for (let i = 0; i < pixels.length; i += 0x8000) {
      text += String.fromCharCode(...pixels.slice(i, i + 0x8000));
    }
    return { width: image.width, height: image.height, rgba: btoa(text) };
  }, shot);
  await reader.close();
  return { ...read, rgba: Buffer.from(read.rgba, 'base64') };
}

/** Where a folder of this run is shown, that of somebody is. */
async function asAtHome(page: Page, folder: string): Promise<void> {
  await page.evaluate((one) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      if (text.data.includes(one)) text.data = text.data.replaceAll(one, '/home/you');
    }
  }, folder);
}

/** Each of these places by day and by night. */
async function pictures(host: PanelHost, places: typeof PLACES, timezoneId?: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      ...{ colorScheme, viewport: { width: 400, height: 640 }, deviceScaleFactor: 2 },
      ...(timezoneId ? { timezoneId } : {}),
    });
    const page = await context.newPage();
    await page.goto(await host.link());
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const [name, place, open] of places) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/${place}`);
      await page.waitForTimeout(500);
      if (open) await page.getByText(open).first().click();
      await page.mouse.move(0, 0);
      await page.waitForTimeout(200);
      await asAtHome(page, dirname(host.home.dir));
      const file = join(IMAGES, `${name}-${colorScheme}.png`);
      const bytes = palettePng(await picture(browser, page));
      writeFileSync(file, bytes);
      console.log(`${file.slice(ROOT.length + 1)}  ${Math.round(bytes.length / 1000)} kB`);
    }
    await context.close();
  }
}

const browser = await chromium.launch({ executablePath: CHROMIUM as string, args: QUIET });
try {
  mkdirSync(IMAGES, { recursive: true });
  const demo = await demoHost();
  await pictures(demo, PLACES, demo.zone).finally(demo.close);
  for (const [name, place, open] of ON_SERVERS) {
    const host = await open();
    await pictures(host, [[name, place]]).finally(host.close);
  }
} finally {
  await browser.close();
  await ollama.close();
}
