import type { Keeping, LockAnswer, NewClaim, RosterLock } from './port.ts';

/**
 * The lock over relays, and the machine's own where no relay can be reached: for an owner who would rather
 * have an agent twice than not at all. A claim stays with the lock that gave it.
 */
export function localWhenDown(relays: RosterLock, local: RosterLock): RosterLock {
  const localClaims = new Set<string>();
  const keyOf = ({ cadence, agent }: NewClaim) => `${cadence}/${agent}`;
  const holder = (claim: NewClaim) => (localClaims.has(keyOf(claim)) ? local : relays);

  async function orLocal(
    asked: Promise<LockAnswer>,
    fallback: () => Promise<LockAnswer>,
  ): Promise<{ answer: LockAnswer; isLocal: boolean }> {
    const answer = await asked;
    if (answer.code !== 2) return { answer, isLocal: false };
    const own = await fallback();
    const stderr = `${answer.stderr}The relays are down: this machine's own lock decides.\n${own.stderr}`;
    return { answer: { ...own, stderr }, isLocal: true };
  }

  return {
    check: async (cadence) =>
      (await orLocal(relays.check(cadence), () => local.check(cadence))).answer,
    async acquire(claim) {
      const { answer, isLocal } = await orLocal(relays.acquire(claim), () => local.acquire(claim));
      if (answer.code === 0 && isLocal) localClaims.add(keyOf(claim));
      else if (answer.code === 0) localClaims.delete(keyOf(claim));
      return answer;
    },
    complete: (claim) => holder(claim).complete(claim),
    health: (cadence) => relays.health(cadence),
    keep: (claim, say): Keeping => holder(claim).keep(claim, say),
  };
}
