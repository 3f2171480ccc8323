import type { ClaimRow } from '../../../base/store/roster-claims.ts';
import type { Cadence } from '../repository/cadence.ts';
import { byClaim, type LockEvent } from './lock-event.ts';
import { windowOf } from './window.ts';

export interface Double {
  claim: ClaimRow;
  by: LockEvent;
  /** What shows that the other machine had it too, as the end of a sentence. */
  why: string;
}

/**
 * Agents that we held and another machine held too, by what relays show now. A claim that merely lost a
 * race is no double: it is younger than ours, and neither renewed nor completed.
 */
export function findDoubles(
  cadence: Cadence,
  claims: readonly ClaimRow[],
  own: ReadonlySet<string>,
  seen: readonly LockEvent[],
): Double[] {
  return claims
    .filter(({ state }) => state === 'held' || state === 'completed')
    .flatMap((claim) => {
      const by = seen
        .filter((event) => event.agent === claim.agent && !own.has(event.id))
        .filter((event) => windowOf(cadence, event.date) === claim.window)
        .filter((event) => claim.state === 'completed' || !followsLapse(event, claim))
        .find((event) => whyDouble(event, claim) !== null);
      return by ? [{ claim, by, why: whyDouble(by, claim) ?? '' }] : [];
    });
}

/** Claimed after ours was over: taken over, not taken twice. */
export function followsLapse(event: LockEvent, claim: ClaimRow): boolean {
  return event.createdAt * 1000 >= claim.expiresAt;
}

/** Whether a rival's claim goes before ours. */
export function precedes(event: LockEvent, claim: ClaimRow): boolean {
  const first = { id: claim.events[0] ?? '', createdAt: Math.floor(claim.startedAt / 1000) };
  return event.status === 'started' && byClaim(event, { ...event, ...first }) < 0;
}

function whyDouble(event: LockEvent, claim: ClaimRow): string | null {
  if (event.status === 'completed') return 'it was completed there as well';
  if (event.renewal) return 'it was held there as well';
  return precedes(event, claim) ? 'it was claimed there first, unseen by us' : null;
}
