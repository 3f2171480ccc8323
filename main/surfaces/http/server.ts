import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { failure, LullError } from '../../base/errors.ts';
import type { Hello } from '../contract.ts';
import type { Dispatch, Subscribe } from '../dispatch.ts';
import { answerCommand, sendReply } from './api.ts';
import type { DoorFile } from './door-file.ts';
import { type Entry, panelEntry } from './entry.ts';
import { streamEvents } from './events.ts';
import { refuseRequest, securityHeaders } from './guard.ts';
import { type PanelFiles, panelFiles, sendText } from './panel-files.ts';

export interface HttpOptions {
  /** Null: the port of the last host if it is free, else any that is. */
  port: number | null;
  clock: Pick<Clock, 'now'>;
  /** What is left from one host to the next. */
  door: DoorFile;
  hello: Hello;
  dispatch: Dispatch;
  subscribe: Subscribe;
  /** The folder of the built panel. */
  panel: string;
}

export interface HttpServer {
  readonly port: number;
  /** A fresh link that opens the panel in one browser, once. */
  panelLink(): string;
  close(): Promise<void>;
}

/**
 * The panel and its carrier on the loopback: the page, one POST a command, one stream of pushes.
 * Who has not come by a link is told how to get one. Nothing here runs while nobody asks.
 */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const files = panelFiles(options.panel);
  const server = createServer(QUIET, (request, response) => {
    answer(request, response, here).catch(() => response.destroy());
  });
  server.maxConnections = 256;
  const left = options.door.read();
  const port = await listenFor(server, options.port, left?.port ?? null);
  const entry = panelEntry(port, {
    now: () => options.clock.now(),
    sessions: left?.port === port ? left.sessions : [],
    save: (sessions) => options.door.write({ port, sessions }),
  });
  const here: Here = { ...options, port, files, entry };
  return {
    port,
    panelLink: () => `http://127.0.0.1:${port}/enter?token=${here.entry.mint()}`,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

/** No timer of Node's own: it would look for slow senders every 30 s, for ever. */
const QUIET = { connectionsCheckingInterval: 2 ** 31 - 1, requestTimeout: 0, headersTimeout: 0 };

interface Here extends HttpOptions {
  port: number;
  files: PanelFiles;
  entry: Entry;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  here: Here,
): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const { method = '', headers } = request;
  for (const [name, value] of Object.entries(securityHeaders(headers))) {
    response.setHeader(name, value);
  }
  const refusal = refuseRequest({ method, path, headers }, here.port);
  if (refusal) return refuse(response, path, refusal.status, refusal.why);
  if (path === '/enter') return enter(request, response, here.entry, query);
  if (!here.entry.knows(headers.cookie)) {
    return refuse(response, path, 401, 'This panel opens by a link. Get one with: lull open');
  }
  if (path.startsWith('/api/')) {
    return answerCommand(path.slice('/api/'.length), request, response, here.dispatch);
  }
  if (path === '/events') return streamEvents(response, here.hello, here.subscribe);
  if (path === '/') return here.files.sendPage(response, () => here.dispatch('panel', {}));
  here.files.send(request, response);
}

function refuse(response: ServerResponse, path: string, status: number, why: string): void {
  if (path.startsWith('/api/')) sendReply(response, status, failure('refused', why));
  else sendText(response, status, why);
}

/**
 * Trades the token of a link for a cookie and goes on to the panel. A browser that came from another
 * site would not send a strict cookie along a redirect, so there the page itself moves on.
 */
function enter(
  request: IncomingMessage,
  response: ServerResponse,
  entry: Entry,
  query: string,
): void {
  if (request.method !== 'GET') {
    refuse(response, '/enter', 405, 'only GET is answered here');
    return;
  }
  const cookie = entry.trade(new URLSearchParams(query).get('token') ?? '');
  if (!cookie && !entry.knows(request.headers.cookie)) {
    refuse(response, '/enter', 401, 'This link is used up. Get a new one with: lull open');
    return;
  }
  if (cookie) response.setHeader('set-cookie', cookie);
  const site = request.headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      '<!doctype html><meta http-equiv="refresh" content="0; url=/"><title>Lull</title>',
    );
  } else {
    response.writeHead(303, { location: '/' });
    response.end();
  }
}

/** On the port that was asked for; else on the last host's, where open pages look for it, or on any. */
async function listenFor(server: Server, asked: number | null, last: number | null) {
  if (asked !== null) return listen(server, asked);
  return last === null ? listen(server, 0) : listen(server, last).catch(() => listen(server, 0));
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'is in use by another program'
          : `cannot be used (${error.code})`;
      reject(
        new LullError('refused', `port ${port} ${why}`, 'choose another --port, or leave it out', {
          cause: error,
        }),
      );
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () =>
      resolve((server.address() as AddressInfo).port),
    );
  });
}
