import { signed, waitForRest } from './announcing.ts';
import { startedEvent } from './lock-event.ts';
import { lookAt } from './look.ts';
import { rivalsOf, takenFrom } from './nostr-complete.ts';
import { originOf } from './origin.ts';
import { modelOf, platformOf } from './platform.ts';
import type { NewClaim } from './port.ts';
import type { Session } from './session.ts';
import { datesThatCount } from './window.ts';

/** Renews once, under the claim's own date; null, or why the lock is lost. Throws LockFault. */
export async function renew(session: Session, claim: NewClaim): Promise<string | null> {
  const { claims, clock, pool, options } = session;
  const { settings, env, root } = options;
  const row = claims.current(claim, clock.now());
  if (row?.state !== 'held') return `the lock on ${claim.agent} is not held any more`;
  const dates = datesThatCount(claim.cadence, clock.now(), row.date);
  const rivals = rivalsOf(row, await lookAt(session, claim.cadence, dates));
  const other =
    rivals.find(({ status }) => status === 'completed') ?? takenFrom(row, rivals, clock.now());
  if (other) return `another machine (${other.platform}) has ${claim.agent}`;

  const origin = await originOf(root, claim, clock);
  const platform = platformOf(claim.platform, env);
  const about = { ...claim, date: row.date, platform, model: modelOf(claim.model, env), ...origin };
  const times = { now: clock.now(), claimedAt: row.startedAt, ttlSeconds: settings.ttlSeconds };
  const { event } = signed(startedEvent(settings, about, times));
  claims.announce(row.id, event.id);
  const { rest } = await pool.announce(event);
  await waitForRest(session, rest);
  claims.renew(row.id, (event.created_at + settings.ttlSeconds) * 1000);
  return null;
}
