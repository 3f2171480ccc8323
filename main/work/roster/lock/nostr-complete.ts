import type { ClaimRow } from '../../../base/store/roster-claims.ts';
import { isStored, notStored, signed, waitForRest } from './announcing.ts';
import { completed, denied } from './answer.ts';
import { followsLapse, precedes } from './doubles.ts';
import { byClaim, completedEvent, type LockEvent } from './lock-event.ts';
import { countingNow, lookAt, type Seen } from './look.ts';
import { modelOf, platformOf } from './platform.ts';
import type { Claim, LockAnswer, NewClaim } from './port.ts';
import type { Session } from './session.ts';
import { datesThatCount, windowOf } from './window.ts';

/**
 * Marks an agent as done, for the date of its own claim, however long ago that was made; never for a
 * claim of another machine. A second time is no fault.
 */
export async function complete(session: Session, claim: NewClaim): Promise<LockAnswer> {
  const { claims, clock, talk } = session;
  const row = claims.current(claim, clock.now());
  if (row?.state === 'completed') {
    return completed(talk, { ...claim, event: row.events.at(-1) ?? null, date: row.date });
  }
  const seen = await lookAt(
    session,
    claim.cadence,
    datesThatCount(claim.cadence, clock.now(), row?.date),
  );
  if (row?.state !== 'held') return notOurs(session, claim, seen);

  const rivals = rivalsOf(row, seen);
  const done = rivals.find(({ status }) => status === 'completed');
  if (done) {
    talk.say(`${claim.agent} is done already, by another machine (${done.platform})`);
    claims.complete(row.id);
    return completed(talk, { ...claim, event: done.id, date: row.date });
  }
  const owner = takenFrom(row, rivals, clock.now());
  if (owner) {
    talk.say(`${claim.agent} is not ours any more`);
    claims.lose(row.id);
    return denied(talk, 'already_locked', owner.id);
  }
  return publishCompletion(session, claim, row);
}

async function publishCompletion(
  session: Session,
  claim: NewClaim,
  row: ClaimRow,
): Promise<LockAnswer> {
  const { claims, clock, talk, pool, options } = session;
  const { settings, env } = options;
  const platform = claim.platform ? platformOf(claim.platform, env) : row.platform;
  const about = { ...claim, date: row.date, platform, model: modelOf(claim.model, env) };
  const times = { now: clock.now(), startedAt: row.startedAt };
  const own = signed(completedEvent(settings, about, times));
  claims.announce(row.id, own.event.id);
  talk.say(`Announcing that ${claim.agent} is done for ${row.window}`);
  const { accepted, rest } = await pool.announce(own.event);
  await waitForRest(session, rest);
  const seen = await lookAt(session, claim.cadence, [row.date]);
  if (!isStored(session, own.event.id, accepted, seen)) throw notStored();
  claims.complete(row.id);
  return completed(talk, { ...claim, event: own.event.id, date: row.date });
}

/** No claim of this machine: whatever is there is another's. */
function notOurs(session: Session, claim: Claim, seen: Seen): LockAnswer {
  const { talk, clock } = session;
  const there = countingNow(claim.cadence, seen.events, clock.now()).filter(
    ({ agent, id }) => agent === claim.agent && !seen.own.has(id),
  );
  const done = there.find(({ status }) => status === 'completed');
  if (done) return completed(talk, { ...claim, event: done.id, date: done.date });
  const other = there.sort(byClaim)[0];
  if (other) {
    talk.say(`The lock on ${claim.agent} was not acquired on this machine`);
    return denied(talk, 'already_locked', other.id);
  }
  talk.say(`There is no lock on ${claim.agent} to complete - acquire it first`);
  return talk.end(1);
}

/** Another machine's events on the agent of a claim, in its window. */
export function rivalsOf(row: ClaimRow, seen: Seen): LockEvent[] {
  return seen.events
    .filter((event) => event.agent === row.agent && !seen.own.has(event.id))
    .filter((event) => windowOf(row.cadence, event.date) === row.window)
    .sort(byClaim);
}

/** The claim that goes before ours: made first, or made when ours was over. */
export function takenFrom(row: ClaimRow, rivals: LockEvent[], now: number): LockEvent | null {
  const claims = rivals.filter(({ status }) => status === 'started');
  const first = claims.find((event) => precedes(event, row));
  if (first) return first;
  if (now < row.expiresAt) return null;
  return claims.find((event) => followsLapse(event, row)) ?? null;
}
