import type { IncomingHttpHeaders } from 'node:http';

/**
 * On every answer: the page may load and reach nothing but this host, may not be framed, and says
 * nothing about itself to others.
 */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * The headers of an answer. A page that another page opened is cut off from it. One that the owner
 * opened has nobody to be cut off from, and the browser would start a process more for it: that costs
 * more than all else until it shows.
 */
export function securityHeaders(asked: IncomingHttpHeaders): Readonly<Record<string, string>> {
  if (asked['sec-fetch-site'] === 'none') return SECURITY_HEADERS;
  return { ...SECURITY_HEADERS, 'cross-origin-opener-policy': 'same-origin' };
}

export interface Asked {
  method: string;
  /** Without the query. */
  path: string;
  headers: IncomingHttpHeaders;
}

/**
 * Why a request is not even looked at, or null. A page of another site must not get in by a name that
 * it points at this machine (so the Host is checked), nor by what a browser sends along for it (so
 * the Origin is, and the Sec-Fetch-Site where there is one).
 */
export function refuseRequest(asked: Asked, port: number): { status: number; why: string } | null {
  const { method, path, headers } = asked;
  const host = headers.host ?? '';
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
    return { status: 403, why: 'this is not a name of Lull' };
  }
  if (!path.startsWith('/')) return { status: 400, why: 'this is no path' };
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) {
    return { status: 403, why: 'another page may not ask Lull' };
  }
  const call = path.startsWith('/api/');
  if (call || path === '/events') {
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin') {
      return { status: 403, why: 'another page may not ask Lull' };
    }
  }
  if (!call) {
    const reads = method === 'GET' || method === 'HEAD';
    return reads ? null : { status: 405, why: 'only GET is answered here' };
  }
  if (method !== 'POST') return { status: 405, why: 'a command is given by POST' };
  if (headers.origin === undefined) return { status: 403, why: 'the Origin is missing' };
  if (!/^application\/json(;|$)/i.test(headers['content-type'] ?? '')) {
    return { status: 415, why: 'a command is given as application/json' };
  }
  return null;
}
