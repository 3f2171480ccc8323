import type Database from 'better-sqlite3';

/**
 * Agents that were taken twice in one window, as far as this machine found out afterwards. A relay stores
 * no compare-and-swap, so it can happen; it must not happen unseen. Append-only.
 */
export const doublesDefinition = `
CREATE TABLE doubles (
  id INTEGER PRIMARY KEY,
  found_at INTEGER NOT NULL,
  scope TEXT NOT NULL,
  cadence TEXT NOT NULL,
  agent TEXT NOT NULL,
  window TEXT NOT NULL,
  ours TEXT NOT NULL,
  theirs TEXT NOT NULL,
  platform TEXT NOT NULL,
  why TEXT NOT NULL,
  UNIQUE (scope, cadence, agent, window)
) STRICT;
CREATE TRIGGER doubles_stay BEFORE UPDATE ON doubles BEGIN
  SELECT RAISE(ABORT, 'doubles are append-only');
END;
`;

export interface DoubleRow {
  /** Epoch ms. */
  foundAt: number;
  scope: string;
  cadence: string;
  agent: string;
  window: string;
  /** The event under which we held it, and the one of the other machine. */
  ours: string;
  theirs: string;
  /** What the other says it runs on. */
  platform: string;
  /** What shows that both had it, as a sentence. */
  why: string;
}

export interface DoublesTable {
  /** Adds it where none is known of that agent and window yet; whether it is news. */
  add(row: DoubleRow): boolean;
  /** Newest first. */
  list(scope: string, limit: number): DoubleRow[];
}

export function doublesTable(db: Database.Database): DoublesTable {
  const insert = db.prepare(
    `INSERT INTO doubles (found_at, scope, cadence, agent, window, ours, theirs, platform, why)
     VALUES (@foundAt, @scope, @cadence, @agent, @window, @ours, @theirs, @platform, @why)
     ON CONFLICT DO NOTHING`,
  );
  const select = db.prepare<[string, number], DoubleRow>(
    `SELECT found_at AS foundAt, scope, cadence, agent, window, ours, theirs, platform, why
     FROM doubles WHERE scope = ? ORDER BY id DESC LIMIT ?`,
  );
  return {
    add: (row) => insert.run(row).changes > 0,
    list: (scope, limit) => select.all(scope, limit),
  };
}
