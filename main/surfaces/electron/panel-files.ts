import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

/** The panel's own address. Registered as a standard scheme, so that it has an origin of its own. */
export const PANEL_SCHEME = 'app';
const PANEL_HOST = 'lull';
export const PANEL_ORIGIN = `${PANEL_SCHEME}://${PANEL_HOST}`;

/** The panel at one of its places. */
export function panelUrl(place: string): string {
  return `${PANEL_ORIGIN}/index.html#${place}`;
}

/**
 * The page may run and show what came with the app, and reach nothing at all: it speaks to the host
 * through its preload script only.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/**
 * Answers requests for the built panel in `folder`, listed once: only what lay there at the start can
 * be asked for, so no path can lead out of it. Works inside an archive.
 */
export function panelFiles(folder: string): (request: Request) => Promise<Response> {
  const files = new Map(list(folder).map((path) => [`/${path.split(sep).join('/')}`, path]));
  return async ({ method, url }) => {
    const { host, pathname } = new URL(url);
    const path = host === PANEL_HOST && method === 'GET' ? files.get(pathname) : undefined;
    if (path === undefined) return new Response('There is nothing here.', { status: 404 });
    return new Response(new Uint8Array(await readFile(join(folder, path))), {
      headers: {
        'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
      },
    });
  };
}

function list(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
