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
    // The name of an asset changes with what is in it; all else may be kept, but is asked for each time.
    const kept = request.url?.startsWith('/assets/')
      ? 'private, max-age=31536000, immutable'
      : null;
    response.setHeader('cache-control', kept ?? 'no-cache');
    serve(request, response, () => {
      response.setHeader('cache-control', 'no-store');
      sendText(response, 404, 'There is nothing here.');
    });
  };
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
