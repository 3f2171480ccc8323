import { openRosterStore } from '../../../base/store/roster-lock.ts';
import { machineClaims } from './claims.ts';
import type { Claim } from './port.ts';
import { repositoryScope } from './scope.ts';
import type { LockOptions } from './session.ts';

/** Gives an agent free that this machine's own lock holds: its run was stopped, and is begun anew. */
export function releaseLocal(options: LockOptions, claim: Claim): void {
  const store = openRosterStore(options.home);
  try {
    const claims = machineClaims(store, `local:${repositoryScope(options.root)}`, new Map());
    const row = claims.current(claim, options.clock.now());
    if (row) claims.lose(row.id);
  } finally {
    store.close();
  }
}
