import type { Socket } from 'node:net';
import type { z } from 'zod';
import { failure } from '../../base/errors.ts';
import { explain } from '../../base/explain.ts';
import { frame, frameReader } from '../../base/frames.ts';
import { type Hello, request } from '../contract.ts';
import type { Dispatch, Reply, Subscribe } from '../dispatch.ts';
import { pushQueue } from '../push-queue.ts';
import { LARGEST_FRAME, PANEL_LINK, SUBSCRIBE } from './frames.ts';

/** What answers on the socket. */
export interface Answering {
  hello: Hello;
  dispatch: Dispatch;
  subscribe: Subscribe;
  /** Makes a link that opens the panel once; null: it has none, and has been opened. */
  panel: () => string | null;
}

/** Requests of one client that may be under way; further ones are read when some are answered. */
const MOST_IN_FLIGHT = 64;
/** Bytes that may wait for a client to read before nothing more is read from it. */
const MOST_UNREAD = 4 * 1024 * 1024;

/** Speaks with one client: answers in any order, one reply a request, whatever it sends. */
export function serveConnection(socket: Socket, answering: Answering): void {
  let inFlight = 0;
  let ended = false;
  let unsubscribe: (() => void) | null = null;
  const pushes = pushQueue(
    (push) => socket.write(frame(push)) || socket.writableLength < MOST_UNREAD,
  );

  socket.on('error', () => {}); // a client that goes away; `close` follows
  socket.on('close', () => unsubscribe?.());
  socket.on('drain', () => {
    pushes.drained();
    flow();
  });
  socket.on('end', () => {
    ended = true;
    endWhenAnswered();
  });
  const reader = frameReader(
    (line) => void take(line).catch(() => socket.destroy()), // a reply that JSON cannot hold
    () => {
      const most = `${LARGEST_FRAME / 1024 / 1024} MB`;
      answer(0, failure('invalid', `a request may be ${most} at most`));
      socket.end(); // what still comes is read and dropped, so that the answer can be read there
    },
    LARGEST_FRAME,
  );
  socket.on('data', (chunk) => reader.push(chunk));
  socket.write(frame(answering.hello));

  async function take(line: string): Promise<void> {
    const asked = parse(line);
    if ('refusal' in asked) return answer(asked.id, asked.refusal);
    inFlight++;
    flow();
    const reply = await carry(asked.command, asked.input);
    inFlight--;
    answer(asked.id, reply);
    flow();
    endWhenAnswered();
  }

  async function carry(command: string, input: unknown): Promise<Reply> {
    if (command === SUBSCRIBE) {
      unsubscribe ??= answering.subscribe(pushes.offer);
      return { ok: true, value: {} };
    }
    if (command === PANEL_LINK) {
      return { ok: true, value: { url: answering.panel() } };
    }
    return answering.dispatch(command, input);
  }

  function answer(id: number, reply: Reply): void {
    if (socket.writable) socket.write(frame({ id, ...reply }));
  }

  function flow(): void {
    if (inFlight >= MOST_IN_FLIGHT || socket.writableLength >= MOST_UNREAD) socket.pause();
    else socket.resume();
  }

  function endWhenAnswered(): void {
    if (ended && inFlight === 0) socket.end();
  }
}

type Asked = { id: number; command: string; input?: unknown } | { id: number; refusal: Reply };

function parse(line: string): Asked {
  let raw: unknown;
  try {
    raw = JSON.parse(line);
  } catch {
    return { id: 0, refusal: failure('invalid', 'a request must be one line of JSON') };
  }
  const parsed = request.safeParse(raw);
  if (parsed.success) return parsed.data;
  const id = (raw as { id?: unknown } | null)?.id;
  const { message } = explain(parsed.error.issues[0] as z.core.$ZodIssue, 'a request');
  return {
    id: Number.isSafeInteger(id) ? (id as number) : 0,
    refusal: failure('invalid', message),
  };
}
