import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { LullError } from '../../base/errors.ts';
import type { HostLock } from '../../base/store/lock.ts';
import { type Answering, serveConnection } from './connection.ts';

export interface SocketServer {
  close(): Promise<void>;
}

/**
 * Answers on the host's Unix socket, which only the owner may open (0600). The lock is the proof that
 * a socket file found there belongs to a dead host and may be replaced.
 */
export async function serveSocket(lock: HostLock, answering: Answering): Promise<SocketServer> {
  const path = lock.info.socket;
  if (path !== lock.home.socket) secureFolder(dirname(path));
  removeStale(path);
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    serveConnection(socket, answering);
  });
  server.maxConnections = 256;
  await listen(server, path);
  return {
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) {
        if (socket.writableLength > 0) socket.destroy();
        else socket.destroySoon();
      }
      return closed;
    },
  };
}

/** A folder outside the data folder must be ours alone before a socket is put into it. */
function secureFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new LullError(
      'refused',
      `the folder for the socket belongs to someone else: ${folder}`,
      'choose a data folder with a shorter path by --home',
    );
  }
  chmodSync(folder, 0o700);
}

function removeStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) {
    throw new LullError(
      'refused',
      `something that is no socket is in the way: ${path}`,
      'move it away',
    );
  }
  rmSync(path);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The file is made inside `listen`: the mask leaves no moment in which another user may open it.
    const mask = process.umask(0o177);
    try {
      server.listen(path, resolve);
    } finally {
      process.umask(mask);
    }
  });
}
