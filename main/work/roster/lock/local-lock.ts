import type { ClaimRow } from '../../../base/store/roster-claims.ts';
import { openRosterStore, type RosterStore } from '../../../base/store/roster-lock.ts';
import type { Cadence } from '../repository/cadence.ts';
import {
  acquired,
  checkDocument,
  completed,
  denied,
  type ShownLock,
  Transcript,
} from './answer.ts';
import { type MachineClaims, machineClaims } from './claims.ts';
import { completedInLogs } from './completed-logs.ts';
import { refuseUnknown } from './in-roster.ts';
import { keepRenewing, type Renewal } from './keeping.ts';
import { originOf } from './origin.ts';
import { platformOf } from './platform.ts';
import type { Claim, LockAnswer, RosterLock } from './port.ts';
import { repositoryScope } from './scope.ts';
import type { LockOptions, Made } from './session.ts';
import { datesThatCount, utcDate, windowOf } from './window.ts';

/** Enough for the one transaction in which a claim is made. */
const RESERVED_MS = 60_000;

interface LocalSession {
  store: RosterStore;
  claims: MachineClaims;
  talk: Transcript;
}

/**
 * The lock between the processes of one machine, kept in roster.sqlite. Nothing leaves the machine, and
 * there are no races: a transaction decides. It answers as the lock over relays does.
 */
export function localLock(options: LockOptions): RosterLock {
  const made: Made = new Map();
  const { clock, settings, roster, root, env } = options;
  const ttlMs = settings.ttlSeconds * 1000;

  async function inLocalSession(
    work: (session: LocalSession) => LockAnswer | Promise<LockAnswer>,
  ): Promise<LockAnswer> {
    const talk = new Transcript();
    let store: RosterStore | null = null;
    try {
      store = openRosterStore(options.home);
      const claims = machineClaims(store, `local:${repositoryScope(root)}`, made);
      return await work({ store, claims, talk });
    } catch (error) {
      talk.failed(error, options.home);
      return talk.end(2);
    } finally {
      store?.close();
    }
  }

  function live(claims: MachineClaims, cadence: Cadence): ClaimRow[] {
    const now = clock.now();
    const dates = datesThatCount(cadence, now);
    const window = windowOf(cadence, utcDate(now));
    return claims
      .since(cadence, dates[0] ?? utcDate(now))
      .claims.filter((claim) =>
        claim.state === 'completed'
          ? claim.window === window
          : (claim.state === 'held' || claim.state === 'acquiring') && claim.expiresAt > now,
      );
  }

  return {
    check: (cadence) =>
      inLocalSession(({ claims, talk }) => {
        const date = utcDate(clock.now());
        talk.json(
          checkDocument({
            ...{ namespace: settings.namespace, cadence, date, roster: roster[cadence] },
            paused: options.paused[cadence],
            completed: completedInLogs(root, cadence, date),
            locks: live(claims, cadence).map(shown),
          }),
        );
        return talk.end(0);
      }),

    acquire: async (claim) =>
      refuseUnknown(roster, claim) ??
      (await inLocalSession(async ({ claims, talk }) => {
        const origin = await originOf(root, claim, clock);
        const now = clock.now();
        const platform = platformOf(claim.platform, env);
        const reserved = claims.reserve(claim, { now, untilMs: now + RESERVED_MS, platform });
        if (!reserved.ok) return denied(talk, reserved.reason, nameOf(reserved.claim));
        const { id, date } = reserved.claim;
        claims.announce(id, `local-${id}`);
        claims.hold(id, now, now + ttlMs);
        return acquired(talk, {
          ...{ event: `local-${id}`, pubkey: 'local', agent: claim.agent, cadence: claim.cadence },
          ...{ date, hashtag: settings.hashtag, expiresAt: Math.floor((now + ttlMs) / 1000) },
          ...{ gitCommit: origin.gitCommit, promptHash: origin.promptHash },
        });
      })),

    complete: (claim) =>
      inLocalSession(({ claims, talk }) => {
        const row = claims.current(claim, clock.now());
        if (row && (row.state === 'completed' || claims.complete(row.id))) {
          return completed(talk, { ...claim, event: nameOf(row), date: row.date });
        }
        const other = live(claims, claim.cadence).find(({ agent }) => agent === claim.agent);
        if (other) {
          talk.say(`${claim.agent} is not ours any more`);
          return denied(talk, 'already_locked', nameOf(other));
        }
        talk.say(`There is no lock on ${claim.agent} to complete - acquire it first`);
        return talk.end(1);
      }),

    async release(claim) {
      await inLocalSession(({ claims, talk }) => {
        const row = claims.own(claim);
        if (row) claims.lose(row.id);
        return talk.end(0);
      });
    },

    health: (cadence) =>
      inLocalSession(({ talk }) => {
        talk.json({ ok: true, namespace: settings.namespace, cadence, lock: 'local', relays: [] });
        return talk.end(0);
      }),

    keep: (claim, say) => keepRenewing({ clock, ttlMs, say, renew: () => renewOnce(claim) }),
  };

  async function renewOnce(claim: Claim): Promise<Renewal> {
    let held = false;
    const answer = await inLocalSession(({ claims, talk }) => {
      const row = claims.current(claim, clock.now());
      held = row !== null && claims.renew(row.id, clock.now() + ttlMs);
      return talk.end(0);
    });
    if (answer.code === 2) return { failed: answer.stderr.trim() };
    return held ? 'renewed' : { lost: `another process has ${claim.agent}` };
  }
}

function nameOf(row: ClaimRow): string {
  return `local-${row.id}`;
}

function shown(row: ClaimRow): ShownLock {
  return {
    agent: row.agent,
    eventId: nameOf(row),
    createdAt: new Date(row.startedAt).toISOString(),
    expiresAt: row.state === 'completed' ? null : new Date(row.expiresAt).toISOString(),
    platform: row.platform,
  };
}
