import type { Clock } from '../../../base/clock.ts';
import type { RosterStore } from '../../../base/store/roster-lock.ts';
import type { Cadence } from '../repository/cadence.ts';
import type { MachineClaims } from './claims.ts';
import { findDoubles } from './doubles.ts';
import { dayTag, type Ignored, LOCK_KIND, type LockEvent, readLockEvent } from './lock-event.ts';
import type { RelayPool } from './relay-pool.ts';
import { utcDate, windowOf } from './window.ts';

export interface Seen {
  /** Every live event of the dates asked for. */
  events: LockEvent[];
  byRelay: Map<string, ReadonlySet<string>>;
  /** The identities of this machine's own events. */
  own: ReadonlySet<string>;
}

export interface Looking {
  clock: Clock;
  namespace: string;
  scope: string;
  store: RosterStore;
  claims: MachineClaims;
  pool: RelayPool;
  say(line: string): void;
}

/**
 * Looks at the relays once: what cannot be trusted is dropped and told, and so is every double that shows
 * itself. Throws LockFault when too few relays answer.
 */
export async function lookAt(
  { clock, namespace, scope, store, claims, pool, say }: Looking,
  cadence: Cadence,
  dates: readonly string[],
): Promise<Seen> {
  const tags = dates.map((date) => dayTag(namespace, cadence, date));
  const { events, byRelay, refused, faults } = await pool.look([
    { kinds: [LOCK_KIND], '#t': tags },
  ]);
  for (const fault of faults) say(`${fault.relay}: ${fault.message}`);
  const now = clock.now();
  const read = events.map((event) => readLockEvent(event, { namespace, cadence, dates, now }));
  const dropped = refused + read.filter((one) => isBad(one)).length;
  if (dropped > 0) say(`${dropped} events that cannot be trusted were left out`);
  const live = read.filter((one) => typeof one !== 'string');
  const ours = claims.since(cadence, dates[0] ?? '');
  for (const { claim, by, why } of findDoubles(cadence, ours.claims, ours.events, live)) {
    const news = store.doubles.add({
      ...{ foundAt: now, scope, cadence, agent: claim.agent, window: claim.window, why },
      ...{ ours: claim.events[0] ?? '', theirs: by.id, platform: by.platform },
    });
    if (news)
      say(
        `double: ${claim.agent} ran twice in ${claim.window}, here and on another machine (${by.platform}): ${why}`,
      );
  }
  return { events: live, byRelay, own: ours.events };
}

function isBad(read: LockEvent | Ignored): boolean {
  return read === 'future' || read === 'malformed';
}

/**
 * The locks that count now: everything in the window, and what was begun before it and still runs (live,
 * and not followed by its completion).
 */
export function countingNow(cadence: Cadence, events: readonly LockEvent[], now: number) {
  const window = windowOf(cadence, utcDate(now));
  const done = new Set(
    events.filter((one) => one.status === 'completed').map((one) => `${one.agent}/${one.date}`),
  );
  return events.filter(
    (one) =>
      windowOf(cadence, one.date) === window ||
      (one.status === 'started' && !done.has(`${one.agent}/${one.date}`)),
  );
}
