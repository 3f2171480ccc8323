import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { type PageWord, toApp, toPage } from './browser.ts';
import { deliver } from './ipc.ts';
import { pageSide } from './page-side.ts';
import { eventWith, fail, onlyReady, PLATFORM, prevented, record, StandinEvent } from './state.ts';
import { defaultSession, nativeTheme } from './system.ts';

/** What the windows need of the rest: the browser, and who hears of a new window. */
export interface WindowWorld {
  browser(): Promise<BrowserContext>;
  onCreated(contents: WebContents): void;
  onAllClosed(): void;
}

let world: WindowWorld;
export function setWindowWorld(next: WindowWorld): void {
  world = next;
}

export const windows = new Set<BrowserWindow>();
let focused: BrowserWindow | null = null;
let lastId = 0;

/** A frame as `event.senderFrame` and `webContents.mainFrame` show it; one object a frame. */
const frames = new WeakMap<Frame, { readonly url: string }>();
function frameOf(frame: Frame): Electron.WebFrameMain {
  let known = frames.get(frame);
  if (!known) {
    known = {
      get url() {
        return toApp(frame.url());
      },
    };
    frames.set(frame, known);
  }
  return known as Electron.WebFrameMain;
}

type OpenHandler = Parameters<Electron.WebContents['setWindowOpenHandler']>[0];

export class WebContents extends EventEmitter {
  readonly window: BrowserWindow;
  openHandler: OpenHandler = () => ({ action: 'allow' });

  constructor(window: BrowserWindow) {
    super();
    this.window = window;
  }

  get mainFrame(): Electron.WebFrameMain {
    return frameOf((this.window.live ?? fail('the page is not there yet')).mainFrame());
  }

  send(channel: string, ...args: unknown[]): void {
    this.window.tell('hear', channel, structuredClone(args));
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler;
  }

  getURL(): string {
    const url = toApp(this.window.live?.url() ?? '');
    return url === 'about:blank' ? '' : url;
  }

  isDestroyed(): boolean {
    return this.window.isDestroyed();
  }
}

export class BrowserWindow extends EventEmitter {
  readonly id = ++lastId;
  readonly options: Electron.BrowserWindowConstructorOptions;
  readonly webContents: WebContents;
  /** The page, once the browser has made it. */
  live: Page | null = null;
  readonly page: Promise<Page>;
  /** What was set and cannot be seen in a page. */
  readonly set: Record<string, unknown> = {};
  /** The address that was asked for from here; going there is not a navigation of the page's. */
  loading = '';
  #bounds: Electron.Rectangle;
  #visible: boolean;
  #gone = false;

  static getAllWindows(): BrowserWindow[] {
    return [...windows];
  }

