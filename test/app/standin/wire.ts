import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

type Message = { id: number } & (
  | { name: string; input: unknown }
  | { value: unknown }
  | { error: string }
);

/** Asks the other end; rejects with its error, or when the connection is gone. */
export type Ask = (name: string, input?: unknown) => Promise<unknown>;

/**
 * One connection over which both ends ask. Each message is a structured clone, as between Electron's
 * processes, behind its length in four bytes.
 *
 * @param answer Answers the other end; what it throws is the other end's error.
 * @param gone What to say of questions that are still open when the connection ends.
 */
export function wire(
  socket: Socket,
  answer: (name: string, input: never) => unknown,
  gone = () => 'the other end is gone',
): Ask {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;

  function send(message: Message): void {
    const body = serialize(message);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    socket.write(Buffer.concat([length, body]));
  }

  async function reply(id: number, name: string, input: unknown): Promise<void> {
    try {
      send({ id, value: (await answer(name, input as never)) ?? null });
    } catch (error) {
      send({ id, error: String(error) });
    }
  }

  function take(message: Message): void {
    if ('name' in message) {
      void reply(message.id, message.name, message.input);
      return;
    }
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if ('error' in message) one?.reject(new Error(message.error));
    else one?.resolve(message.value);
  }

  let rest = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 4) {
      const end = 4 + rest.readUInt32BE();
      if (rest.length < end) break;
      const body = rest.subarray(4, end);
      rest = rest.subarray(end);
      take(deserialize(body));
    }
  });
  socket.on('error', () => {}); // `close` follows
  socket.on('close', () => {
    for (const one of waiting.values()) one.reject(new Error(gone()));
    waiting.clear();
  });

  return (name, input = {}) => {
    if (socket.destroyed) return Promise.reject(new Error(gone()));
    const id = ++last;
    const asked = Promise.withResolvers<unknown>();
    waiting.set(id, asked);
    send({ id, name, input });
    return asked.promise;
  };
}
