import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { type Home, resolveHome } from '../../main/base/home.ts';
import { type HostLock, takeLock } from '../../main/base/store/lock.ts';
import type { Push } from '../../main/surfaces/contract.ts';
import type { Dispatch, Subscribe } from '../../main/surfaces/dispatch.ts';
import type { Answering } from '../../main/surfaces/socket/connection.ts';
import { serveSocket } from '../../main/surfaces/socket/server.ts';
import { temporaryFolder } from '../support/store.ts';

/** Gives back what it was asked, and fails on request. */
export const echo: Dispatch = async (command, input) =>
  command === 'refuse'
    ? { ok: false, code: 'refused', message: 'not now', hint: 'later' }
    : { ok: true, value: { command, input } };

/** Pushes by hand to whoever listens. */
export function publisher(): { subscribe: Subscribe; push(push: Push): void; listeners(): number } {
  const listeners = new Set<(push: Push) => void>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    push: (push) => {
      for (const listener of listeners) listener(push);
    },
    listeners: () => listeners.size,
  };
}

export function answering(more: Partial<Answering> = {}): Answering {
  return {
    hello: { event: 'hello', pid: process.pid, version: '1.0.0' },
    dispatch: echo,
    subscribe: () => () => {},
    panel: () => null,
    ...more,
  };
}

export function temporaryHome(): Home {
  return resolveHome(join(temporaryFolder(), 'data'));
}

export function temporaryLock(home = temporaryHome()): HostLock {
  const lock = takeLock(home, { version: '1.0.0', now: 1_780_000_000_000, waitMs: 0 });
  onTestFinished(() => lock.release());
  return lock;
}

/** A host's socket with everything behind it replaced; its path. */
export async function temporarySocket(more: Partial<Answering> = {}): Promise<string> {
  const lock = temporaryLock();
  const server = await serveSocket(lock, answering(more));
  onTestFinished(() => server.close());
  return lock.info.socket;
}

export interface RawClient {
  socket: Socket;
  send(text: string | Uint8Array): void;
  /** The next frame, parsed; undefined when the host has closed. */
  next(): Promise<Record<string, unknown> | undefined>;
}

/** Speaks to a socket without any manners. */
export function rawClient(path: string): RawClient {
  const socket = createConnection({ path, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    socket,
    send: (text) => void socket.write(text),
    next: async () => {
      const { value, done } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
  };
}
