import { Socket } from 'node:net';
import { frame, frameReader } from '../../base/frames.ts';
import { LARGEST_MESSAGE } from './protocol.ts';

/** The worker's end of its line to the supervisor. */
export interface Channel {
  send(message: object): void;
  /** Hears each message, as text. */
  listen(onMessage: (text: string) => void): void;
}

/** What Electron gives a utility process. */
export interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown;
}

/** The pipe `fd` of node-workers.ts. The process ends when it closes. */
export function pipeChannel(fd: number): Channel {
  const socket = new Socket({ fd, readable: true, writable: true });
  const end = () => process.exit(0);
  socket.on('end', end).on('close', end).on('error', end);
  return {
    send: (message) => void socket.write(frame(message)),
    listen(onMessage) {
      const reader = frameReader(onMessage, end, Number.POSITIVE_INFINITY);
      socket.on('data', (chunk: Buffer) => reader.push(chunk));
    },
  };
}

/** The port of a utility process, which Electron ends with the app. Texts, as on the pipe. */
export function portChannel(port: ParentPort): Channel {
  return {
    send(message) {
      const text = JSON.stringify(message);
      if (Buffer.byteLength(text) > LARGEST_MESSAGE) throw new Error('a message is too long');
      port.postMessage(text);
    },
    listen: (onMessage) => void port.on('message', ({ data }) => onMessage(String(data))),
  };
}
