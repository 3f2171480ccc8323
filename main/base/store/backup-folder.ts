import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Why a backup was made: `before` a migration; `given` and `imported` came from outside. */
export type BackupReason = 'daily' | 'asked' | 'before' | 'given' | 'imported';

export interface Backup {
  /** The file's name in the backups folder: `daily-1780000000000.sqlite`. */
  name: string;
  path: string;
  reason: BackupReason;
  /** When it was made, epoch ms. */
  at: number;
  bytes: number;
}

const NAME = /^(daily|asked|before|given|imported)(?:-(\d+))?-(\d{1,15})\.sqlite$/;

/** How many are kept of each kind; beside the last days, the newest of each of the last weeks. */
const KEPT = { daily: 7, weekly: 4, asked: 5, before: 3, given: 1, imported: 1 } as const;
/** All together, unless even the two newest are larger. */
const MOST_BYTES = 2_000_000_000;
const WEEK_MS = 7 * 86_400_000;

/** The name of a backup; `number` is that of the migration it was made before. */
export function backupName(reason: BackupReason, at: number, number?: number): string {
  return `${reason}${number === undefined ? '' : `-${number}`}-${at}.sqlite`;
}

/** Whether a name can be that of a backup: nothing else is ever taken from, or put into, the folder. */
export function isBackupName(name: string): boolean {
  return NAME.test(name);
}

/** Whether it is a copy of what this folder held, and so may be put back without being asked for. */
export function isOwn({ reason }: Pick<Backup, 'reason'>): boolean {
  return reason !== 'given' && reason !== 'imported';
}

/** Where the SHA-256 of a backup stands, in the form that `sha256sum --check` reads. */
export function digestPath(path: string): string {
  return `${path}.sha256`;
}

/** The backups of a folder, the newest first; an empty list where there is no folder. */
export function listBackups(folder: string): Backup[] {
  return names(folder)
    .flatMap((name) => {
      const found = NAME.exec(name);
      if (!found) return [];
      const path = join(folder, name);
      const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      return [{ name, path, reason: found[1] as BackupReason, at: Number(found[3]), bytes: size }];
    })
    .sort((a, b) => b.at - a.at || a.name.localeCompare(b.name));
}

/** Those that have had their time; `backups` are the newest first. The two newest always stay. */
export function surplus(backups: readonly Backup[]): Backup[] {
  const kept = new Set<Backup>();
  const weeks = new Set<number>();
  const counts = { daily: 0, asked: 0, before: 0, given: 0, imported: 0 };
  for (const one of backups) {
    counts[one.reason] += 1;
    if (counts[one.reason] <= KEPT[one.reason]) kept.add(one);
    const week = Math.floor(one.at / WEEK_MS);
    if (one.reason === 'daily' && weeks.size < KEPT.weekly && !weeks.has(week)) {
      weeks.add(week);
      kept.add(one);
    }
  }
  const newest = backups.slice(0, 2);
  for (const one of newest) kept.add(one);
  let bytes = 0;
  for (const one of backups) {
    if (!kept.has(one)) continue;
    bytes += one.bytes;
    if (bytes > MOST_BYTES && !newest.includes(one)) kept.delete(one);
  }
  return backups.filter((one) => !kept.has(one));
}

/** Removes what has had its time, and what a crash left half made. */
export function tidyBackups(folder: string): void {
  for (const { path } of surplus(listBackups(folder))) removeBackup(path);
  const left = new Set(names(folder));
  const changed = (name: string) =>
    statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // A fresh one may be under way, made by another process.
  const isOld = (name: string) => changed('.') - changed(name) > 3_600_000;
  for (const name of left) {
    const orphaned = name.endsWith('.sha256') && !left.has(name.slice(0, -'.sha256'.length));
    if (isOld(name) && (orphaned || name.includes('.partial'))) {
      rmSync(join(folder, name), { force: true });
    }
  }
}

export function removeBackup(path: string): void {
  rmSync(path, { force: true });
  rmSync(digestPath(path), { force: true });
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
