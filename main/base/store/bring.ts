import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { LullError } from '../errors.ts';
import { backupFault, databaseFault, seal } from './backup.ts';
import { backupName, digestPath, tidyBackups } from './backup-folder.ts';
import { MIGRATIONS } from './migrations.ts';

/**
 * Takes a database from elsewhere into the backups folder, as a backup of the kind `given`, so that it
 * can be put in place by its name. It is read through first, and compared with a SHA-256 where one lies
 * beside it. Throws LullError invalid, naming what is wrong with it.
 */
export async function bringBackup(file: string, backups: string, now: number): Promise<string> {
  const fault = existsSync(digestPath(file))
    ? await backupFault({ path: file }, MIGRATIONS)
    : databaseFault(file, MIGRATIONS);
  if (fault !== null) {
    throw new LullError(
      'invalid',
      `${basename(file)} cannot be put back: ${fault}`,
      'give a backup, or see: lull backup list',
    );
  }
  const name = backupName('given', now);
  const partial = join(backups, `.${name}.partial`);
  try {
    mkdirSync(backups, { recursive: true, mode: 0o700 });
    copyFileSync(file, partial);
    await seal(partial, join(backups, name), MIGRATIONS.slice(0, versionOf(partial)));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  tidyBackups(backups);
  return name;
}

function versionOf(path: string): number {
  const db = new Database(path, { readonly: true });
  try {
    return db.pragma('user_version', { simple: true }) as number;
  } finally {
    db.close();
  }
}
