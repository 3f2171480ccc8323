/**
 * What the app and the browser of its windows say to each other. The browser belongs to the test: one
 * serves many apps, each in a profile of its own.
 */

/** What the app has done with the page of a window, known by the window's id. */
export interface PageOrders {
  /** Makes the page; `script` runs in it before its own. */
  open: { window: number; script: string };
  goto: { window: number; url: string };
  look: { window: number; width: number; height: number; colorScheme: 'dark' | 'light' };
  /** Calls a function of the page's side. */
  tell: { window: number; what: 'hear' | 'setVisibility'; args: unknown[] };
  close: { window: number };
}

/** A page says something through its preload script. */
export interface PageWord {
  kind: 'invoke' | 'send' | 'open';
  channel: string;
  args: unknown[];
}

/** A frame by its number in its page; the main frame is 0. */
export interface FrameNow {
  frame: number;
  url: string;
}

export interface PageRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** What the browser tells; `word` and `request` want an answer. */
export type PageNews = { window: number } & (
  | ({ kind: 'word'; word: PageWord } & FrameNow)
  | { kind: 'request'; request: PageRequest; navigates: number | null }
  | ({ kind: 'at' } & FrameNow)
  | { kind: 'domcontentloaded' | 'load' | 'crash' }
  | { kind: 'error' | 'console'; text: string }
  | { kind: 'download'; download: number; name: string }
  | { kind: 'downloaded'; download: number }
);

export interface PageResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The answer to a request: what to show, the error to fail with, or null to let it go its way. */
export type RequestAnswer = PageResponse | { abort: 'aborted' | 'blockedbyclient' } | null;
