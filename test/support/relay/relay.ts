import type { AddressInfo } from 'node:net';
import { NostrRelay } from '@nostr-relay/core';
import { EventRepositorySqlite } from '@nostr-relay/event-repository-sqlite';
import { Validator } from '@nostr-relay/validator';
import type { NostrEvent } from 'nostr-tools/core';
import { WebSocketServer } from 'ws';

/** A real relay on loopback: it stores, serves by kind and tag, checks signatures, heeds deletions. */
export interface TestRelay {
  readonly url: string;
  stored(): NostrEvent[];
  /** Loses everything, as relays may. */
  forget(): void;
  close(): Promise<void>;
}

export async function startRelay(port = 0): Promise<TestRelay> {
  const repository = new EventRepositorySqlite(':memory:');
  await repository.init();
  // Its caches would answer a second look with what was there at the first.
  const relay = new NostrRelay(repository, {
    logger: { setLogLevel() {}, debug() {}, info() {}, warn() {}, error() {} },
    filterResultCacheTtl: 0,
    eventHandlingResultCacheTtl: 0,
  });
  const validator = new Validator();
  const server = new WebSocketServer({ port, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    relay.handleConnection(socket);
    socket.on('message', async (data) => {
      try {
        await relay.handleMessage(socket, await validator.validateIncomingMessage(data));
      } catch (error) {
        socket.send(JSON.stringify(['NOTICE', String(error)]));
      }
    });
    socket.on('close', () => relay.handleDisconnect(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.on('listening', resolve));
  const database = repository.getDatabase();
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stored: () =>
      (database.prepare('SELECT * FROM events').all() as { tags: string }[]).map(
        (row) => ({ ...row, tags: JSON.parse(row.tags) }) as unknown as NostrEvent,
      ),
    forget() {
      database.exec('DELETE FROM events; DELETE FROM generic_tags;');
    },
    async close() {
      for (const socket of server.clients) socket.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await relay.destroy();
    },
  };
}
