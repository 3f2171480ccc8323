import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** A message of the protocol, for example ["OK", id, true, ""]. */
export type Message = [string, ...unknown[]];

/** What goes wrong between a client and its relay. All of it can be changed while it runs. */
export interface Faults {
  /** Whoever connects is turned away. */
  parted?: boolean;
  /** Nothing of this comes through, either way. */
  drop?: (message: Message) => boolean;
  delayMs?: number;
  /** Everything arrives twice. */
  duplicate?: boolean;
  /** Answers arrive in another order: what the relay says is held, and given from behind. */
  reorder?: boolean;
  /** Publications are acknowledged and thrown away. */
  lie?: boolean;
  /** Changes what a relay sends, or adds to it. */
  alter?: (message: Message) => Message[];
}

export interface FaultProxy {
  readonly url: string;
  faults: Faults;
  /** What clients sent, in their order. */
  readonly heard: Message[];
  close(): Promise<void>;
}

/** A relay's address through which everything can go wrong that does on the open network. */
export async function faultProxy(target: string, faults: Faults = {}): Promise<FaultProxy> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const proxy: FaultProxy = {
    url: '',
    faults,
    heard: [],
    async close() {
      for (const socket of server.clients) socket.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  server.on('connection', (client) => {
    client.on('error', () => {});
    if (proxy.faults.parted) return client.terminate();
    const relay = new WebSocket(target);
    const waiting: string[] = [];
    const held: Message[] = [];
    relay.on('error', () => client.terminate());
    relay.on('close', () => client.close());
    client.on('close', () => relay.close());
    relay.on('open', () => {
      for (const text of waiting.splice(0)) relay.send(text);
    });
    const toRelay = (message: Message) => {
      const text = JSON.stringify(message);
      if (relay.readyState === WebSocket.OPEN) relay.send(text);
      else waiting.push(text);
    };
    const toClient = (message: Message) => {
      if (client.readyState === WebSocket.OPEN) client.send(JSON.stringify(message));
    };
    client.on('message', (data) => {
      const message = JSON.parse(String(data)) as Message;
      proxy.heard.push(message);
      if (proxy.faults.parted) return client.terminate();
      if (proxy.faults.lie && message[0] === 'EVENT') {
        toClient(['OK', (message[1] as { id: string }).id, true, '']);
        return;
      }
      pass(message, toRelay);
    });
    relay.on('message', (data) => {
      const message = JSON.parse(String(data)) as Message;
      for (const altered of proxy.faults.alter?.(message) ?? [message]) {
        if (proxy.faults.reorder && altered[0] === 'EVENT') held.unshift(altered);
        else {
          for (const one of held.splice(0)) pass(one, toClient);
          pass(altered, toClient);
        }
      }
    });
    function pass(message: Message, send: (message: Message) => void): void {
      const { drop, delayMs = 0, duplicate } = proxy.faults;
      if (drop?.(message)) return;
      const go = () => {
        send(message);
        if (duplicate) send(message);
      };
      if (delayMs) setTimeout(go, delayMs);
      else go();
    }
  });
  await new Promise<void>((resolve) => server.on('listening', resolve));
  Object.assign(proxy, { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return proxy;
}
