import type { PageNews, PageOrders, RequestAnswer } from './page-words.ts';
import { fail, onlyBefore, onlyReady, record } from './state.ts';
import type { Ask } from './wire.ts';

/**
 * The browser behind all windows, which the test holds. It refuses schemes it does not know before anyone could answer
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
  /** A page that may be told of; for the kinds that want one, the answer. */
  hear(news: PageNews): unknown;
  /** A frame wants to go elsewhere; true refuses it. */
  refuses(window: number, frame: number, url: string): boolean;
}

const browser = Promise.withResolvers<Ask>();

/** Gives the windows the browser at the other end, which is there from the first question on. */
export const setBrowser = browser.resolve;

/** Has the browser do something with a page; rejects as it does. */
export async function order<N extends keyof PageOrders>(
  name: N,
  input: PageOrders[N],
): Promise<void> {
  await (await browser.promise)(name, input);
}

/** Answers the browser. */
export function hearBrowser(news: PageNews, keeper: PageKeeper): unknown {
  return news.kind === 'request' ? serve(news, keeper) : keeper.hear(news);
}

async function serve(
  { window, navigates, request }: PageNews & { kind: 'request' },
  keeper: PageKeeper,
): Promise<RequestAnswer> {
  const url = toApp(request.url);
  if (navigates !== null && keeper.refuses(window, navigates, url)) {
    record('navigation-refused', url);
    return { abort: 'aborted' };
  }
  const answer = answers.get(url.split(':')[0] ?? '');
  if (!answer) {
    if (!/^https?:/.test(url)) return null;
    record('network', url);
    return { abort: 'blockedbyclient' };
  }
  const { method, headers, body } = request;
  const response = await answer(
    new Request(url, { method, headers, ...(body && { body: new Uint8Array(body) }) }),
  );
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  };
}
