import { contextBridge, ipcRenderer } from 'electron';
import type { Hello, Push } from '../contract.ts';
import { CALL, FOLLOW, MESSAGE } from './channels.ts';

/**
 * All that the page gets of Electron: give a command, and hear what the host says. It runs sandboxed
 * beside the page, bundled to one CommonJS file; what is handed over is copied.
 */
const bridge = {
  call: (command: string, input: unknown): Promise<unknown> =>
    ipcRenderer.invoke(CALL, { command, input }),

  /** Calls `listener` with a hello at once, then with each push, until the returned function is called. */
  follow(listener: (message: Hello | Push) => void): () => void {
    const hear = (_event: unknown, message: Hello | Push) => listener(message);
    ipcRenderer.on(MESSAGE, hear);
    ipcRenderer.send(FOLLOW);
    return () => void ipcRenderer.off(MESSAGE, hear);
  },
};

contextBridge.exposeInMainWorld('lull', bridge);
