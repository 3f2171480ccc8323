import type { EventTemplate, NostrEvent } from 'nostr-tools/core';
import type { Cadence } from '../repository/cadence.ts';

/** The kind of event that locks are: application data, NIP-78. */
export const LOCK_KIND = 30_078;

/** A created_at further ahead than this is refused: relays commonly allow as much. */
const AHEAD_SECONDS = 900;

/** What is the same in every event of a fleet. */
export interface Realm {
  namespace: string;
  hashtag: string;
}

export interface Runner {
  platform: string;
  model: string;
}

/** What an agent is run from, as far as it is known. */
export interface Origin {
  gitCommit: string | null;
  promptPath: string | null;
  /** SHA-256 of the prompt file, hexadecimal. */
  promptHash: string | null;
}

interface About extends Runner {
  cadence: Cadence;
  agent: string;
  /** The UTC date of the claim, which a run past midnight keeps. */
  date: string;
}

/** The tag by which the locks of one day are asked for. */
export function dayTag(namespace: string, cadence: Cadence, date: string): string {
  return `${namespace}-lock-${cadence}-${date}`;
}

function tagsOf(realm: Realm, { cadence, agent, date }: About): string[][] {
  return [
    ['d', `${realm.namespace}-lock/${cadence}/${agent}/${date}`],
    ['t', realm.hashtag],
    ['t', `${realm.namespace}-lock-${cadence}`],
    ['t', dayTag(realm.namespace, cadence, date)],
  ];
}

/**
 * A claim, or its renewal: then `claimedAt` lies before `now`. The order of tags and of the keys of the
 * content is that of existing tools.
 */
export function startedEvent(
  realm: Realm,
  about: About & Origin,
  times: { now: number; claimedAt: number; ttlSeconds: number },
): EventTemplate {
  const createdAt = Math.floor(times.now / 1000);
  const expiresAt = createdAt + times.ttlSeconds;
  return {
    kind: LOCK_KIND,
    created_at: createdAt,
    tags: [...tagsOf(realm, about), ['expiration', String(expiresAt)]],
    content: JSON.stringify({
      agent: about.agent,
      cadence: about.cadence,
      status: 'started',
      namespace: realm.namespace,
      date: about.date,
      platform: about.platform,
      model: about.model,
      lockedAt: new Date(times.claimedAt).toISOString(),
      expiresAt: new Date(expiresAt * 1000).toISOString(),
      gitCommit: about.gitCommit,
      promptPath: about.promptPath,
      promptHash: about.promptHash,
    }),
  };
}

/** The end of a window for an agent. It carries no expiration: it stays. */
export function completedEvent(
  realm: Realm,
  about: About,
  times: { now: number; startedAt: number },
): EventTemplate {
  return {
    kind: LOCK_KIND,
    created_at: Math.floor(times.now / 1000),
    tags: tagsOf(realm, about),
    content: JSON.stringify({
      agent: about.agent,
      cadence: about.cadence,
      status: 'completed',
      namespace: realm.namespace,
      date: about.date,
      platform: about.platform,
      model: about.model,
      startedAt: new Date(Math.floor(times.startedAt / 1000) * 1000).toISOString(),
      completedAt: new Date(times.now).toISOString(),
    }),
  };
}

/** An event of a relay, understood. */
export interface LockEvent {
  id: string;
  agent: string;
  status: 'started' | 'completed';
  date: string;
  platform: string;
  /** Unix seconds, by the other machine's clock. */
  createdAt: number;
  expiresAt: number | null;
  /** When it was claimed, epoch ms, where the event says it more exactly than to the second. */
  claimedAt: number | null;
  /** A claim that was already held when this event was made. */
  renewal: boolean;
}

/** Why an event does not count; `expired` is no fault. */
export type Ignored = 'expired' | 'future' | 'malformed' | 'foreign';

/**
 * Reads an event whose signature holds. Refused: content that is no JSON object, content and tags that
 * contradict each other, a created_at far ahead. An event without an expiration never expires.
 */
export function readLockEvent(
  event: NostrEvent,
  wanted: { namespace: string; cadence: Cadence; dates: readonly string[]; now: number },
): LockEvent | Ignored {
  const content = objectIn(event.content);
  if (!content || typeof content.agent !== 'string' || !content.agent) return 'malformed';
  const { agent } = content;
  const place = event.tags.find(([name]) => name === 'd')?.[1] ?? '';
  const date = wanted.dates.find(
    (day) => place === `${wanted.namespace}-lock/${wanted.cadence}/${agent}/${day}`,
  );
  if (date === undefined) return place.includes('-lock/') ? 'foreign' : 'malformed';
  const nowSeconds = wanted.now / 1000;
  if (event.created_at > nowSeconds + AHEAD_SECONDS) return 'future';
  const status = content.status === 'completed' ? 'completed' : 'started';
  const expiration = event.tags.find(([name]) => name === 'expiration')?.[1];
  const expiresAt = expiration === undefined ? null : Number(expiration);
  if (expiresAt !== null && !Number.isFinite(expiresAt)) return 'malformed';
  if (expiresAt !== null && expiresAt <= nowSeconds) return 'expired';
  const claimed = typeof content.lockedAt === 'string' ? Date.parse(content.lockedAt) : Number.NaN;
  const age = event.created_at * 1000 - claimed;
  return {
    id: event.id,
    agent,
    status,
    date,
    platform: typeof content.platform === 'string' ? content.platform : 'unknown',
    createdAt: event.created_at,
    expiresAt,
    claimedAt: age <= 0 && age > -1000 && claimed % 1000 !== 0 ? claimed : null,
    renewal: status === 'started' && age > 10_000,
  };
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The order in which claims on one agent count: the earlier, then the smaller identity. */
export function byClaim(a: LockEvent, b: LockEvent): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
