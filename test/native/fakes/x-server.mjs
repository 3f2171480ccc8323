// A stand-in for an X server, for what Xvfb lacks: DPMS, XWAYLAND, errors.
// node x-server.mjs STATE_FILE; prints the number of its display. The state, read anew for every
// request: {extensions: [name, …], idleMs, dpms: {level, enabled}, refuse, delayMs}.
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';

const [, , stateFile] = process.argv;
const QUERY_EXTENSION = 98;
const FIRST_OPCODE = 130;
const NAMES = ['MIT-SCREEN-SAVER', 'DPMS', 'XWAYLAND'];

const state = () => JSON.parse(readFileSync(stateFile, 'utf8'));

function setupReply() {
  const reply = Buffer.alloc(8 + 32 + 40);
  reply.writeUInt8(1, 0);
  reply.writeUInt16LE(11, 2);
  reply.writeUInt16LE((reply.length - 8) / 4, 6);
  reply.writeUInt32LE(0x0020_0000, 12); // base and mask of the client's own ids
  reply.writeUInt32LE(0x001f_ffff, 16);
  reply.writeUInt16LE(0xffff, 26);
  reply.writeUInt8(1, 28); // one screen
  reply.writeUInt32LE(0x2a, 40); // its root window
  return reply;
}

function answer(request, sequence) {
  const { extensions, idleMs = 0, dpms = { level: 0, enabled: true }, refuse, delayMs } = state();
  if (delayMs) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs);
  const reply = Buffer.alloc(32);
  reply.writeUInt8(1, 0);
  reply.writeUInt16LE(sequence, 2);
  const opcode = request.readUInt8(0);
  if (opcode === QUERY_EXTENSION) {
    const name = request.toString('latin1', 8, 8 + request.readUInt16LE(4));
    reply.writeUInt8(extensions.includes(name) ? 1 : 0, 8);
    reply.writeUInt8(FIRST_OPCODE + NAMES.indexOf(name), 9);
    return reply;
  }
  if (refuse) {
    reply.writeUInt8(0, 0);
    reply.writeUInt8(3, 1);
    return reply;
  }
  const called = `${NAMES[opcode - FIRST_OPCODE]} ${request.readUInt8(1)}`;
  if (called === 'MIT-SCREEN-SAVER 1' && request.readUInt32LE(4) === 0x2a) {
    reply.writeUInt32LE(idleMs, 16);
  } else if (called === 'DPMS 7') {
    reply.writeUInt16LE(dpms.level, 8);
    reply.writeUInt8(dpms.enabled ? 1 : 0, 10);
  } else {
    throw new Error(`unexpected request ${called}`);
  }
  return reply;
}

const padded = (length) => Math.ceil(length / 4) * 4;

const server = createServer((socket) => {
  let bytes = Buffer.alloc(0);
  let sequence = 0;
  let greeted = false;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    if (!greeted && bytes.length >= 12) {
      greeted = true;
      bytes = bytes.subarray(12 + padded(bytes.readUInt16LE(6)) + padded(bytes.readUInt16LE(8)));
      socket.write(setupReply());
    }
    while (greeted && bytes.length >= 4 && bytes.length >= bytes.readUInt16LE(2) * 4) {
      const length = bytes.readUInt16LE(2) * 4;
      sequence += 1;
      socket.write(answer(bytes.subarray(0, length), sequence));
      bytes = bytes.subarray(length);
    }
  });
});

let display = 700 + (process.pid % 200);
const path = () => `/tmp/.X11-unix/X${display}`;
server.on('error', () => {
  display += 1;
  server.listen(path());
});
server.listen(path(), () => process.stdout.write(`${display}\n`));
process.on('SIGTERM', () => {
  rmSync(path(), { force: true });
  process.exit(0);
});
