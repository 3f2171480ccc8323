import { createHash } from 'node:crypto';
import { chmodSync, createReadStream, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Database from 'better-sqlite3';
import { LullError } from '../errors.ts';
import { failpoint } from '../failpoint.ts';
import { type Backup, digestPath, listBackups, tidyBackups } from './backup-folder.ts';
import { flush, place, writePlaced } from './flush.ts';
import { faultOf } from './soundness.ts';

/**
 * Makes a backup by SQLite's own means, while the database is in use: under a temporary name first,
 * read through and flushed, with its SHA-256 beside it, and only then under its own name. What has had
 * its time goes afterwards. Throws LullError: disk_full (nothing is left behind), database_damaged
 * where the copy is not sound, which then holds for the database too.
 */
export async function makeBackup(
  db: Database.Database,
  folder: string,
  name: string,
  applied: readonly string[],
): Promise<Backup> {
  const partial = join(folder, `.${name}.partial`);
  try {
    rmSync(partial, { force: true });
    requireSpace(db, folder);
    await db.backup(partial);
    failpoint('backup.copied');
    await seal(partial, join(folder, name), applied);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  tidyBackups(folder);
  const made = listBackups(folder).find((one) => one.name === name);
  if (!made) throw new LullError('failed', `the backup is gone: ${join(folder, name)}`);
  return made;
}

/**
 * Makes a finished copy of a database a backup: reads it through, flushes it, writes its SHA-256 and
 * gives it its name. The copy is turned into one file that needs no log beside it.
 */
export async function seal(
  partial: string,
  path: string,
  applied: readonly string[],
): Promise<void> {
  const fault = readThrough(partial, applied);
  if (fault) {
    throw new LullError('database_damaged', `the database is damaged: ${fault}: ${basename(path)}`);
  }
  chmodSync(partial, 0o600);
  flush(partial);
  writePlaced(digestPath(path), `${await fileDigest(partial)}  ${basename(path)}\n`);
  failpoint('backup.sealed');
  place(partial, path);
}

function readThrough(path: string, applied: readonly string[]): string | null {
  const db = new Database(path);
  try {
    db.pragma('journal_mode = DELETE');
    return faultOf(db, applied);
  } finally {
    db.close();
  }
}

/** A backup that fills the disk would do more harm than it could mend. */
function requireSpace(db: Database.Database, folder: string): void {
  const pages = db.pragma('page_count', { simple: true }) as number;
  const size = pages * (db.pragma('page_size', { simple: true }) as number);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= 2 * size) return;
  throw new LullError(
    'disk_full',
    `the disk is too full for a backup of ${Math.ceil(size / 1_000_000)} MB`,
    'free some space and try again',
  );
}

/** What keeps a backup from being put back, in a few words; null where nothing does. */
export async function backupFault(
  backup: Pick<Backup, 'path'>,
  migrations: readonly string[],
): Promise<string | null> {
  if (!statSync(backup.path, { throwIfNoEntry: false })) return 'it is not there';
  const said = digestOf(backup.path);
  if (said === null) return 'its SHA-256 is missing';
  if (said !== (await fileDigest(backup.path))) return 'it is not what was written (SHA-256)';
  return databaseFault(backup.path, migrations);
}

/** What keeps a file from being taken for a sound database of this Lull or an older one. */
export function databaseFault(path: string, migrations: readonly string[]): string | null {
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true });
    const version = db.pragma('user_version', { simple: true }) as number;
    if (version > migrations.length) return 'it was written by a newer Lull';
    if (version < 1) return 'it is no database of Lull';
    return faultOf(db, migrations.slice(0, version));
  } catch (error) {
    return (error as Error).message;
  } finally {
    db?.close();
  }
}

function digestOf(path: string): string | null {
  try {
    return /^[0-9a-f]{64}(?= )/.exec(readFileSync(digestPath(path), 'utf8'))?.[0] ?? null;
  } catch {
    return null;
  }
}

async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
