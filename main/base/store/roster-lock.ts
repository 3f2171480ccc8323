import Database from 'better-sqlite3';
import { LullError, toFailure } from '../errors.ts';
import { createHome, type Home } from '../home.ts';
import { readMark } from './mark.ts';
import { type ClaimsTable, claimsDefinition, claimsTable } from './roster-claims.ts';
import { type DoublesTable, doublesDefinition, doublesTable } from './roster-doubles.ts';
import { type RelaysTable, relaysDefinition, relaysTable } from './roster-relays.ts';

/** "LULR" in ASCII: marks roster.sqlite as ours. */
const APPLICATION_ID = 0x4c554c52;

/** Numbered, append-only, as in migrations.ts. */
const MIGRATIONS: readonly string[] = [
  [claimsDefinition, relaysDefinition, doublesDefinition].join('\n'),
];

/** What this machine knows of the locks on roster agents: its claims, its relays, doubles it found. */
export interface RosterStore {
  claims: ClaimsTable;
  relays: RelaysTable;
  doubles: DoublesTable;
  /** One immediate transaction; waits up to five seconds for another process. */
  tx<T>(work: () => T): T;
  close(): void;
}

/**
 * Opens roster.sqlite (made if missing, with its folder). No host is needed: several processes use it at
 * once, each for a moment. It keeps the rollback journal, for there is nothing to gain from readers beside
 * a writer, and a change of journal mode does not wait for others. Throws LullError.
 */
export function openRosterStore(home: Home): RosterStore {
  let db: Database.Database | undefined;
  try {
    createHome(home);
    db = new Database(home.roster, { timeout: 5000 });
    db.pragma('journal_mode = PERSIST'); // each claim then waits for the disk once less
    db.pragma('synchronous = FULL');
    if (process.platform === 'darwin') db.pragma('fullfsync = 1');
    const opened = db;
    const tx = <T>(work: () => T): T => opened.transaction(work).immediate();
    if (versionOf(opened, home.roster) < MIGRATIONS.length) tx(() => migrate(opened, home.roster));
    return {
      claims: claimsTable(opened),
      relays: relaysTable(opened),
      doubles: doublesTable(opened),
      tx,
      close: () => void opened.close(),
    };
  } catch (error) {
    db?.close();
    throw rosterFault(error, home);
  }
}

/**
 * What went wrong with roster.sqlite, with its path and how to mend it; anything that is not of the file
 * is told as it is. The file is in no backup, for a claim that comes back from yesterday keeps nothing apart.
 */
export function rosterFault(error: unknown, { roster }: Home): LullError {
  if (error instanceof LullError) return error;
  const { code, message, hint } = toFailure(error);
  const isOfFile = /^SQLITE_/.test(String((error as { code?: unknown } | null)?.code));
  if (!isOfFile) return new LullError(code, message, hint, { cause: error });
  if (code === 'database_damaged') return damaged(`it is damaged: ${roster}`, error);
  return new LullError(code, `${message}: ${roster}`, hint, { cause: error });
}

function damaged(why: string, cause?: unknown): LullError {
  return new LullError(
    'database_damaged',
    `this machine's record of locks cannot be used, ${why}`,
    'move the file away: a new one is made, and what ran on this machine today may run once more',
    { cause },
  );
}

/** The migration number of the file; refuses a foreign or a newer one without touching it. */
function versionOf(db: Database.Database, path: string): number {
  const { version, owner, isNew } = readMark(db);
  if (owner !== APPLICATION_ID && !isNew) {
    throw damaged(`it is not Lull's: ${path}`);
  }
  if (version > MIGRATIONS.length) {
    throw new LullError(
      'database_newer',
      `the record of locks was written by a newer Lull: ${path}`,
      'install the newer Lull; nothing was changed',
    );
  }
  return version;
}

function migrate(db: Database.Database, path: string): void {
  const version = versionOf(db, path); // another process may have been first
  if (version === MIGRATIONS.length) return;
  for (const migration of MIGRATIONS.slice(version)) db.exec(migration);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${MIGRATIONS.length}`);
}
