import type { Cadence } from '../repository/cadence.ts';
import { refuseUnknown } from './in-roster.ts';
import { keepRenewing, type Renewal } from './keeping.ts';
import { acquire } from './nostr-acquire.ts';
import { check, health } from './nostr-check.ts';
import { complete } from './nostr-complete.ts';
import { renew } from './nostr-keep.ts';
import type { NewClaim, RosterLock } from './port.ts';
import { inSession, type LockOptions, type Made, type Session } from './session.ts';

/**
 * The lock between machines, over Nostr relays, as existing tools keep it: kind 30078, a fresh key for each
 * event, a tag for each day. It is advisory, for relays know no compare-and-swap: docs/roster.md says what
 * it can and cannot promise.
 */
export function nostrLock(options: LockOptions): RosterLock {
  const made: Made = new Map();
  const { clock, settings } = options;

  async function renewOnce(claim: NewClaim, say: (line: string) => void): Promise<Renewal> {
    let result: Renewal = { failed: 'unknown' };
    const answer = await inSession(options, made, async (session: Session) => {
      const lost = await renew(session, claim);
      result = lost === null ? 'renewed' : { lost };
      return session.talk.end(0);
    });
    const lines = answer.stderr.trimEnd().split('\n').filter(Boolean);
    if (answer.code === 2) return { failed: lines.join('; ') };
    for (const line of lines) say(line);
    return result;
  }

  return {
    check: (cadence: Cadence) => inSession(options, made, (session) => check(session, cadence)),
    acquire: async (claim) =>
      refuseUnknown(options.roster, claim) ??
      (await inSession(options, made, (session) => acquire(session, claim))),
    complete: (claim) => inSession(options, made, (session) => complete(session, claim)),
    release: async () => {},
    health: (cadence) => inSession(options, made, (session) => health(session, cadence)),
    keep: (claim, say) =>
      keepRenewing({
        clock,
        ttlMs: settings.ttlSeconds * 1000,
        renew: () => renewOnce(claim, say),
        say,
      }),
  };
}
