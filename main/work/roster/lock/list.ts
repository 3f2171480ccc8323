import type { DoubleRow } from '../../../base/store/roster-doubles.ts';
import { CADENCES, type Cadence } from '../repository/cadence.ts';
import type { ShownLock } from './answer.ts';
import { byClaim } from './lock-event.ts';
import { countingNow, lookAt } from './look.ts';
import { shownLock } from './nostr-check.ts';
import type { LockAnswer } from './port.ts';
import { inSession, type LockOptions } from './session.ts';
import { datesThatCount } from './window.ts';

const DOUBLES_SHOWN = 50;

export interface ListedLock extends ShownLock {
  cadence: Cadence;
  status: 'started' | 'completed';
  date: string;
  /** This machine's own. */
  ours: boolean;
}

export interface LockList {
  answer: LockAnswer;
  locks: ListedLock[];
  /** Newest first: agents that ran twice, as far as this machine knows. */
  doubles: DoubleRow[];
}

/** The locks on the relays now, and the doubles this machine has found. */
export async function listLocks(
  options: LockOptions,
  cadences: readonly Cadence[] = CADENCES,
): Promise<LockList> {
  const list: Omit<LockList, 'answer'> = { locks: [], doubles: [] };
  const answer = await inSession(options, new Map(), async (session) => {
    const { clock, talk, store, scope } = session;
    for (const cadence of cadences) {
      const dates = datesThatCount(cadence, clock.now());
      const seen = await lookAt(session, cadence, dates);
      for (const event of countingNow(cadence, seen.events, clock.now()).sort(byClaim)) {
        const { status, date } = event;
        list.locks.push({
          cadence,
          ...shownLock(event),
          status,
          date,
          ours: seen.own.has(event.id),
        });
      }
    }
    list.doubles = store.doubles.list(scope, DOUBLES_SHOWN);
    return talk.end(0);
  });
  return { answer, ...list };
}
