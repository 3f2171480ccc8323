import { sleep } from '../../../base/clock.ts';
import type { ClaimRow } from '../../../base/store/roster-claims.ts';
import { isStored, notStored, signed, withdraw } from './announcing.ts';
import { acquired, type Denial, denied } from './answer.ts';
import { type LockEvent, startedEvent } from './lock-event.ts';
import { countingNow, lookAt, type Seen } from './look.ts';
import { originOf } from './origin.ts';
import { modelOf, platformOf } from './platform.ts';
import type { LockAnswer, NewClaim } from './port.ts';
import { decideRace, RACE_DELAY_MS } from './race.ts';
import { PUBLISH_ATTEMPTS } from './retry.ts';
import type { Session } from './session.ts';
import { datesThatCount, windowOf } from './window.ts';

/**
 * Claims an agent: nobody has it, announce, wait, nobody was before us. This machine's own record decides
 * first, so that two processes of one repository are apart even where relays forget.
 */
export async function acquire(session: Session, claim: NewClaim): Promise<LockAnswer> {
  const { claims, clock, talk, options } = session;
  const now = clock.now();
  const platform = platformOf(claim.platform, options.env);
  const reserved = claims.reserve(claim, { now, untilMs: now + longestMs(session), platform });
  if (!reserved.ok) {
    talk.say(`${claim.agent} was taken on this machine before`);
    return denied(talk, reserved.reason, reserved.claim.events[0] ?? null);
  }
  try {
    return await contend(session, claim, reserved.claim);
  } finally {
    claims.giveUp(reserved.claim.id); // unless it is held by now
  }
}

async function contend(session: Session, claim: NewClaim, row: ClaimRow): Promise<LockAnswer> {
  const { claims, clock, talk, pool, options } = session;
  const { settings, root, env } = options;
  const dates = datesThatCount(claim.cadence, clock.now());
  talk.say(`Asking ${pool.links.length} relays who has ${claim.agent}`);
  const [before, origin] = await Promise.all([
    lookAt(session, claim.cadence, dates),
    originOf(root, claim, clock),
  ]);
  const taken = takenBy(session, claim, row, before);
  if (taken) return denied(talk, taken.reason, taken.event.id);

  const model = modelOf(claim.model, env);
  const about = { ...claim, date: row.date, platform: row.platform, model, ...origin };
  const claimedAt = clock.now();
  const start = clock.monotonic();
  const times = { now: claimedAt, claimedAt, ttlSeconds: settings.ttlSeconds };
  const own = signed(startedEvent(settings, about, times));
  claims.announce(row.id, own.event.id);
  try {
    talk.say('Announcing the claim');
    const { accepted } = await pool.announce(own.event);
    const announcedAt = claimedAt + (clock.monotonic() - start);
    await sleep(clock, RACE_DELAY_MS);
    talk.say('Looking for earlier claims');
    const after = await lookAt(session, claim.cadence, dates);
    const stored = isStored(session, own.event.id, accepted, after);
    const rivals = countingNow(claim.cadence, after.events, clock.now()).filter(
      ({ agent }) => agent === claim.agent,
    );
    const mine = new Set([own.event.id]);
    const race = decideRace(
      rivals.filter(({ id }) => id === own.event.id || !after.own.has(id)),
      mine,
      { announcedAt, stored },
    );
    switch (race.end) {
      case 'lost':
        talk.pairs({
          LOCK_STATUS: 'race_lost',
          LOCK_REASON: 'earlier_claim_exists',
          LOCK_WINNER_EVENT: race.to.id,
        });
        await withdraw(session, own);
        return talk.end(3);
      case 'completed':
        await withdraw(session, own);
        return denied(talk, 'already_completed', race.by.id);
      case 'missing':
        throw notStored();
      case 'won':
    }
    const expiresAt = own.event.created_at + settings.ttlSeconds;
    if (!claims.hold(row.id, claimedAt, expiresAt * 1000)) {
      await withdraw(session, own);
      return denied(talk, 'already_locked', null); // it took so long that another process went on
    }
    const { id: event, pubkey } = own.event;
    return acquired(talk, {
      ...{ event, pubkey, agent: claim.agent, cadence: claim.cadence, date: row.date },
      ...{ hashtag: settings.hashtag, expiresAt },
      ...{ gitCommit: origin.gitCommit, promptHash: origin.promptHash },
    });
  } catch (error) {
    await withdraw(session, own);
    throw error;
  }
}

function takenBy(
  session: Session,
  { cadence, agent }: NewClaim,
  row: ClaimRow,
  seen: Seen,
): { reason: Denial; event: LockEvent } | null {
  const counting = countingNow(cadence, seen.events, session.clock.now()).filter(
    (event) => event.agent === agent && !seen.own.has(event.id),
  );
  const done = counting.find(
    (event) => event.status === 'completed' && windowOf(cadence, event.date) === row.window,
  );
  if (done) return { reason: 'already_completed', event: done };
  return counting[0] ? { reason: 'already_locked', event: counting[0] } : null;
}

/** More than acquiring can take: after that, what a process left behind is not waited for. */
function longestMs({ options: { settings } }: Session): number {
  const { queryTimeoutMs, publishTimeoutMs } = settings;
  return 2 * queryTimeoutMs + 2 * PUBLISH_ATTEMPTS * publishTimeoutMs + 60_000;
}
