import type { Clock } from '../../../base/clock.ts';
import { randomToken } from '../../../base/ids.ts';
import { atMost, signed } from './announcing.ts';
import { LOCK_KIND } from './lock-event.ts';
import type { RelayLink } from './relay-link.ts';

const LIMIT_MS = 6000;
/** The probe is gone by then, where relays heed it. */
const KEPT_SECONDS = 60;

export interface Probe {
  relay: string;
  ok: boolean;
  /** Each null where it was not reached. */
  openMs: number | null;
  publishMs: number | null;
  readMs: number | null;
  error: string | null;
}

/** Opens a relay, publishes to it and reads that back: all that a lock needs of it. */
export async function probe(link: RelayLink, namespace: string, clock: Clock): Promise<Probe> {
  const result: Probe = {
    relay: link.url,
    ok: false,
    openMs: null,
    publishMs: null,
    readMs: null,
    error: null,
  };
  const opened = await link.open(LIMIT_MS);
  if (opened.fault) return { ...result, error: opened.fault.message };
  result.openMs = Math.round(opened.ms);

  const now = Math.floor(clock.now() / 1000);
  const own = signed({
    kind: LOCK_KIND,
    created_at: now,
    tags: [
      ['d', `${namespace}-lock-health/${randomToken(9)}`],
      ['t', `${namespace}-lock-health`],
      ['expiration', String(now + KEPT_SECONDS)],
    ],
    content: '{}',
  });
  const published = await link.publish(own.event, LIMIT_MS);
  if (published.fault) return { ...result, error: published.fault.message };
  result.publishMs = Math.round(published.ms);

  const read = await link.query([{ ids: [own.event.id] }], LIMIT_MS);
  if (read.fault) return { ...result, error: read.fault.message };
  await atMost(clock, 500, link.publish(own.withdrawal(), LIMIT_MS));
  if (read.events.length === 0)
    return { ...result, error: 'it took an event and does not show it' };
  return { ...result, ok: true, readMs: Math.round(read.ms) };
}
