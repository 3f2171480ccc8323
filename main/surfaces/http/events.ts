import type { ServerResponse } from 'node:http';
import type { Hello } from '../contract.ts';
import type { Subscribe } from '../dispatch.ts';
import { pushQueue } from '../push-queue.ts';

/** Bytes that may wait for a page to read before its pushes are folded together. */
const MOST_UNREAD = 1024 * 1024;

/**
 * Server-sent events: a `hello` event first (the page then asks for the panel's view), afterwards one
 * message a push. Nothing is sent while nothing happens; the loopback needs no heartbeat.
 */
export function streamEvents(response: ServerResponse, hello: Hello, subscribe: Subscribe): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write(`retry: 1000\nevent: hello\ndata: ${JSON.stringify(hello)}\n\n`);
  const pushes = pushQueue(
    (push) =>
      response.write(`data: ${JSON.stringify(push)}\n\n`) || response.writableLength < MOST_UNREAD,
  );
  response.on('drain', () => pushes.drained());
  response.on('close', subscribe(pushes.offer));
}
