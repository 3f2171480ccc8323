import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LullError } from '../errors.ts';
import type { Home } from '../home.ts';
import { backupFault } from './backup.ts';
import { type Backup, isOwn, listBackups } from './backup-folder.ts';
import { openStore, type Store } from './database.ts';
import { MIGRATIONS } from './migrations.ts';
import { finishRestore, type RestorePlan, restore } from './restore.ts';
import { lostCommits } from './wal-scan.ts';

/** A database that was read through, and what had to be done for it. */
export interface SoundStore {
  readonly store: Store;
  /** A backup was put in its place, and the owner was not told yet; null: nothing of that kind. */
  readonly restored: RestorePlan | null;
  /** Where a log is kept whose last changes could not be read; null: none were lost. */
  readonly lostLog: string | null;
}

/**
 * Opens the database of a folder for its host: reads it through, and where it is damaged or gone, sets
 * it aside and puts the newest good backup in its place. Where there is no good one, it throws
 * database_damaged and leaves everything as it is: an empty start would look as if all were lost.
 * To be called by the holder of the lock while this process has the database closed.
 */
export async function openSound(home: Home, now: number): Promise<SoundStore> {
  const told = finishRestore(home);
  const lostLog = keepBrokenLog(home, now);
  // The owner may have asked to begin empty: then it is meant to be gone.
  const fault = told?.backup === null ? null : await missing(home);
  if (fault === null) {
    try {
      const { store } = await open(home, now);
      if (told) skipUsedNumbers(store, home);
      return { store, restored: told, lostLog };
    } catch (error) {
      if (!(error instanceof LullError) || error.code !== 'database_damaged') throw error;
      return await replaced(home, now, error);
    }
  }
  return replaced(home, now, fault);
}

async function open(home: Home, now: number): Promise<{ store: Store }> {
  return { store: await openStore(home.database, { backups: home.backups, now, check: true }) };
}

async function replaced(home: Home, now: number, fault: LullError): Promise<SoundStore> {
  const good = await newestGood(home);
  if (!good) {
    throw new LullError(
      'database_damaged',
      fault.message,
      'no good backup is there: bring one with lull restore FILE, or begin anew with lull restore --empty',
      { cause: fault },
    );
  }
  const { name, at } = good;
  const why = { backup: name, madeAt: at, at: now, fault: fault.message };
  const restored = restore(home, why);
  const { store } = await open(home, now);
  skipUsedNumbers(store, home);
  return { store, restored, lostLog: null };
}

/** A database that is gone, or cut to nothing, where there was one: SQLite would make a new one. */
async function missing(home: Home): Promise<LullError | null> {
  const size = statSync(home.database, { throwIfNoEntry: false })?.size;
  if (size || (await newestGood(home)) === null) return null;
  const what = size === 0 ? 'damaged: it is empty' : 'gone';
  return new LullError('database_damaged', `the database is ${what}: ${home.database}`);
}

/** The newest backup of what this folder held that can be put back; null where there is none. */
export async function newestGood(home: Home): Promise<Backup | null> {
  for (const one of listBackups(home.backups)) {
    if (!isOwn(one)) continue;
    if ((await backupFault(one, MIGRATIONS)) === null) return one;
  }
  return null;
}

function keepBrokenLog(home: Home, now: number): string | null {
  const wal = `${home.database}-wal`;
  if (lostCommits(wal) === 0) return null;
  mkdirSync(home.setAside, { recursive: true, mode: 0o700 });
  const kept = join(home.setAside, `lull-${now}.sqlite-wal`);
  copyFileSync(wal, kept);
  return kept;
}

/**
 * Orders that were written after the backup was made keep their numbers: a new draft that took one of
 * them could never be written.
 */
export function skipUsedNumbers(store: Store, home: Home): void {
  const used = readdirSync(home.orders).map((name) => Number(/^(\d+)\./.exec(name)?.[1] ?? 0));
  const highest = Math.max(0, ...used);
  store.tx(() => {
    const raise = store.db.prepare(
      "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'drafts'",
    );
    if (raise.run(highest).changes === 0 && highest > 0) {
      store.db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('drafts', ?)").run(highest);
    }
  });
}
