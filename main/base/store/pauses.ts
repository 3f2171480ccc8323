import type Database from 'better-sqlite3';

/** Pauses: what the owner has put on hold; `until` is null for "until resumed". At most two rows. */
export const pausesDefinition = `
CREATE TABLE pauses (
  scope TEXT PRIMARY KEY CHECK (scope IN ('all', 'heavy')),
  since INTEGER NOT NULL,
  until INTEGER CHECK (until IS NULL OR until > since)
) STRICT;
`;

export type PauseScope = 'all' | 'heavy';

export interface Pause {
  /** Epoch ms. */
  since: number;
  /** Epoch ms; null until resumed. */
  until: number | null;
}

interface Pauses {
  readonly all: Pause | null;
  readonly heavy: Pause | null;
}

/** To be the only writer of the table, by one connection. */
export interface PausesTable {
  get(): Pauses;
  /** Replaces a pause of the same scope. `until` has to lie after `since`. */
  set(scope: PauseScope, since: number, until: number | null): void;
  /** Returns whether there was one. */
  clear(scope: PauseScope): boolean;
  /** Removes the pauses whose time has come; returns their scopes. */
  clearExpired(now: number): PauseScope[];
}

export function pausesTable(db: Database.Database): PausesTable {
  const select = db.prepare<[], Pause & { scope: PauseScope }>(
    'SELECT scope, since, until FROM pauses',
  );
  const upsert = db.prepare(
    `INSERT INTO pauses (scope, since, until) VALUES (?, ?, ?)
     ON CONFLICT (scope) DO UPDATE SET since = excluded.since, until = excluded.until`,
  );
  const remove = db.prepare('DELETE FROM pauses WHERE scope = ?');
  const removeExpired = db
    .prepare<[number], PauseScope>('DELETE FROM pauses WHERE until <= ? RETURNING scope')
    .pluck();
  /** Asked for several times a pass. Read in a transaction it may be undone, so it is not kept. */
  let known: Pauses | null = null;

  function get(): Pauses {
    if (known && !db.inTransaction) return known;
    const pauses: { all: Pause | null; heavy: Pause | null } = { all: null, heavy: null };
    for (const { scope, since, until } of select.all()) pauses[scope] = { since, until };
    if (!db.inTransaction) known = pauses;
    return pauses;
  }

  return {
    get,
    set(scope, since, until) {
      known = null;
      upsert.run(scope, since, until);
    },
    clear(scope) {
      known = null;
      return remove.run(scope).changes > 0;
    },
    clearExpired(now) {
      const isOver = ({ until }: Pause) => until !== null && until <= now;
      if (!Object.values(get()).some((one) => one && isOver(one))) return [];
      known = null;
      return removeExpired.all(now);
    },
  };
}
