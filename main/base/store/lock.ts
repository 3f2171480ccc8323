import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { LullError, toFailure } from '../errors.ts';
import { createHome, type Home } from '../home.ts';
import {
  describeHost,
  type HostInfo,
  readHostInfo,
  removeHostInfo,
  socketPath,
  writeHostInfo,
} from '../host-file.ts';

/** The right to be the one writer of a data folder. It ends with `release`, or with the process. */
export interface HostLock {
  readonly home: Home;
  readonly info: HostInfo;
  release(): void;
}

/** Keeps the connections from being collected: closing one would drop its lock. */
const held = new Set<Database.Database>();

/**
 * Takes the lock of a data folder: an exclusive transaction on lock.sqlite that is never committed.
 * The kernel ends it with the process, however that ends, so no lock can be left over. These are
 * POSIX locks: one read of lock.sqlite through `fs` in this process would drop them unseen.
 *
 * Waits `waitMs` for a command that holds it for a moment; then throws LullError host_running,
 * naming the holder. The data folder is made if it is missing.
 */
export function takeLock(
  home: Home,
  options: { version: string; now: number; waitMs?: number },
): HostLock {
  let db: Database.Database | undefined;
  try {
    createHome(home);
    db = new Database(home.lock, { timeout: options.waitMs ?? 500 });
    db.exec('BEGIN EXCLUSIVE');
    const info: HostInfo = {
      pid: process.pid,
      version: options.version,
      startedAt: options.now,
      socket: socketPath(home),
    };
    writeHostInfo(home, info);
    held.add(db);
    return { home, info, release: releaser(home, db) };
  } catch (error) {
    db?.close();
    throw isBusy(error) ? heldByAnother(home, error) : unusable(home, error);
  }
}

/** Does a living process hold the lock? Asks SQLite, for a moment and as a reader. */
export function isLocked(home: Home): boolean {
  if (!existsSync(home.lock)) return false;
  let db: Database.Database | undefined;
  try {
    db = new Database(home.lock, { readonly: true, timeout: 0 });
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw unusable(home, error);
  } finally {
    db?.close();
  }
}

function releaser(home: Home, db: Database.Database): () => void {
  return () => {
    if (!held.delete(db)) return;
    removeHostInfo(home); // first: afterwards it may be the next holder's
    db.exec('ROLLBACK');
    db.close();
  };
}

function isBusy(error: unknown): boolean {
  return /^SQLITE_BUSY/.test(String((error as { code?: unknown }).code));
}

function heldByAnother(home: Home, cause: unknown): LullError {
  const info = readHostInfo(home);
  const name = info ? `another Lull (${describeHost(info)})` : 'another Lull';
  return new LullError(
    'host_running',
    `${name} holds this folder: ${home.dir}`,
    'use the running one, stop it first, or choose another folder with --home',
    { cause },
  );
}

function unusable(home: Home, cause: unknown): LullError {
  const { code, message } = toFailure(cause);
  if (code === 'database_damaged') {
    return new LullError(
      code,
      `the lock file is damaged: ${home.lock}`,
      'remove it: it holds no data',
      { cause },
    );
  }
  const denied = /^(EACCES|EPERM|EROFS)$/.test(String((cause as { code?: unknown }).code));
  return new LullError(
    denied ? 'database_read_only' : code,
    `the data folder cannot be used: ${message}: ${home.dir}`,
    'check the folder and its permissions, or choose another with --home',
    { cause },
  );
}
