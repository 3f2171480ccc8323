import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Frame, Page, Route } from 'playwright-core';
import { fail, onlyBefore, onlyReady, record } from './state.ts';

/**
 * The one Chromium behind all windows. It refuses schemes it does not know before anyone could answer
 * for them, so the app's own scheme is shown to it as a host of the loopback, and back:
 * app://lull/x is http://lull.app.standin.localhost/x. Every other request is recorded and refused.
 */
const SHOWN = /^http:\/\/([^/]*?)\.([a-z][a-z0-9-]*)\.standin\.localhost(?=\/|$)/;

type Answer = (request: Request) => Response | Promise<Response>;
const answers = new Map<string, Answer>();
const privileged: Electron.CustomScheme[] = [];

export function toPage(url: string): string {
  return url.replace(/^([a-z][\w+-]*):\/\/([^/?#]*)/i, (all, scheme: string, host: string) =>
    answers.has(scheme) ? `http://${host}.${scheme}.standin.localhost` : all,
  );
}

export function toApp(url: string): string {
  return url.replace(SHOWN, '$2://$1');
}

export const protocol = {
  registerSchemesAsPrivileged(schemes: Electron.CustomScheme[]) {
    onlyBefore('protocol.registerSchemesAsPrivileged');
    if (privileged.length > 0) fail('registerSchemesAsPrivileged can be called only once');
    privileged.push(...schemes);
  },
  handle(scheme: string, answer: Answer) {
    onlyReady('protocol.handle');
    if (answers.has(scheme)) fail(`the scheme ${scheme} is answered already`);
    answers.set(scheme, answer);
  },
} satisfies Partial<Electron.Protocol>;

export function privilegedSchemes(): readonly Electron.CustomScheme[] {
  return privileged;
}

/** What the windows know of a page. */
export interface PageKeeper {
  /** A page says something through its preload script. */
  onWord(page: Page, frame: Frame, word: PageWord): Promise<unknown>;
  /** A frame wants to go elsewhere; true refuses it. */
  refuses(page: Page, frame: Frame, url: string): boolean;
}

export interface PageWord {
  kind: 'invoke' | 'send' | 'open';
  channel: string;
  args: unknown[];
}

let running: Promise<BrowserContext> | undefined;

/** Chromium, started when the first window asks for it. */
export function browser(userData: string, dark: boolean, keeper: PageKeeper) {
  running ??= launch(userData, dark, keeper);
  return running;
}

export async function endBrowser(): Promise<void> {
  await running?.then((context) => context.close()).catch(() => {});
}

/** Where a second client, the test, may attach. */
export async function debuggerAddress(userData: string): Promise<string> {
  const file = join(profileOf(userData), 'DevToolsActivePort');
  for (let tries = 0; !existsSync(file); tries++) {
    if (tries > 500) fail('the browser has not started');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return `http://127.0.0.1:${readFileSync(file, 'utf8').split('\n')[0]}`;
}

function profileOf(userData: string): string {
  return join(userData, 'standin-profile');
}

async function launch(
  userData: string,
  dark: boolean,
  keeper: PageKeeper,
): Promise<BrowserContext> {
  const { chromium } = await import('playwright-core'); // slow: a second instance never needs it
  const context = await chromium.launchPersistentContext(profileOf(userData), {
    executablePath: process.env.STANDIN_CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    viewport: null,
    // Its own handlers would end the browser before the app has drained.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--remote-debugging-port=0',
      ...(dark ? ['--force-dark-mode'] : []),
    ],
  });
  await context.exposeBinding('__standin', (source, word: PageWord) =>
    source.page ? keeper.onWord(source.page, source.frame, word) : undefined,
  );
  await context.route('**/*', (route) =>
    serve(route, keeper).catch(() => route.abort().catch(() => {})),
  );
  return context;
}

async function serve(route: Route, keeper: PageKeeper): Promise<void> {
  const request = route.request();
  const url = toApp(request.url());
  if (request.isNavigationRequest()) {
    const frame = request.frame();
    if (keeper.refuses(frame.page(), frame, url)) {
      record('navigation-refused', url);
      return route.abort('aborted');
    }
  }
  const answer = answers.get(url.split(':')[0] ?? '');
  if (!answer) {
    if (!/^https?:/.test(url)) return route.continue();
    record('network', url);
    return route.abort('blockedbyclient');
  }
  const body = request.postDataBuffer();
  const response = await answer(
    new Request(url, {
      method: request.method(),
      headers: request.headers(),
      ...(body ? { body: new Uint8Array(body) } : {}),
    }),
  );
  await route.fulfill({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  });
}
