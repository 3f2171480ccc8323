import { failure, ok, type Result } from '../../base/errors.ts';
import type { Route } from '../queue/job.ts';

/** A local result: shown here, sent nowhere. */
export const LOCAL: Route = { channel: 'local', recipient: '' };

/** Reads `local` or `telegram:ACCOUNT:ID`. It names a place; it gives nobody the right to be sent to. */
export function parseRoute(text: string): Result<Route> {
  if (text === 'local') return ok(LOCAL);
  const found = /^(telegram:[A-Za-z0-9_-]{1,100}):([1-9]\d{0,19})$/.exec(text);
  if (!found) {
    return failure(
      'invalid',
      `"${text.slice(0, 100)}" is not a place to send results to`,
      'use local, or telegram:ACCOUNT:ID with a numeric ID',
    );
  }
  return ok({ channel: found[1] as string, recipient: found[2] as string });
}

/** The text that `parseRoute` reads. */
export function routeText(route: Route): string {
  return route.recipient === '' ? route.channel : `${route.channel}:${route.recipient}`;
}
