import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerLog } from './log.ts';

/** An answer with an error status. */
export class HttpFault extends Error {
  readonly status: number;
  /** What the body says beside the sentence, in dialects that say more. */
  readonly extra: Readonly<Record<string, unknown>>;
  constructor(status: number, text: string, extra: Record<string, unknown> = {}) {
    super(text);
    this.status = status;
    this.extra = extra;
  }
}

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
  /** Undefined where none was sent. */
  body: unknown;
  /** Aborted when the client has left before the answer was complete. */
  gone: AbortSignal;
  response: ServerResponse;
}

export interface Loopback {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Serves on loopback; every request and every client that left early is in the log. */
export async function loopback(
  port: number,
  log: ServerLog,
  answer: (asked: Asked) => Promise<void>,
  refuse: (response: ServerResponse, fault: HttpFault) => void,
): Promise<Loopback> {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const path = decodeURI(pathname);
    const gone = new AbortController();
    response.on('close', () => {
      if (response.writableFinished) return;
      log.add({ kind: 'disconnect', path });
      gone.abort();
    });
    try {
      if (!/^(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(request.headers.host ?? '')) {
        response.writeHead(403).end();
        return;
      }
      const body = await readBody(request);
      const method = request.method ?? 'GET';
      const headers = request.headers as Record<string, string>;
      log.add({ kind: 'request', method, path, headers, ...(body !== undefined && { body }) });
      const { authorization } = request.headers;
      await answer({
        method,
        path,
        authorization,
        query: searchParams,
        body,
        gone: gone.signal,
        response,
      });
    } catch (error) {
      if (response.headersSent || response.destroyed) return;
      refuse(response, error instanceof HttpFault ? error : new HttpFault(500, String(error)));
    }
  }

  function listen(at: number): Promise<Server> {
    const server = createServer((request, response) => void handle(request, response));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, '127.0.0.1', () => resolve(server));
    });
  }

  let server = await listen(port);
  const own = (server.address() as AddressInfo).port;
  return {
    port: own,
    url: `http://127.0.0.1:${own}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
    async start() {
      server = await listen(own);
    },
  };
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(text);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (chunks.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new HttpFault(400, 'invalid character in the body');
  }
}

/** Waits; false when the client has gone meanwhile. */
export function pause(ms: number, gone: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (gone.aborted) return resolve(false);
    const timer = setTimeout(() => end(true), ms);
    const onGone = () => end(false);
    function end(stayed: boolean): void {
      clearTimeout(timer);
      gone.removeEventListener('abort', onGone);
      resolve(stayed);
    }
    gone.addEventListener('abort', onGone, { once: true });
  });
}
