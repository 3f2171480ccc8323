import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import sirv from 'sirv';

export type ServeFile = (request: IncomingMessage, response: ServerResponse) => void;

/** The built panel in `folder`, listed once: only what lay there at the start can be asked for. */
export function panelFiles(folder: string): ServeFile {
  if (!existsSync(join(folder, 'index.html'))) {
    return (_request, response) =>
      sendText(response, 503, 'The panel is not built. Run: npm run build');
  }
  const serve = sirv(folder, { etag: true });
  return (request, response) => {
    response.setHeader('cache-control', 'no-cache'); // may be kept, but asked for each time
    serve(request, response, () => sendText(response, 404, 'There is nothing here.'));
  };
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