  static fromWebContents(contents: unknown): BrowserWindow | null {
    return [...windows].find((one) => one.webContents === contents) ?? null;
  }

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super();
    onlyReady('BrowserWindow');
    const { preload } = options.webPreferences ?? {};
    if (preload && !isAbsolute(preload)) fail('preload must be an absolute path');
    this.options = options;
    const { x = 0, y = 0, width = 800, height = 600 } = options;
    this.#bounds = { x, y, width, height };
    this.#visible = options.show !== false;
    this.webContents = new WebContents(this);
    windows.add(this);
    this.page = this.#open(preload);
    this.page.catch((error) => record('window-error', String(error)));
    world.onCreated(this.webContents);
  }

  async #open(preload: string | undefined): Promise<Page> {
    const page = await (await world.browser()).newPage();
    const script = preload ? readFileSync(preload, 'utf8') : '';
    const wrapped = `function (require, module, exports, process) { ${script}\n}`;
    await page.addInitScript({
      content: `(${pageSide.toString()})(${JSON.stringify(PLATFORM)}, ${wrapped})`,
    });
    page.on('pageerror', (error) => record('page-error', String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') record('page-console', message.text());
    });
    page.on('download', (download) => {
      const item = Object.assign(new EventEmitter(), { name: download.suggestedFilename() });
      defaultSession.emit('will-download', new StandinEvent(), item, this.webContents);
      void download.failure().then(() => item.emit('done', new StandinEvent(), 'completed'));
    });
    page.on('domcontentloaded', () => void this.sync());
    page.on('load', () => {
      if (page.url() === 'about:blank') return;
      this.webContents.emit('did-finish-load', new StandinEvent());
    });
    page.on('crash', () =>
      this.webContents.emit('render-process-gone', new StandinEvent(), {
        reason: 'crashed',
        exitCode: 5,
      }),
    );
    this.live = page;
    await this.sync();
    return page;
  }

  /** Brings the page up to what the window is: its size, its colours, and whether it is seen. */
  async sync(): Promise<void> {
    const page = this.live;
    if (!page || this.#gone) return;
    const { width, height } = this.#bounds;
    await page.setViewportSize({ width, height }).catch(() => {});
    const colorScheme = nativeTheme.shouldUseDarkColors ? 'dark' : 'light';
    await page.emulateMedia({ colorScheme }).catch(() => {});
    // As in Electron, a window made with show: false counts as visible until it is first hidden.
    this.tell('setVisibility', this.set.hidden === true ? 'hidden' : 'visible');
  }

  /** Calls a function of the page's side; a page that is gone hears nothing. */
  tell(what: 'hear' | 'setVisibility', ...args: unknown[]): void {
    void this.page
      .then((page) =>
        page.evaluate(
          ([name, given]) => {
            const side = (globalThis as unknown as Record<symbol, never>)[Symbol.for('standin')];
            (side as Record<string, (...args: unknown[]) => void> | undefined)?.[name]?.(...given);
          },
          [what, args] as const,
        ),
      )
      .catch(() => {});
  }

  async loadURL(url: string): Promise<void> {
    this.loading = url;
    await (await this.page).goto(toPage(url));
  }

  show(): void {
    if (!this.#visible) {
      this.#visible = true;
      this.set.hidden = false;
      void this.sync();
      this.emit('show', new StandinEvent());
    }
    this.focus();
  }

  hide(): void {
    if (!this.#visible) return;
    this.#visible = false;
    this.set.hidden = true;
    void this.sync();
    if (focused === this) this.blur();
    this.emit('hide', new StandinEvent());
  }

  focus(): void {
    if (focused === this) return;
    focused?.blur();
    focused = this;
    this.emit('focus', new StandinEvent());
  }

  blur(): void {
    if (focused !== this) return;
    focused = null;
    this.emit('blur', new StandinEvent());
  }

  close(): void {
    if (!this.#gone && !prevented(this, 'close')) this.destroy();
  }

  destroy(): void {
    if (this.#gone) return;
    this.#gone = true;
    if (focused === this) focused = null;
    windows.delete(this);
    void this.page.then((page) => page.close()).catch(() => {});
    this.webContents.emit('destroyed', new StandinEvent());
    this.emit('closed', new StandinEvent());
    if (windows.size === 0) world.onAllClosed();
  }

  isDestroyed(): boolean {
    return this.#gone;
  }

  isVisible(): boolean {
    return this.#visible;
  }

  isFocused(): boolean {
    return focused === this;
  }

  getBounds(): Electron.Rectangle {
    return { ...this.#bounds };
  }

  setBounds(bounds: Partial<Electron.Rectangle>): void {
    this.#bounds = { ...this.#bounds, ...bounds };
    void this.sync();
  }

  setAlwaysOnTop(flag: boolean, level?: string): void {
    this.set.alwaysOnTop = [flag, level];
  }

  setVisibleOnAllWorkspaces(
    visible: boolean,
    options?: Electron.VisibleOnAllWorkspacesOptions,
  ): void {
    this.set.allWorkspaces = [visible, options];
  }
}

function windowOf(page: Page): BrowserWindow | undefined {
  return [...windows].find((one) => one.live === page);
}

/** A page says something through its preload script, or opens a window. */
export async function hearPage(page: Page, frame: Frame, word: PageWord): Promise<unknown> {
  const window = windowOf(page);
  if (!window) return { error: 'Error: this window is gone' };
  if (word.kind === 'open') {
    const url = toApp(String(word.args[0]));
    const details = { url, frameName: '', features: '', disposition: 'foreground-tab' } as const;
    record('window-open', {
      url,
      action: window.webContents.openHandler(details as Electron.HandlerDetails).action,
    });
    return {};
  }
  const sender = window.webContents as unknown as Electron.WebContents;
  return deliver(word, { sender, senderFrame: frameOf(frame) });
}

/** Asks the app whether a frame may go to another address; what was asked from here is not asked. */
export function refusesNavigation(page: Page, frame: Frame, url: string): boolean {
  const window = windowOf(page);
  if (!window) return false;
  const main = frame === page.mainFrame();
  if (main && window.loading.split('#')[0] === url.split('#')[0]) return false;
  const event = eventWith({ url, isMainFrame: main });
  window.webContents.emit('will-frame-navigate', event);
  return (main && prevented(window.webContents, 'will-navigate', url)) || event.defaultPrevented;
}
