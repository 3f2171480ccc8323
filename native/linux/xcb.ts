import { koffi, openLibrary } from '../library.ts';
import { whenAnswering } from './x-greeting.ts';

/** A reply of an X server is at least 32 bytes, and none of ours is longer. */
const REPLY_BYTES = 32;
/** How long an X server may take to answer, per wait, before it counts as not answering. */
const PATIENCE_MS = 50;
/** Something else than the awaited reply may end a wait; more such waits than this are not made. */
const MOST_WAITS = 10;
const CHECKED = 1;
const POLLIN = 1;

/** One connection to an X server. Every call may throw; none ends the process or waits for long. */
export interface XConnection {
  readonly root: number;
  /** Puts a request in the line; `send` several, then take their replies in the same order. */
  send(request: Uint8Array): number;
  /** The reply to a request; throws where the server sends an error, is gone, or does not answer. */
  reply(sequence: number): Buffer;
  /** False once the server is gone; the connection is then good for closing only. */
  alive(): boolean;
  close(): void;
}

/**
 * Connects to the X server at `display`. Uses libxcb, not libX11: libX11 ends the process when the
 * server goes away, and its error handlers are global, so they would be taken from Chromium's.
 */
export function connectX(display: string): XConnection {
  const xcb = library();
  const connection = whenAnswering(display, () => xcb.connect(display, null));
  if (connection === null || xcb.hasError(connection) !== 0) {
    if (connection !== null) xcb.disconnect(connection);
    throw new Error(`the X server at display ${display} does not let Lull in`);
  }
  const fd = xcb.fileDescriptor(connection);
  const root = xcb.rootOf(connection);

  const alive = (): boolean => xcb.hasError(connection) === 0;

  function requireAlive(): void {
    if (!alive()) throw new Error(`the X server at display ${display} is gone`);
  }

  return {
    root,
    send(request) {
      const sequence = xcb.send(connection, request);
      requireAlive();
      return sequence;
    },
    reply(sequence) {
      xcb.flush(connection);
      for (let waits = 0; waits < MOST_WAITS; waits++) {
        const answer = xcb.poll(connection, sequence);
        requireAlive();
        if (answer === 'refused')
          throw new Error(`the X server at display ${display} refused the request`);
        if (answer !== null) {
          xcb.dropEvents(connection);
          return answer;
        }
        if (!xcb.readable(fd, PATIENCE_MS)) break;
      }
      xcb.discard(connection, sequence);
      throw new Error(`the X server at display ${display} does not answer`);
    },
    alive,
    close: () => xcb.disconnect(connection),
  };
}

type Pointer = bigint | null;

let opened: ReturnType<typeof openXcb> | null = null;

function library(): ReturnType<typeof openXcb> {
  opened ??= openXcb();
  return opened;
}

function openXcb() {
  const ffi = koffi();
  const xcb = openLibrary('libxcb.so.1');
  const libc = openLibrary('libc.so.6');
  const screens = ffi.struct({ screen: 'void *', rem: 'int', index: 'int' });
  const getSetup = xcb.func('xcb_get_setup', 'void *', ['void *']);
  const screensOf = xcb.func('xcb_setup_roots_iterator', screens, ['void *']);
  const sendRequest = xcb.func('xcb_send_request', 'unsigned int', [
    'void *',
    'int',
    'void *',
    'void *',
  ]);
  const out = ffi.out('void **');
  const pollForReply = xcb.func('xcb_poll_for_reply', 'int', ['void *', 'unsigned int', out, out]);
  const pollForEvent = xcb.func('xcb_poll_for_event', 'void *', ['void *']);
  const poll = libc.func('poll', 'int', ['void *', 'unsigned long', 'int']);
  const free = libc.func('free', 'void', ['void *']);

  // The library writes into the two vectors before the one it is given.
  const vectors = ffi.alloc('uint64_t', 6) as bigint;
  const body = ffi.alloc('uint8_t', 64) as bigint;
  const protocol = ffi.alloc('uint64_t', 3) as bigint;

  function take(pointer: Pointer): Buffer | null {
    if (pointer === null) return null;
    const bytes = Buffer.from(ffi.decode(pointer, 'uint8_t', REPLY_BYTES));
    free(pointer);
    return bytes;
  }

  return {
    connect: xcb.func('xcb_connect', 'void *', ['str', 'void *']) as (
      display: string,
      screen: null,
    ) => Pointer,
    hasError: xcb.func('xcb_connection_has_error', 'int', ['void *']),
    disconnect: xcb.func('xcb_disconnect', 'void', ['void *']),
    fileDescriptor: xcb.func('xcb_get_file_descriptor', 'int', ['void *']),
    flush: xcb.func('xcb_flush', 'int', ['void *']),
    discard: xcb.func('xcb_discard_reply', 'void', ['void *', 'unsigned int']),

    /** The root window of the first screen: the first field of its description. */
    rootOf(connection: Pointer): number {
      const { screen } = screensOf(getSetup(connection)) as { screen: Pointer };
      return ffi.decode.uint32(screen);
    },

    /** `request` is whole but for its length, which the library fills in. */
    send(connection: Pointer, request: Uint8Array): number {
      ffi.encode(body, 'uint8_t', Array.from(request), request.length);
      ffi.encode(vectors, 'uint64_t', [0n, 0n, 0n, 0n, body, BigInt(request.length)], 6);
      // {size_t count, void *extension, uint8_t opcode, uint8_t isvoid}
      ffi.encode(protocol, 'uint64_t', [1n, 0n, BigInt(request[0] as number)], 3);
      return sendRequest(connection, CHECKED, vectors + 32n, protocol);
    },

    /** A reply, `refused` where the server sent an error, null where nothing has come yet. */
    poll(connection: Pointer, sequence: number): Buffer | 'refused' | null {
      const reply: [Pointer] = [null];
      const error: [Pointer] = [null];
      if (pollForReply(connection, sequence, reply, error) === 0) return null;
      if (take(error[0])) return 'refused';
      return take(reply[0]) ?? 'refused';
    },

    /** Every client is sent some events, asked for or not; unread they would pile up. */
    dropEvents(connection: Pointer): void {
      for (let event = pollForEvent(connection); event !== null; ) {
        free(event);
        event = pollForEvent(connection);
      }
    },

    /** False where nothing came in that time; a signal, such as a child's end, counts as something. */
    readable(fd: number, ms: number): boolean {
      const request = Buffer.alloc(8);
      request.writeInt32LE(fd, 0);
      request.writeInt16LE(POLLIN, 4);
      return poll(request, 1, ms) !== 0;
    },
  };
}
