import type { EventTemplate, NostrEvent } from 'nostr-tools/core';
import { finalizeEvent, generateSecretKey } from 'nostr-tools/pure';
import { type Clock, sleep } from '../../../base/clock.ts';
import { LockFault } from './fault.ts';
import { LOCK_KIND } from './lock-event.ts';
import type { Seen } from './look.ts';
import type { Session } from './session.ts';

/** NIP-09: a request to delete. */
const DELETION_KIND = 5;

/** How long relays beyond those that are needed are waited for at the end, ms. */
const REST_MS = 1500;

/** An event under a key of its own, which can withdraw it as long as it is held here. */
export interface Signed {
  event: NostrEvent;
  /** The request to drop it. */
  withdrawal(): NostrEvent;
}

/** Signs with a fresh key that is then forgotten. */
export function signed(template: EventTemplate): Signed {
  const key = generateSecretKey();
  const event = finalizeEvent(template, key);
  const request = {
    kind: DELETION_KIND,
    created_at: event.created_at,
    tags: [
      ['e', event.id],
      ['k', String(LOCK_KIND)],
    ],
    content: '',
  };
  return { event, withdrawal: () => finalizeEvent(request, key) };
}

/** Waits for `work`, but no longer; leaves no timer behind. */
export async function atMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, sleep(clock, ms, done.signal)]);
  done.abort();
}

/** Gives the relays beyond those that are needed a moment. */
export async function waitForRest({ clock }: Session, rest: Promise<void>): Promise<void> {
  await atMost(clock, REST_MS, rest);
}

/**
 * Asks the relays to drop an event of a claim that did not come to be; otherwise it would keep the agent
 * from everybody till its time is over. A relay may not listen: nothing rests on it.
 */
export async function withdraw(session: Session, { withdrawal }: Signed): Promise<void> {
  const { pool, clock } = session;
  const urls = pool.links.map(({ url }) => url);
  await atMost(clock, REST_MS, pool.mention(withdrawal(), urls));
}

/**
 * Whether as many relays as are needed show the event. One that took it and does not show it has lied or
 * forgotten: it counts for nothing. One that took it and was not heard this time counts.
 */
export function isStored(
  session: Session,
  id: string,
  accepted: ReadonlySet<string>,
  { byRelay }: Pick<Seen, 'byRelay'>,
): boolean {
  const showing = [...byRelay].filter(([, ids]) => ids.has(id)).map(([url]) => url);
  const unheard = [...accepted].filter((url) => !byRelay.has(url));
  for (const url of accepted) {
    if (!byRelay.has(url) || showing.includes(url)) continue;
    session.say(`${url}: it took the event and does not show it`);
    session.pool.distrust(url);
  }
  const copies = new Set([...showing, ...unheard]).size;
  return showing.length > 0 && copies >= session.options.settings.minSuccessfulRelayPublishes;
}

export function notStored(): LockFault {
  return new LockFault(
    'relay_publish_quorum_failure',
    'the relays took the event, and too few of them show it',
  );
}
