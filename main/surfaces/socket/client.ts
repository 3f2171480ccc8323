import { createConnection, type Socket } from 'node:net';
import { type Clock, sleep } from '../../base/clock.ts';
import { failure, LullError } from '../../base/errors.ts';
import { frame, frameReader } from '../../base/frames.ts';
import type { Dispatch, Reply } from '../dispatch.ts';
import { LARGEST_FRAME } from './frames.ts';

/** A running host, as a command line reaches it. */
export interface SocketClient {
  readonly dispatch: Dispatch;
  close(): void;
}

/** A living host says hello at once: its kernel may take the connection though it hangs. */
const HELLO_MS = 3_000;
/** A command that takes longer has an answer nobody waits for. */
const ANSWER_MS = 120_000;

/**
 * Reaches the host at a socket path. Null: nobody listens there. Throws LullError host_silent when
 * the connection is taken and no word comes.
 */
export async function connectHost(path: string, clock: Clock): Promise<SocketClient | null> {
  const socket = createConnection(path);
  const waiting = new Map<number, (reply: Reply) => void>();
  const greeted = Promise.withResolvers<boolean>();
  let last = 0;
  let refusal: Reply | null = null; // of a frame whose id the host could not read

  const reader = frameReader(take, () => {}, Number.POSITIVE_INFINITY);
  socket.on('data', (chunk) => reader.push(chunk));
  socket.on('error', (error) => greeted.reject(error));
  socket.on('close', () => {
    greeted.resolve(false);
    for (const settle of waiting.values()) settle(refusal ?? GONE);
    waiting.clear();
  });

  function take(line: string): void {
    let message: { event?: string; id?: number } & Reply;
    try {
      message = JSON.parse(line);
    } catch {
      socket.destroy(); // not a Lull
      return;
    }
    if (message.event === 'hello') {
      greeted.resolve(true);
      return;
    }
    const { id = 0, ...reply } = message;
    if (id === 0) refusal = reply as Reply;
    waiting.get(id)?.(reply as Reply);
    waiting.delete(id);
  }

  if (!(await heardFrom(greeted.promise, socket, clock))) return null;

  return {
    async dispatch(command, input) {
      const id = ++last;
      const line = frame({ id, command, input: input ?? {} });
      if (Buffer.byteLength(line) > LARGEST_FRAME) {
        return failure('invalid', `this is too much for one command: ${line.length} bytes`);
      }
      if (socket.destroyed) return GONE;
      const answer = new Promise<Reply>((resolve) => waiting.set(id, resolve));
      socket.write(line);
      const over = new AbortController();
      const silence = sleep(clock, ANSWER_MS, over.signal).then(() => SILENT);
      const reply = await Promise.race([answer, silence]);
      over.abort();
      return reply;
    },
    close: () => socket.destroy(),
  };
}

const GONE: Reply = failure(
  'failed',
  'Lull stopped before it answered',
  'see whether it was done, then give the command again',
);
const SILENT: Reply = failure('host_silent', 'Lull took the command and does not answer');

async function heardFrom(hello: Promise<boolean>, socket: Socket, clock: Clock): Promise<boolean> {
  const over = new AbortController();
  const silence = sleep(clock, HELLO_MS, over.signal).then(() => 'silent' as const);
  try {
    const heard = await Promise.race([hello, silence]);
    if (heard === 'silent') throw new LullError('host_silent', 'the host does not answer');
    return heard;
  } catch (error) {
    socket.destroy();
    const code = String((error as { code?: unknown }).code);
    if (/^(ENOENT|ECONNREFUSED|ECONNRESET|EPIPE|ENOTSOCK)$/.test(code)) return false;
    if (error instanceof LullError) throw error;
    throw new LullError(
      'host_silent',
      `the host's socket cannot be used: ${(error as Error).message}`,
    );
  } finally {
    over.abort();
  }
}
