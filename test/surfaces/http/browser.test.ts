import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../main/base/clock.ts';
import { doorFile } from '../../../main/surfaces/http/door-file.ts';
import { type HttpServer, serveHttp } from '../../../main/surfaces/http/server.ts';
import { CHROMIUM, QUIET } from '../../support/chromium.ts';
import { temporaryFolder } from '../../support/store.ts';
import { echo, publisher } from '../support.ts';

/** A page as small as can be that uses all of the carrier, and tries what it must not. */
const INDEX =
  '<!doctype html><title>Lull</title><p id="said"></p><script type="module" src="./main.js"></script>';
const MAIN = `
const said = document.querySelector('#said');
new EventSource('/events').onmessage = (message) => { said.textContent += message.data; };
const response = await fetch('/api/status', {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}',
});
said.textContent += JSON.stringify(await response.json());
`;

async function host() {
  const panel = join(temporaryFolder(), 'panel');
  mkdirSync(panel);
  writeFileSync(join(panel, 'index.html'), INDEX);
  writeFileSync(join(panel, 'main.js'), MAIN);
  const { subscribe, push } = publisher();
  let calls = 0;
  const server: HttpServer = await serveHttp({
    port: null,
    clock: systemClock(),
    door: doorFile(join(temporaryFolder(), 'panel.json')),
    hello: { event: 'hello', pid: 1, version: '1.0.0' },
    dispatch: (command, input) => {
      calls++;
      return echo(command, input);
    },
    subscribe,
    panel,
  });
  onTestFinished(() => server.close());
  return { server, push, calls: () => calls };
}

describe.runIf(CHROMIUM)('the panel in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: CHROMIUM as string,
      args: QUIET,
    });
  });
  afterAll(() => browser.close());

  async function fresh(): Promise<Page> {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    return context.newPage();
  }

  it('D8 opens by its link, gives commands and gets pushes', async () => {
    const { server, push } = await host();
    const page = await fresh();
    await page.goto(server.panelLink());
    expect(new URL(page.url()).pathname).toBe('/');
    await page.waitForFunction(() => document.body.textContent?.includes('"command":"status"'));
    push({ event: 'panel', changed: { stockTotal: 41 } });
    await page.waitForFunction(() => document.body.textContent?.includes('"stockTotal":41'));
  });

  it('D8 opens by a link in the page of another site as well', async () => {
    const { server } = await host();
    const elsewhere = join(temporaryFolder(), 'mail.html');
    writeFileSync(elsewhere, `<a href="${server.panelLink()}">Lull</a>`);
    const page = await fresh();
    await page.goto(`file://${elsewhere}`);
    await page.click('a');
    await page.waitForFunction(() => document.body.textContent?.includes('"command":"status"'));
    expect(page.url()).toBe(`http://127.0.0.1:${server.port}/`);
  });

  it('D8 another site can neither read it, nor frame it, nor give it a command', async () => {
    const { server, calls } = await host();
    const page = await fresh();
    await page.goto(server.panelLink());
    await page.waitForFunction(() => document.body.textContent?.includes('"command":"status"'));
    const own = `http://127.0.0.1:${server.port}`;
    const before = calls();

    const other = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><iframe src="${own}/"></iframe>`);
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const theirs = await page.context().newPage(); // the cookie is there, and the site is the same
    await theirs.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const tried = await theirs.evaluate(async (url) => {
      const read = (path: string, init: RequestInit) =>
        fetch(url + path, { credentials: 'include', ...init })
          .then((response) => response.text())
          .catch(() => 'stopped');
      const json = { 'content-type': 'application/json' };
      return [
        await read('/', {}),
        await read('/events', {}),
        await read('/api/status', { method: 'POST', headers: json, body: '{}' }),
        await read('/api/status', { method: 'POST', mode: 'no-cors', body: '{}' }),
      ];
    }, own);
    expect(tried).toEqual(['stopped', 'stopped', 'stopped', 'stopped']);
    expect(calls()).toBe(before);
    expect(theirs.frames()).toHaveLength(2);
    expect(theirs.frames()[1]?.url()).not.toMatch(own);

    const opened = page.context().waitForEvent('page');
    await theirs.evaluate((url) => {
      (window as { theirs?: Window | null }).theirs = open(url);
    }, own);
    const panel = await opened;
    await panel.waitForFunction(() => document.body.textContent?.includes('"command":"status"'));
    expect(await panel.evaluate(() => window.opener)).toBeNull();
    await theirs.waitForFunction(() => (window as { theirs?: Window | null }).theirs?.closed);
  });
});
