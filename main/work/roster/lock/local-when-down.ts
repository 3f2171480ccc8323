import type { Claim, LockAnswer, RosterLock } from './port.ts';

/**
 * The lock over relays, and the machine's own where no relay can be reached: for an owner who would rather
 * have an agent twice than not at all. A claim stays with the lock that gave it.
 */
export function localWhenDown(relays: RosterLock, local: RosterLock): RosterLock {
  /** Claims of this process that the machine's own lock gave. */
  const own = new Set<string>();
  const keyOf = ({ cadence, agent }: Claim) => `${cadence}/${agent}`;

  async function orLocal(
    asked: LockAnswer,
    fallback: () => Promise<LockAnswer>,
  ): Promise<{ answer: LockAnswer; isLocal: boolean }> {
    if (asked.code !== 2) return { answer: asked, isLocal: false };
    const answer = await fallback();
    const stderr = `${asked.stderr}The relays are down: this machine's own lock decides.\n${answer.stderr}`;
    return { answer: { ...answer, stderr }, isLocal: true };
  }

  return {
    check: async (cadence) =>
      (await orLocal(await relays.check(cadence), () => local.check(cadence))).answer,
    async acquire(claim) {
      const asked = await relays.acquire(claim);
      const { answer, isLocal } = await orLocal(asked, () => local.acquire(claim));
      if (answer.code === 0 && isLocal) own.add(keyOf(claim));
      else if (answer.code === 0) own.delete(keyOf(claim));
      return answer;
    },
    async complete(claim) {
      if (own.has(keyOf(claim))) return local.complete(claim);
      const asked = await relays.complete(claim);
      if (asked.code !== 1 && asked.code !== 2) return asked;
      const answer = await local.complete(claim); // perhaps another process claimed it here
      return answer.code === 1 ? asked : answer;
    },
    release: (claim) => (own.has(keyOf(claim)) ? local : relays).release(claim),
    health: (cadence) => relays.health(cadence),
    keep: (claim, say) => (own.has(keyOf(claim)) ? local : relays).keep(claim, say),
  };
}
