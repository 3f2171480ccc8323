import type Database from 'better-sqlite3';

/** What a database file says of itself. */
export interface Mark {
  /** The number of the last migration applied; 0 for a new file. */
  version: number;
  /** SQLite's `application_id`; 0 for a new file. */
  owner: number;
  /** Nothing was written to it yet, by us or by anyone. */
  isNew: boolean;
}

/**
 * Reads the mark of a file at one moment: in one transaction, for another process may be making it just
 * now, and half of its mark would look like the file of another program.
 */
export function readMark(db: Database.Database): Mark {
  const read = db.transaction(() => {
    const version = db.pragma('user_version', { simple: true }) as number;
    const owner = db.pragma('application_id', { simple: true }) as number;
    const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number;
    return { version, owner, isNew: owner === 0 && tables === 0 };
  });
  return read.deferred();
}
