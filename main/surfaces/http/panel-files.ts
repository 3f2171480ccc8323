import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import sirv from 'sirv';
import type { Reply } from '../dispatch.ts';

export interface PanelFiles {
  /** Sends the page together with the view that it begins with, so that it need not ask for one. */
  sendPage(response: ServerResponse, view: () => Promise<Reply>): Promise<void>;
  /** Sends any other file. */
  send(request: IncomingMessage, response: ServerResponse): void;
}

/** Where the page takes its first view from: data, which no browser would run. */
const FIRST = '<script type="application/json" id="first"></script>';

/** The built panel in `folder`, listed once: only what lay there at the start can be asked for. */
export function panelFiles(folder: string): PanelFiles {
  const index = join(folder, 'index.html');
  if (!existsSync(index)) {
    const send = (response: ServerResponse) =>
      sendText(response, 503, 'The panel is not built. Run: npm run build');
    return {
      sendPage: async (response) => send(response),
      send: (_request, response) => send(response),
    };
  }
  const [before = '', after] = readFileSync(index, 'utf8').split(FIRST);
  const serve = sirv(folder, { etag: true });
  return {
    async sendPage(response, view) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      // The browser asks for the scripts while the view is read.
      response.write(before);
      response.end(after && firstView(await view()) + after);
    },
    send(request, response) {
      // The name of an asset changes with what is in it; all else may be kept, but is asked for each time.
      const kept = request.url?.startsWith('/assets/')
        ? 'private, max-age=31536000, immutable'
        : null;
      response.setHeader('cache-control', kept ?? 'no-cache');
      serve(request, response, () => {
        response.setHeader('cache-control', 'no-store');
        sendText(response, 404, 'There is nothing here.');
      });
    },
  };
}

/** Nothing where it could not be read: the page then asks, and says what the host says. */
function firstView(reply: Reply): string {
  if (!reply.ok) return '';
  // No text in it may end the element: in JSON this sign stands in texts only.
  return FIRST.replace('><', () => `>${JSON.stringify(reply.value).replaceAll('<', '\\u003c')}<`);
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
