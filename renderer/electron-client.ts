import type { Hello, Push } from '../main/surfaces/contract.ts';
import { CallError, type Client } from './client.ts';

/** What the preload script hands to the page, and all there is of Electron here. */
export interface Bridge {
  call(command: string, input: unknown): Promise<unknown>;
  follow(listener: (message: Hello | Push) => void): () => void;
}

/** Whether Lull opens at login, and what the owner still has to do for it. */
export interface LoginState {
  open: boolean;
  note: string | null;
}

/** What only the desktop app can do for the panel. */
export interface Desktop {
  /** Reads it, or with `open` says what the owner wants. */
  login(open?: boolean): Promise<LoginState>;
  /** Why the icon cannot be seen and how to show it; null where it can. */
  icon(): Promise<{ hidden: string | null }>;
}

export interface DesktopClient extends Client {
  desktop: Desktop;
}

declare global {
  interface Window {
    /** There in the desktop app only. */
    lull?: Bridge;
  }
}

/** The carrier of the desktop app. The host lives in the same program, so it is never away. */
export function electronClient(bridge: Bridge): DesktopClient {
  async function ask(command: string, input: unknown): Promise<never> {
    const reply = (await bridge.call(command, input)) as
      | { ok: true; value: never }
      | { ok: false; code: string; message: string; hint?: string };
    if (!reply.ok) throw new CallError(reply.code, reply.message, reply.hint);
    return reply.value;
  }

  return {
    call: (command, input) => ask(command, input),
    follow(onPush, onConnection) {
      return bridge.follow((message) => {
        if (message.event === 'hello') onConnection('here');
        else onPush(message);
      });
    },
    desktop: {
      login: (open) => ask('desktop.login', open === undefined ? {} : { open }),
      icon: () => ask('desktop.icon', {}),
    },
  };
}

/**
 * The manners of a panel under an icon: Escape puts it away, unless something inside is open that it
 * closes first; and while a file chooser is in front, it stays though it lost the focus.
 */
export function popoverManners(bridge: Bridge, page: Document): void {
  const view = page.defaultView as Window;
  let inside = false;
  // Looked at before anyone closes something by this very key.
  view.addEventListener(
    'keydown',
    () => {
      inside = page.querySelector('dialog[open], [aria-expanded="true"], :popover-open') !== null;
    },
    { capture: true },
  );
  view.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || inside) return;
    void bridge.call('desktop.hide', {});
  });
  const hold = (on: boolean) => void bridge.call('desktop.hold', { on });
  page.addEventListener('click', (event) => {
    if ((event.target as Element | null)?.matches('input[type=file]')) hold(true);
  });
  for (const done of ['change', 'cancel']) {
    page.addEventListener(
      done,
      (event) => {
        if ((event.target as Element | null)?.matches('input[type=file]')) hold(false);
      },
      { capture: true },
    );
  }
}
