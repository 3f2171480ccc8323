import { openLibrary } from '../library.ts';

/** How long an X server may take to say anything at all to a new client. */
const PATIENCE_MS = 200;
const MOST_WAITS = 10;

const AF_UNIX = 1;
const STREAM_CLOEXEC_NONBLOCK = 0o2004001;
const MSG_NOSIGNAL = 0x4000;
const POLLIN = 1;

/** The setup request of a client without a password: little-endian, protocol 11.0. */
const SETUP = Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/**
 * Runs `connect` once the X server is known to answer. Connecting by libxcb waits without end for a
 * server that is stuck or only just starting; so a socket of our own asks first. Whether the server
 * lets it in does not matter. Throws where nothing answers in time.
 */
export function whenAnswering<T>(display: string, connect: () => T): T {
  const number = /:(\d+)/.exec(display)?.[1];
  const { socket, connectTo, send, poll, close } = library();
  const fd = socket(AF_UNIX, STREAM_CLOEXEC_NONBLOCK, 0);
  try {
    const address = Buffer.alloc(110);
    address.writeUInt16LE(AF_UNIX, 0);
    address.write(`/tmp/.X11-unix/X${number}`, 2, 'latin1');
    if (connectTo(fd, address, address.length) < 0) {
      throw new Error(`no X server answers at display ${display}`);
    }
    send(fd, SETUP, SETUP.length, MSG_NOSIGNAL);
    const wanted = Buffer.alloc(8);
    wanted.writeInt32LE(fd, 0);
    wanted.writeInt16LE(POLLIN, 4);
    let answers = -1; // that is: interrupted by a signal, such as that of a child's end
    for (let waits = 0; waits < MOST_WAITS && answers < 0; waits++) {
      answers = poll(wanted, 1, PATIENCE_MS);
    }
    if (answers <= 0) throw new Error(`the X server at display ${display} does not answer`);
    return connect(); // with this socket still open: a server that loses its last client starts anew
  } finally {
    close(fd);
  }
}

let opened: ReturnType<typeof openLibc> | null = null;

function library(): ReturnType<typeof openLibc> {
  opened ??= openLibc();
  return opened;
}

function openLibc() {
  const libc = openLibrary('libc.so.6');
  return {
    socket: libc.func('socket', 'int', ['int', 'int', 'int']),
    connectTo: libc.func('connect', 'int', ['int', 'void *', 'unsigned int']),
    send: libc.func('send', 'long', ['int', 'void *', 'size_t', 'int']),
    poll: libc.func('poll', 'int', ['void *', 'unsigned long', 'int']),
    close: libc.func('close', 'int', ['int']),
  };
}
