import { BrowserWindow, type IpcMainInvokeEvent, ipcMain, type WebContents } from 'electron';
import type { z } from 'zod';
import { failure } from '../../base/errors.ts';
import { explain } from '../../base/explain.ts';
import { request } from '../contract.ts';
import type { Dispatch, Reply } from '../dispatch.ts';
import { type PushQueue, pushQueue } from '../push-queue.ts';
import { CALL, FOLLOW, MESSAGE } from './channels.ts';
import type { Host } from './host-port.ts';
import { isFromPanel } from './sender.ts';

/** What the desktop answers itself, beside the commands of the contract. Null: not one of its words. */
export type OwnWords = (command: string, input: unknown) => Promise<Reply> | null;

const call = request.omit({ id: true });

/**
 * Carries commands and pushes between the pages and the host. Only the panel's own main frame is
 * heard. A page that cannot be seen gets nothing: what was pushed meanwhile reaches it, folded into
 * one, when it is shown. Commands given before the host is open wait for it.
 */
export function serveIpc(host: Promise<Host>, own: OwnWords): { close(): void } {
  const following = new Map<WebContents, () => void>();

  ipcMain.handle(CALL, async (event: IpcMainInvokeEvent, message: unknown): Promise<Reply> => {
    if (!isFromPanel(event)) return failure('refused', 'only the panel may give commands');
    const asked = call.safeParse(message);
    if (!asked.success) {
      const issue = asked.error.issues[0] as z.core.$ZodIssue;
      return failure('invalid', explain(issue, 'a request').message);
    }
    const { command, input } = asked.data;
    return own(command, input) ?? (await dispatchOf(host))(command, input);
  });

  ipcMain.on(FOLLOW, (event) => {
    if (!isFromPanel(event)) return;
    const contents = event.sender;
    following.get(contents)?.(); // the page was loaded anew
    following.set(
      contents,
      follow(contents, host, () => following.delete(contents)),
    );
  });

  return {
    close() {
      ipcMain.removeHandler(CALL);
      ipcMain.removeAllListeners(FOLLOW);
      for (const end of following.values()) end();
    },
  };
}

async function dispatchOf(host: Promise<Host>): Promise<Dispatch> {
  try {
    return (await host).dispatch;
  } catch {
    return async () => failure('refused', 'Lull could not start');
  }
}

/** Sends a page what the host says while it can be seen; returns what ends that. */
function follow(contents: WebContents, host: Promise<Host>, onEnd: () => void): () => void {
  const window = BrowserWindow.fromWebContents(contents);
  const send = (message: unknown) => {
    if (!contents.isDestroyed()) contents.send(MESSAGE, message);
  };
  const pushes: PushQueue = pushQueue((push) => {
    send(push);
    return window?.isVisible() ?? false;
  });
  const shown = () => pushes.drained();
  let ended = false;
  let unsubscribe: (() => void) | null = null;

  function end(): void {
    if (ended) return;
    ended = true;
    unsubscribe?.();
    window?.off('show', shown);
    contents.off('destroyed', end);
    onEnd();
  }

  window?.on('show', shown);
  contents.on('destroyed', end);
  host.then(
    ({ hello, subscribe }) => {
      if (ended) return;
      send(hello);
      unsubscribe = subscribe(pushes.offer);
    },
    () => end(),
  );
  return end;
}
