/**
 * What runs in every page before the page's own scripts: a renderer's half of Electron. Its text is
 * sent to the browser, so it may use nothing from outside itself. It shares the page's world, which
 * real Electron keeps apart: that isolation is not shown here.
 */
export function pageSide(
  platform: string,
  preload: (
    require: (name: string) => unknown,
    module: { exports: object },
    exports: object,
    process: object,
  ) => void,
): void {
  if (window !== window.top) return;
  type Listener = (event: object, ...args: unknown[]) => void;
  const world = globalThis as unknown as Record<string | symbol, unknown>;
  const post = world.__standin as (word: object) => Promise<unknown>;
  delete world.__standin;
  const heard = new Map<string, Listener[]>();

  const say = (kind: string, channel: string, args: unknown[]) =>
    post({ kind, channel, args: structuredClone(args) });

  // A page in a headless browser is always visible; the window says whether it would be.
  let visibility = 'visible';
  Object.defineProperty(document, 'visibilityState', { get: () => visibility });
  Object.defineProperty(document, 'hidden', { get: () => visibility === 'hidden' });
  Object.defineProperty(world, Symbol.for('standin'), {
    value: {
      hear: (channel: string, args: unknown[]) => {
        for (const listener of [...(heard.get(channel) ?? [])]) listener({}, ...args);
      },
      setVisibility: (next: string) => {
        if (next === visibility) return;
        visibility = next;
        document.dispatchEvent(new Event('visibilitychange'));
      },
    },
  });

  window.open = (url) => {
    void say('open', '', [new URL(String(url), location.href).href]);
    return null;
  };
  addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest<HTMLAnchorElement>('a[target=_blank]');
    if (!link) return;
    event.preventDefault();
    void say('open', '', [link.href]);
  });

  const ipcRenderer = {
    on(channel: string, listener: Listener) {
      heard.set(channel, [...(heard.get(channel) ?? []), listener]);
      return ipcRenderer;
    },
    off(channel: string, listener: Listener) {
      const rest = (heard.get(channel) ?? []).filter((one) => one !== listener);
      heard.set(channel, rest);
      return ipcRenderer;
    },
    send: (channel: string, ...args: unknown[]) => void say('send', channel, args),
    async invoke(channel: string, ...args: unknown[]) {
      const answer = (await say('invoke', channel, args)) as { value?: unknown; error?: string };
      if (answer.error !== undefined) {
        throw new Error(`Error invoking remote method '${channel}': ${answer.error}`);
      }
      return answer.value;
    },
  };

  /** As the context bridge hands things over: functions wrapped, everything else copied and frozen. */
  const handedOver = new WeakMap<object, unknown>();
  function handOver(value: unknown): unknown {
    if (typeof value === 'symbol') throw new Error('a symbol cannot cross the context bridge');
    if (typeof value === 'function') {
      const real = value as (...args: unknown[]) => unknown;
      if (!handedOver.has(real)) {
        handedOver.set(real, (...args: unknown[]) => handOver(real(...args.map(handOver))));
      }
      return handedOver.get(real);
    }
    if (value === null || typeof value !== 'object') return value;
    if (value instanceof Promise) return value.then(handOver);
    if (Array.isArray(value)) return value.map(handOver);
    if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value);
    const entries = Object.entries(value).map(([key, one]) => [key, handOver(one)]);
    return Object.freeze(Object.fromEntries(entries));
  }
  const contextBridge = {
    exposeInMainWorld(key: string, api: unknown) {
      if (Object.hasOwn(globalThis, key)) throw new Error(`${key} is there already`);
      Object.defineProperty(globalThis, key, { value: handOver(api), enumerable: true });
    },
  };

  const module = { exports: {} };
  preload(
    (name) => {
      if (name === 'electron') return { contextBridge, ipcRenderer };
      throw new Error(`a sandboxed preload script cannot load ${name}`);
    },
    module,
    module.exports,
    { platform, type: 'renderer', sandboxed: true, contextIsolated: true },
  );
}
