import { EventEmitter } from 'node:events';
import type { PageWord } from './page-words.ts';
import { fail } from './state.ts';

type Handle = Parameters<Electron.IpcMain['handle']>[1];
const handlers = new Map<string, Handle>();

export const ipcMain = Object.assign(new EventEmitter(), {
  handle(channel: string, handler: Handle) {
    if (handlers.has(channel)) fail(`a second handler for ${channel}`);
    handlers.set(channel, handler);
  },
  removeHandler: (channel: string) => void handlers.delete(channel),
} satisfies Partial<Electron.IpcMain>);

/** Brings what a page sent to the main process; answers as `ipcRenderer.invoke` is answered. */
export async function deliver(
  word: PageWord,
  event: Pick<Electron.IpcMainInvokeEvent, 'sender' | 'senderFrame'>,
): Promise<{ value?: unknown; error?: string }> {
  if (word.kind === 'send') {
    ipcMain.emit(word.channel, event, ...word.args);
    return {};
  }
  const handler = handlers.get(word.channel);
  if (!handler) return { error: `Error: No handler registered for '${word.channel}'` };
  try {
    const value = await handler(event as Electron.IpcMainInvokeEvent, ...word.args);
    return { value: structuredClone(value) };
  } catch (error) {
    return { error: String(error) };
  }
}
