import type { RosterSettings } from '../../../base/roster-schema.ts';
import { lockOptions } from '../lock/open-lock.ts';
import type { Claim } from '../lock/port.ts';
import { releaseLocal } from '../lock/release-local.ts';
import type { LockGround } from './hosted-lock.ts';

/**
 * Gives an agent free whose run was stopped, so that it has its turn when the work is begun anew. Over
 * relays a claim cannot be taken back for certain: there it ends with its time to live.
 */
export async function releaseLock(
  root: string,
  claim: Claim,
  { lock }: Pick<RosterSettings, 'lock'>,
  ground: LockGround,
): Promise<void> {
  if (lock !== 'local') return;
  const options = lockOptions({ root, ...ground });
  if (options.ok) releaseLocal(options.value, claim);
}
