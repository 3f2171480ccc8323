import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { CHROMIUM, QUIET } from '../support/chromium.ts';
import type { PanelHost } from './host.ts';

/** Each test starts a program and a page; a machine that does other things as well needs its time. */
export const PATIENT = { timeout: 90_000 };

/** `expect.poll` with the patience that a program behind a browser needs. */
export function soon<T>(look: () => T) {
  return expect.poll(look, { timeout: 30_000 });
}

/** The panel in a page of its own. `faults` is checked by itself when the test ends. */
export interface Panel {
  readonly page: Page;
  /** Goes to a place, as its link would: `drafts`, `drafts/7`. */
  go(place: string): Promise<void>;
}

export interface Opening {
  look?: BrowserContextOptions;
  /** What a page that loses its host may say on its console. */
  allow?: RegExp;
}

let running: Browser | null = null;

/** One browser for all suites of this process, which ends with it: starting one takes as long as a test. */
async function theBrowser(): Promise<Browser> {
  if (!running?.isConnected()) {
    running = await chromium.launch({ executablePath: CHROMIUM as string, args: QUIET });
  }
  return running;
}

/** `openPanel` gives each test a fresh profile. */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    browser = await theBrowser();
  });

  /**
   * Opens the panel by a fresh link. When the test ends: no policy was violated, nothing was thrown,
   * nothing was complained of, and no request left the host's own address.
   */
  return async function openPanel(host: PanelHost, { look, allow }: Opening = {}): Promise<Panel> {
    const context = await browser.newContext({ viewport: { width: 400, height: 600 }, ...look });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type()) || allow?.test(message.text())) return;
      faults.push(`${message.type()}: ${message.text()}`);
    });
    await page.exposeFunction('reportViolation', (what: string) => faults.push(`policy: ${what}`));
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => {
        const report = (window as unknown as { reportViolation(what: string): void })
          .reportViolation;
        report(`${event.violatedDirective} ${event.blockedURI}`);
      });
    });
    const link = await host.link();
    const { origin } = new URL(link);
    page.on('request', (request) => {
      const url = request.url();
      if (new URL(url).origin !== origin && !url.startsWith(`blob:${origin}/`)) {
        faults.push(`asked of another: ${url}`);
      }
    });
    onTestFinished(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });
    await page.goto(link);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return {
      page,
      async go(place) {
        await page.evaluate((hash) => {
          location.hash = hash;
        }, `#/${place}`);
        await page.waitForFunction(() => document.readyState === 'complete');
      },
    };
  };
}
