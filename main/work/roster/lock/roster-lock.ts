import { localLock } from './local-lock.ts';
import { localWhenDown } from './local-when-down.ts';
import { nostrLock } from './nostr-lock.ts';
import type { RosterLock } from './port.ts';
import type { LockOptions } from './session.ts';

/** The lock over the relays of the settings, by their rule for the case that none can be reached. */
export function rosterLock(options: LockOptions): RosterLock {
  const relays = nostrLock(options);
  return options.settings.whenUnreachable === 'local'
    ? localWhenDown(relays, localLock(options))
    : relays;
}
