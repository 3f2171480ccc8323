import { existsSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { LullError, toFailure } from '../errors.ts';
import { failpoint } from '../failpoint.ts';
import { makeBackup } from './backup.ts';
import { backupName } from './backup-folder.ts';
import { readMark } from './mark.ts';
import { MIGRATIONS } from './migrations.ts';
import { faultOf } from './soundness.ts';
import { openSteady } from './steady.ts';

/** "LULL" in ASCII: marks the file as ours, so that another program's database is not migrated. */
const APPLICATION_ID = 0x4c554c4c;

/** SQLite before this can corrupt a WAL database (the WAL-reset fault mended in 3.51.3). */
const OLDEST_SQLITE = [3, 51, 3];

export interface Store {
  readonly db: Database.Database;
  readonly path: string;
  /**
   * Runs `work` in one immediate transaction and returns what it returns. Commits when it returns,
   * rolls back when it throws. Nesting is refused, and so is asynchronous work: either would let
   * something else into the transaction.
   */
  tx<T>(work: () => T): T;
  /** Runs `work` in the caller's transaction, or in one of its own where there is none. */
  join<T>(work: () => T): T;
  /** Counts the rows that were written since it was opened, those of a transaction undone among them. */
  written(): number;
  /** What SQLite's own check of the file says, line by line; `ok` when it is sound. */
  quickCheck(): string[];
  /** Bytes of the database and of its write-ahead log. */
  sizes(): { database: number; log: number };
  /** Takes the write-ahead log into the database and gives free pages back; for idle moments. */
  tidy(): void;
  close(): void;
}

export interface OpenOptions {
  /** Where a backup is put before each migration; none is made for a new database. */
  backups: string;
  now: number;
  readonly?: boolean;
  /** Reads the whole file through before anything is written to it; throws database_damaged. */
  check?: boolean;
  synchronous?: 'FULL' | 'NORMAL';
  /** The list of migrations; a test may give a longer or a broken one. */
  migrations?: readonly string[];
}

/**
 * Opens the database (made if missing) with the settings Lull relies on: WAL, synchronous FULL,
 * incremental auto-vacuum, foreign keys, and `fullfsync` on macOS. Migrates it to the newest number.
 * Throws LullError: database_newer, database_damaged, database_read_only, host_running, disk_full.
 */
export async function openStore(path: string, options: OpenOptions): Promise<Store> {
  if (options.readonly && !existsSync(path)) {
    throw new LullError(
      'not_found',
      'there is no database here yet',
      'start Lull once: lull start',
    );
  }
  let db: Database.Database | undefined;
  try {
    db = openSteady(path, { readonly: options.readonly ?? false, timeout: 5000 });
    requireSqlite(db);
    const migrations = options.migrations ?? MIGRATIONS;
    const version = checkOwnership(db, path, migrations.length);
    if (options.check) refuseDamage(db, path, migrations.slice(0, version));
    if (!options.readonly) {
      if (version === 0) db.pragma('auto_vacuum = INCREMENTAL');
      db.pragma('journal_mode = WAL');
      db.pragma(`synchronous = ${options.synchronous ?? 'FULL'}`);
      db.pragma('journal_size_limit = 67108864');
      if (process.platform === 'darwin') db.pragma('fullfsync = 1');
    }
    db.pragma('foreign_keys = ON');
    if (!options.readonly) await migrate(db, version, options);
    else refuseOlder(version);
    return storeOver(db, path);
  } catch (error) {
    db?.close();
    if (error instanceof LullError) throw error;
    const { code, message, hint } = toFailure(error);
    throw new LullError(code, `${message}: ${path}`, hint, { cause: error });
  }
}

function requireSqlite(db: Database.Database): void {
  const text = db.prepare('SELECT sqlite_version()').pluck().get() as string;
  const found = text.split('.').map(Number);
  for (const [index, least] of OLDEST_SQLITE.entries()) {
    const part = found[index] ?? 0;
    if (part > least) return;
    if (part < least) {
      throw new LullError('failed', `SQLite ${text} is older than ${OLDEST_SQLITE.join('.')}`);
    }
  }
}

/** The migration number of the file; refuses a foreign or a newer database without touching it. */
function checkOwnership(db: Database.Database, path: string, newest: number): number {
  const { version, owner, isNew } = readMark(db);
  if (owner !== APPLICATION_ID && !isNew) {
    throw new LullError(
      'database_damaged',
      `this is not a Lull database: ${path}`,
      'choose another data folder with --home, or put a backup in its place with: lull restore',
    );
  }
  if (version > newest) {
    throw new LullError(
      'database_newer',
      `the database was written by a newer Lull (version ${version}, this one knows ${newest}): ${path}`,
      'install the newer Lull; nothing was changed',
    );
  }
  return version;
}

function refuseDamage(db: Database.Database, path: string, applied: readonly string[]): void {
  const fault = faultOf(db, applied);
  if (fault === null) return;
  throw new LullError(
    'database_damaged',
    `the database is damaged: ${fault}: ${path}`,
    'put a backup in its place with: lull restore',
  );
}

/** Whoever only reads cannot migrate; a table that is not there yet would fail half way. */
function refuseOlder(version: number): void {
  if (version === 0) throw new LullError('not_found', 'there is no database here yet');
  if (version < MIGRATIONS.length) {
    throw new LullError(
      'refused',
      `the database is of an older Lull (version ${version}, this one needs ${MIGRATIONS.length})`,
      'start Lull once: lull start',
    );
  }
}

async function migrate(db: Database.Database, from: number, options: OpenOptions): Promise<void> {
  const migrations = options.migrations ?? MIGRATIONS;
  for (let number = from + 1; number <= migrations.length; number++) {
    if (from > 0) {
      const name = backupName('before', options.now, number);
      await makeBackup(db, options.backups, name, migrations.slice(0, number - 1));
      failpoint('migration.backup');
    }
    db.exec('BEGIN IMMEDIATE');
    try {
      db.exec(migrations[number - 1] as string);
      failpoint('migration.inside');
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${number}`);
      db.exec('COMMIT');
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw error;
    }
    failpoint('migration.after');
  }
}

function storeOver(db: Database.Database, path: string): Store {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const changes = db.prepare('SELECT total_changes()').pluck();
  const pages = db.prepare('PRAGMA page_count').pluck();
  const pageSize = db.prepare('PRAGMA page_size').pluck();
  function tx<T>(work: () => T): T {
    if (db.inTransaction) throw new Error('transactions do not nest');
    begin.run();
    try {
      const value = work();
      if (value instanceof Promise) throw new Error('a transaction holds no asynchronous work');
      commit.run();
      return value;
    } catch (error) {
      if (db.inTransaction) rollback.run();
      throw error;
    }
  }
  return {
    db,
    path,
    tx,
    join: (work) => (db.inTransaction ? work() : tx(work)),
    written: () => changes.get() as number,
    quickCheck: () =>
      (db.pragma('quick_check') as { quick_check: string }[]).map((row) => row.quick_check),
    sizes: () => ({
      database: Number(pages.get()) * Number(pageSize.get()),
      // Asking for the size opens nothing, so no lock is lost.
      log: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    }),
    tidy() {
      db.pragma('incremental_vacuum(1000)');
      db.pragma('wal_checkpoint(TRUNCATE)');
    },
    close() {
      if (db.open) db.close();
    },
  };
}
