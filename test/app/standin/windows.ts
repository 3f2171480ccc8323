import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { order, type PageKeeper, toApp, toPage } from './browser.ts';
import { deliver } from './ipc.ts';
import { pageSide } from './page-side.ts';
import type { PageNews, PageWord } from './page-words.ts';
import { eventWith, fail, onlyReady, PLATFORM, prevented, record, StandinEvent } from './state.ts';
import { defaultSession, nativeTheme } from './system.ts';

/** Who hears of a new window, and of the last one's end. */
export interface WindowWorld {
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

type OpenHandler = Parameters<Electron.WebContents['setWindowOpenHandler']>[0];

export class WebContents extends EventEmitter {
  readonly window: BrowserWindow;
  openHandler: OpenHandler = () => ({ action: 'allow' });

  constructor(window: BrowserWindow) {
    super();
    this.window = window;
  }

  get mainFrame(): Electron.WebFrameMain {
    if (!this.window.live) fail('the page is not there yet');
    return this.window.frame(0);
  }

  send(channel: string, ...args: unknown[]): void {
    this.window.tell('hear', channel, structuredClone(args));
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler;
  }

  getURL(): string {
    const url = toApp(this.window.urls.get(0) ?? '');
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
  /** Whether the browser has made the page. */
  live = false;
  readonly page: Promise<void>;
  /** Where each frame of the page is, by its number. */
  readonly urls = new Map<number, string>();
  /** What was set and cannot be seen in a page. */
  readonly set: Record<string, unknown> = {};
  /** The address that was asked for from here; going there is not a navigation of the page's. */
  loading = '';
  readonly #frames = new Map<number, { readonly url: string }>();
  readonly #downloads = new Map<number, EventEmitter>();
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

  async #open(preload: string | undefined): Promise<void> {
    const script = preload ? readFileSync(preload, 'utf8') : '';
    const wrapped = `function (require, module, exports, process) { ${script}\n}`;
    await order('open', {
      window: this.id,
      script: `(${pageSide.toString()})(${JSON.stringify(PLATFORM)}, ${wrapped})`,
    });
    this.live = true;
    await this.sync();
  }

  /** A frame as `event.senderFrame` and `webContents.mainFrame` show it; one object a frame. */
  frame(number: number): Electron.WebFrameMain {
    const { urls } = this;
    let known = this.#frames.get(number);
    if (!known) {
      known = {
        get url() {
          return toApp(urls.get(number) ?? '');
        },
      };
      this.#frames.set(number, known);
    }
    return known as Electron.WebFrameMain;
  }

  /** What the browser tells of the page. */
  hear(news: PageNews): unknown {
    switch (news.kind) {
      case 'word':
        this.urls.set(news.frame, news.url);
        return this.#hearWord(news.word, news.frame);
      case 'at':
        this.urls.set(news.frame, news.url);
        return;
      case 'domcontentloaded':
        void this.sync();
        return;
      case 'load':
        if (this.webContents.getURL() !== '') {
          this.webContents.emit('did-finish-load', new StandinEvent());
        }
        return;
      case 'crash': {
        const details = { reason: 'crashed', exitCode: 5 };
        this.webContents.emit('render-process-gone', new StandinEvent(), details);
        return;
      }
      case 'error':
      case 'console':
        record(`page-${news.kind}`, news.text);
        return;
      case 'download': {
        const item = Object.assign(new EventEmitter(), { name: news.name });
        this.#downloads.set(news.download, item);
        defaultSession.emit('will-download', new StandinEvent(), item, this.webContents);
        return;
      }
      case 'downloaded':
        this.#downloads.get(news.download)?.emit('done', new StandinEvent(), 'completed');
    }
  }

  #hearWord(word: PageWord, frame: number): unknown {
    if (word.kind === 'open') {
      const url = toApp(String(word.args[0]));
      const details = { url, frameName: '', features: '', disposition: 'foreground-tab' } as const;
      const { action } = this.webContents.openHandler(details as Electron.HandlerDetails);
      record('window-open', { url, action });
      return {};
    }
    const sender = this.webContents as unknown as Electron.WebContents;
    return deliver(word, { sender, senderFrame: this.frame(frame) });
  }

  /** Brings the page up to what the window is: its size, its colours, and whether it is seen. */
  async sync(): Promise<void> {
    if (!this.live || this.#gone) return;
    const { width, height } = this.#bounds;
    const colorScheme = nativeTheme.shouldUseDarkColors ? 'dark' : 'light';
    await order('look', { window: this.id, width, height, colorScheme }).catch(() => {});
    // As in Electron, a window made with show: false counts as visible until it is first hidden.
    this.tell('setVisibility', this.set.hidden === true ? 'hidden' : 'visible');
  }

  /** Calls a function of the page's side; a page that is gone hears nothing. */
  tell(what: 'hear' | 'setVisibility', ...args: unknown[]): void {
    void this.page.then(() => order('tell', { window: this.id, what, args })).catch(() => {});
  }

  async loadURL(url: string): Promise<void> {
    this.loading = url;
    await this.page;
    await order('goto', { window: this.id, url: toPage(url) });
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
    void this.page.then(() => order('close', { window: this.id })).catch(() => {});
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

const windowOf = (id: number) => [...windows].find((one) => one.id === id);

/** How the windows answer the browser. */
export const pageKeeper: PageKeeper = {
  hear(news) {
    const window = windowOf(news.window);
    return window ? window.hear(news) : { error: 'Error: this window is gone' };
  },
  /** Asks the app whether a frame may go to another address; what was asked from here is not asked. */
  refuses(id, frame, url) {
    const window = windowOf(id);
    if (!window) return false;
    const main = frame === 0;
    if (main && window.loading.split('#')[0] === url.split('#')[0]) return false;
    const event = eventWith({ url, isMainFrame: main });
    window.webContents.emit('will-frame-navigate', event);
    return (main && prevented(window.webContents, 'will-navigate', url)) || event.defaultPrevented;
  },
};
