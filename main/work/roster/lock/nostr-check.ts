import type { Cadence } from '../repository/cadence.ts';
import { checkDocument, type ShownLock } from './answer.ts';
import { completedInLogs } from './completed-logs.ts';
import { byClaim, type LockEvent } from './lock-event.ts';
import { countingNow, lookAt } from './look.ts';
import type { LockAnswer } from './port.ts';
import { probe } from './relay-probe.ts';
import type { Session } from './session.ts';
import { datesThatCount, utcDate, windowOf } from './window.ts';

/** Who may not be taken now: by the relays, by this machine's own record, by pauses and local logs. */
export async function check(session: Session, cadence: Cadence): Promise<LockAnswer> {
  const { talk, clock, claims, options } = session;
  const now = clock.now();
  const date = utcDate(now);
  const dates = datesThatCount(cadence, now);
  const seen = await lookAt(session, cadence, dates);
  const events = countingNow(cadence, seen.events, now).sort(byClaim);
  const shown = new Set(events.map(({ id }) => id));
  const unseen = claims
    .since(cadence, dates[0] ?? date)
    .claims.filter((claim) =>
      claim.state === 'completed'
        ? claim.window === windowOf(cadence, date)
        : claim.state === 'held' && claim.expiresAt > now,
    )
    .filter((claim) => !claim.events.some((event) => shown.has(event)));
  talk.json(
    checkDocument({
      ...{ namespace: options.settings.namespace, cadence, date },
      roster: options.roster[cadence],
      paused: options.paused[cadence],
      completed: completedInLogs(options.root, cadence, date),
      locks: [
        ...events.map(shownLock),
        // relays have forgotten these, or were parted from us
        ...unseen.map((claim): ShownLock => {
          const forever = claim.state === 'completed';
          return {
            agent: claim.agent,
            eventId: claim.events.at(-1) ?? '',
            createdAt: new Date(claim.startedAt).toISOString(),
            expiresAt: forever ? null : new Date(claim.expiresAt).toISOString(),
            platform: claim.platform,
          };
        }),
      ],
    }),
  );
  return talk.end(0);
}

export function shownLock(event: LockEvent): ShownLock {
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
  return {
    agent: event.agent,
    eventId: event.id,
    createdAt: iso(event.createdAt),
    expiresAt: event.expiresAt === null ? null : iso(event.expiresAt),
    platform: event.platform,
  };
}

/** Whether any relay can be used: each is opened, published to and read, at once. */
export async function health(session: Session, cadence: Cadence): Promise<LockAnswer> {
  const { talk, clock, pool, namespace } = session;
  const probes = await Promise.all(pool.links.map((link) => probe(link, namespace, clock)));
  const ok = probes.some((one) => one.ok);
  talk.json({
    ...{ ok, namespace, cadence, checkedAt: new Date(clock.now()).toISOString() },
    relays: probes.map((one) => {
      const { score, quarantined } = pool.health(one.relay);
      return { ...one, score: Math.round(score * 100) / 100, quarantined };
    }),
  });
  if (ok) return talk.end(0);
  const dead = probes.every(({ openMs }) => openMs === null);
  talk.fault(
    'No relay can be used',
    dead ? 'websocket_connection_refused_or_dns' : 'relay_publish_quorum_failure',
  );
  return talk.end(2);
}
