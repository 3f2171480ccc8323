import { byClaim, type LockEvent } from './lock-event.ts';

/** How long a claim waits before it looks for rivals, ms: the delay that existing tools keep. */
export const RACE_DELAY_MS = 1500;

/** How far the clocks of a fleet may be apart, ms. */
const SKEW_MS = 1000;

export type RaceEnd =
  | { end: 'won' }
  | { end: 'completed'; by: LockEvent }
  | { end: 'lost'; to: LockEvent }
  | { end: 'missing' };

/**
 * Who has the agent after the second look. `seen` holds the live events of this agent; `mine` are our
 * identities; `stored` says that enough relays show our claim.
 *
 * The earliest claim wins, as in existing tools. Two rules are ours. A claim that no relay shows is not
 * acquired, even against one rival. And a claim that was announced late gives way to a rival who may
 * have looked before it could be seen: that one looked, by its own clock, `RACE_DELAY_MS` after it
 * claimed. `announcedAt` is when enough relays had ours, epoch ms.
 */
export function decideRace(
  seen: readonly LockEvent[],
  mine: ReadonlySet<string>,
  { announcedAt, stored }: { announcedAt: number; stored: boolean },
): RaceEnd {
  const rivals = seen.filter((event) => !mine.has(event.id)).sort(byClaim);
  const done = rivals.find((event) => event.status === 'completed');
  if (done) return { end: 'completed', by: done };
  const ours = seen.filter((event) => mine.has(event.id)).sort(byClaim)[0];
  const first = rivals[0];
  if (!ours) return first ? { end: 'lost', to: first } : { end: 'missing' };
  if (first && byClaim(first, ours) < 0) return { end: 'lost', to: first };
  const unseen = rivals.find(
    ({ claimedAt, renewal }) =>
      renewal || (claimedAt !== null && announcedAt >= claimedAt + RACE_DELAY_MS - SKEW_MS),
  );
  if (unseen) return { end: 'lost', to: unseen };
  return stored ? { end: 'won' } : { end: 'missing' };
}
