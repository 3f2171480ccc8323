import type { ClaimRow } from '../../../base/store/roster-claims.ts';
import type { RosterStore } from '../../../base/store/roster-lock.ts';
import type { Cadence } from '../repository/cadence.ts';
import type { Claim } from './port.ts';
import { utcDate, windowOf } from './window.ts';

/** Claims are remembered this long: a double may be found weeks later, where relays were parted. */
const KEPT_MS = 60 * 86_400_000;

export type Reservation =
  | { ok: true; claim: ClaimRow }
  | { ok: false; reason: 'already_completed' | 'already_locked'; claim: ClaimRow };

/**
 * What this machine has claimed, shared by its processes. It decides between them; and it knows a lock as
 * its own across processes, past midnight, and where relays have forgotten it.
 */
export interface MachineClaims {
  /** Takes the agent against the other processes of this machine, until `untilMs` if nothing follows. */
  reserve(claim: Claim, at: { now: number; untilMs: number; platform: string }): Reservation;
  /** Before an event is published: even if this process dies, it is known as ours. */
  announce(id: number, event: string): void;
  /** The claim is ours, from when till when. False: another process has taken it over meanwhile. */
  hold(id: number, startedAt: number, expiresAt: number): boolean;
  renew(id: number, expiresAt: number): boolean;
  complete(id: number): boolean;
  /** It did not come to be; its events stay known. */
  giveUp(id: number): void;
  lose(id: number): void;
  /** The claim that this process made. */
  own(claim: Claim): ClaimRow | null;
  /**
   * The claim that a completion or a renewal is about: the one this process made, else the newest that is
   * held, else the one completed in this window.
   */
  current(claim: Claim, now: number): ClaimRow | null;
  get(id: number): ClaimRow | null;
  /** Those that count for a look at `dates`, and the identities of all our events among them. */
  since(cadence: Cadence, date: string): { claims: ClaimRow[]; events: ReadonlySet<string> };
}

/** `made`: what this process claimed last, by cadence and agent; it outlives one opening of the store. */
export function machineClaims(
  store: RosterStore,
  scope: string,
  made: Map<string, number>,
): MachineClaims {
  const { claims } = store;

  function ownOf(claim: Claim): ClaimRow | null {
    const id = made.get(key(claim));
    return id === undefined ? null : claims.get(id);
  }

  return {
    reserve(claim, { now, untilMs, platform }) {
      return store.tx((): Reservation => {
        claims.prune(utcDate(now - KEPT_MS));
        const date = utcDate(now);
        const window = windowOf(claim.cadence, date);
        for (const row of claims.ofAgent(scope, claim.cadence, claim.agent)) {
          if (row.state === 'completed' && row.window === window) {
            return { ok: false, reason: 'already_completed', claim: row };
          }
          if (row.state !== 'held' && row.state !== 'acquiring') continue;
          if (row.expiresAt > now) return { ok: false, reason: 'already_locked', claim: row };
          claims.move(row.id, [row.state], row.state === 'held' ? 'lost' : 'given-up');
        }
        const id = claims.add({
          ...{ scope, cadence: claim.cadence, agent: claim.agent, window, date, platform },
          ...{ state: 'acquiring', startedAt: now, expiresAt: untilMs },
        });
        made.set(key(claim), id);
        return { ok: true, claim: claims.get(id) as ClaimRow };
      });
    },
    announce: (id, event) => store.tx(() => claims.announce(id, event)),
    hold: (id, startedAt, expiresAt) =>
      store.tx(() => claims.move(id, ['acquiring'], 'held', { startedAt, expiresAt })),
    renew: (id, expiresAt) => store.tx(() => claims.move(id, ['held'], 'held', { expiresAt })),
    complete: (id) => store.tx(() => claims.move(id, ['held'], 'completed')),
    giveUp: (id) => void store.tx(() => claims.move(id, ['acquiring'], 'given-up')),
    lose: (id) => void store.tx(() => claims.move(id, ['held'], 'lost')),
    own: ownOf,
    current(claim, now) {
      const row = ownOf(claim);
      if (row && row.state !== 'given-up') return row;
      const rows = claims.ofAgent(scope, claim.cadence, claim.agent);
      const window = windowOf(claim.cadence, utcDate(now));
      return (
        rows.find(({ state }) => state === 'held') ??
        rows.find((one) => one.state === 'completed' && one.window === window) ??
        null
      );
    },
    get: (id) => claims.get(id),
    since(cadence, date) {
      const rows = claims.since(scope, cadence, date);
      return { claims: rows, events: new Set(rows.flatMap(({ events }) => events)) };
    },
  };
}

function key({ cadence, agent }: Claim): string {
  return `${cadence}/${agent}`;
}
