import type { Clock } from '../../../base/clock.ts';
import { ok, type Result } from '../../../base/errors.ts';
import type { Home } from '../../../base/home.ts';
import type { RosterSettings } from '../../../base/roster-schema.ts';
import { localLock } from '../lock/local-lock.ts';
import { lockOptions } from '../lock/open-lock.ts';
import type { RosterLock } from '../lock/port.ts';
import { rosterLock } from '../lock/roster-lock.ts';

export interface LockGround {
  readonly home: Home;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The lock Lull itself goes by, for the repository at `root`: that of this machine, or the one over the
 * relays of Lull's own settings. A repository's scripts and relays have no say in it.
 */
export function hostedLock(
  root: string,
  { lock, relays }: Pick<RosterSettings, 'lock' | 'relays'>,
  ground: LockGround,
): Result<RosterLock> {
  const options = lockOptions({ root, ...ground });
  if (!options.ok) return options;
  if (lock === 'local') return ok(localLock(options.value));
  const settings = { ...options.value.settings, relays: [...relays], relayFallbacks: [] };
  return ok(rosterLock({ ...options.value, settings }));
}
