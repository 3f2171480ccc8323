import { systemClock } from './base/clock.ts';
import { changeConfig, configOf } from './base/config.ts';
import type { Home } from './base/home.ts';
import { createScrubber } from './base/scrubber.ts';
import { openStore } from './base/store/database.ts';
import { takeLock } from './base/store/lock.ts';
import { VERSION } from './base/version.ts';
import { furnish } from './compose.ts';
import { machineFacts } from './engine/gates/machine-facts.ts';
import { nativeHold } from './engine/supervisor/sleep-keeper.ts';
import type { Dispatch } from './surfaces/dispatch.ts';

/**
 * The rooms for one command while no host runs: read-only, or as the one writer under the lock. Facts
 * are the machine's own. Throws LullError host_running when another holds the lock.
 */
export async function openRooms(
  home: Home,
  mode: 'read' | 'write',
): Promise<{ dispatch: Dispatch; close(): Promise<void> }> {
  const clock = systemClock();
  let config = configOf(home.config);
  const lock = mode === 'write' ? takeLock(home, { version: VERSION, now: clock.now() }) : null;
  try {
    const store = await openStore(home.database, {
      backups: home.backups,
      now: clock.now(),
      readonly: mode === 'read',
    });
    const rooms = furnish(
      {
        ...{ home, clock, store, config: () => config, facts: machineFacts(clock, () => config) },
        sleepHold: nativeHold(),
        ...{ seal: null, scrubber: createScrubber() },
        setConfig(changes) {
          const set = changeConfig(home.config, changes);
          if (set.ok) config = set.value;
          return set;
        },
        forceOffline: false,
        offlineDelayMs: 0,
        onFault: () => {},
        onModelChange: () => {},
      },
      () => null,
    );
    return {
      dispatch: rooms.dispatch,
      async close() {
        await rooms.models.close();
        store.close();
        lock?.release();
      },
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}
