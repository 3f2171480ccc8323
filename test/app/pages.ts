import {
  type Browser,
  type BrowserContext,
  chromium,
  type Frame,
  type Page,
  type Route,
} from 'playwright-core';
import { CHROMIUM, QUIET } from '../support/chromium.ts';
import type { PageNews, PageOrders, PageWord, RequestAnswer } from './standin/page-words.ts';

let running: Promise<Browser> | null = null;

/** One Chromium for all apps of this process, which ends with it: starting one takes as long as a test. */
async function theBrowser(): Promise<Browser> {
  if (!(await running)?.isConnected()) {
    running = chromium.launch({
      executablePath: CHROMIUM as string,
      args: QUIET,
    });
  }
  return running as Promise<Browser>;
}

/** The pages of one app's windows, in a profile of their own. */
export interface AppPages {
  perform(name: string, input: never): Promise<void>;
  /** The page of a window. */
  page(window: number): Page;
  /** Closes them all; safe to call twice. */
  end(): Promise<void>;
}

export function appPages(tell: (news: PageNews) => Promise<unknown>): AppPages {
  const pages = new Map<number, Page>();
  const numbers = new WeakMap<Frame, number>();
  let last = 0;
  let profile: Promise<BrowserContext> | undefined;

  const news = (one: PageNews) => void tell(one).catch(() => {});
  const windowOf = (page: Page) => [...pages].find(([, one]) => one === page)?.[0] ?? 0;
  function numberOf(frame: Frame): number {
    if (!frame.parentFrame()) return 0;
    if (!numbers.has(frame)) numbers.set(frame, ++last);
    return numbers.get(frame) as number;
  }
  function page(window: number): Page {
    const one = pages.get(window);
    if (!one) throw new Error(`window ${window} has no page`);
    return one;
  }

  async function open(): Promise<BrowserContext> {
    const context = await (await theBrowser()).newContext({ viewport: null });
    await context.exposeBinding('__standin', (source, word: PageWord) => {
      const { page: from, frame } = source;
      const where = { frame: numberOf(frame), url: frame.url() };
      return tell({ window: windowOf(from), kind: 'word', word, ...where });
    });
    await context.route('**/*', (route) => serve(route).catch(() => route.abort().catch(() => {})));
    return context;
  }

  async function serve(route: Route): Promise<void> {
    const request = route.request();
    const frame = request.isNavigationRequest() ? request.frame() : null;
    const answer = (await tell({
      window: frame ? windowOf(frame.page()) : 0,
      kind: 'request',
      navigates: frame && numberOf(frame),
      request: {
        url: request.url(),
        method: request.method(),
        headers: request.headers(),
        body: request.postDataBuffer(),
      },
    })) as RequestAnswer;
    if (!answer) return route.continue();
    if ('abort' in answer) return route.abort(answer.abort);
    return route.fulfill({ ...answer, body: Buffer.from(answer.body) });
  }

  const orders = {
    async open({ window, script }) {
      profile ??= open();
      const made = await (await profile).newPage();
      pages.set(window, made);
      await made.addInitScript({ content: script });
      made.on('framenavigated', (frame) =>
        news({ window, kind: 'at', frame: numberOf(frame), url: frame.url() }),
      );
      for (const kind of ['domcontentloaded', 'load', 'crash'] as const) {
        made.on(kind as 'load', () => news({ window, kind }));
      }
      made.on('pageerror', (error) => news({ window, kind: 'error', text: String(error) }));
      made.on('console', (message) => {
        if (message.type() === 'error') news({ window, kind: 'console', text: message.text() });
      });
      made.on('download', (file) => {
        const download = ++last;
        news({ window, kind: 'download', download, name: file.suggestedFilename() });
        void file.failure().then(() => news({ window, kind: 'downloaded', download }));
      });
    },
    async goto({ window, url }) {
      await page(window).goto(url);
    },
    async look({ window, width, height, colorScheme }) {
      await page(window).setViewportSize({ width, height });
      await page(window).emulateMedia({ colorScheme });
    },
    async tell({ window, what, args }) {
      await page(window).evaluate(
        ([name, given]) => {
          const side = (globalThis as unknown as Record<symbol, never>)[Symbol.for('standin')];
          (side as Record<string, (...args: unknown[]) => void> | undefined)?.[name]?.(...given);
        },
        [what, args] as const,
      );
    },
    async close({ window }) {
      await page(window).close();
      pages.delete(window);
    },
  } satisfies { [N in keyof PageOrders]: (input: PageOrders[N]) => Promise<void> };

  return {
    perform: (name, input) => orders[name as keyof PageOrders](input),
    page,
    end: async () => void (await (await profile)?.close().catch(() => {})),
  };
}
