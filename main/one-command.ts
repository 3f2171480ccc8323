import { systemClock } from './base/clock.ts';
import { changeConfig, configOf } from './base/config.ts';
import { toFailure } from './base/errors.ts';
import type { Home } from './base/home.ts';
import { createScrubber } from './base/scrubber.ts';
import { openStore, type Store } from './base/store/database.ts';
import { takeLock } from './base/store/lock.ts';
import { skipUsedNumbers } from './base/store/open-sound.ts';
import { finishRestore, forgetRestore, restore } from './base/store/restore.ts';
import { VERSION } from './base/version.ts';
import { furnish, type Rooms } from './compose.ts';
import { type BackupParts, openBackups } from './desk/backups.ts';
import { machineFacts } from './engine/gates/machine-facts.ts';
import { nativeHold } from './engine/supervisor/sleep-keeper.ts';
import { backupHandlers } from './surfaces/backup-commands.ts';
import { type Dispatch, dispatcher, type Handlers } from './surfaces/dispatch.ts';

/**
 * The rooms for one command while no host runs: read-only, or as the one writer under the lock. Facts
 * are the machine's own. The database is opened by the first command that needs it, for a backup can
 * be put in the place of one that cannot be opened. Throws LullError host_running when another holds
 * the lock.
 */
export async function openRooms(
  home: Home,
  mode: 'read' | 'write',
): Promise<{ dispatch: Dispatch; close(): Promise<void> }> {
  const clock = systemClock();
  const now = () => clock.now();
  let config = configOf(home.config);
  const lock = mode === 'write' ? takeLock(home, { version: VERSION, now: now() }) : null;
  let opened: { store: Store; rooms: Rooms } | null = null;

  async function open() {
    if (lock) finishRestore(home);
    const store = await openStore(home.database, {
      ...{ backups: home.backups, now: now(), readonly: mode === 'read' },
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
        ...{ forceOffline: false, offlineDelayMs: 0 },
        ...{ onFault: () => {}, onModelChange: () => {} },
      },
      () => null,
    );
    return { store, rooms };
  }

  async function close(): Promise<void> {
    const closing = opened;
    opened = null;
    await closing?.rooms.models.close();
    closing?.store.close();
  }

  const replace: BackupParts['replace'] = async (wanted) => {
    await close();
    const plan = restore(home, wanted);
    opened = await open();
    skipUsedNumbers(opened.store, home);
    forgetRestore(home); // whoever asked for it reads the answer
    return plan;
  };
  const { timeZone: zone } = new Intl.DateTimeFormat().resolvedOptions();
  const backups = openBackups({
    ...{ home, now, zone, replace },
    store() {
      throw new Error('these commands need no open database');
    },
  });
  const bare = dispatcher(backupHandlers(backups) as Handlers);

  return {
    async dispatch(command, input) {
      if (/^backup\.(list|restore)$/.test(command)) return bare(command, input);
      try {
        opened ??= await open();
      } catch (error) {
        return toFailure(error);
      }
      return opened.rooms.dispatch(command, input);
    },
    async close() {
      await close();
      lock?.release();
    },
  };
}
