import type Database from 'better-sqlite3';

/**
 * Notices: what the owner should be told once per cause. A cause stays quiet until acknowledged;
 * `count` says how often it came again.
 */
export const noticesDefinition = `
CREATE TABLE notices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  cause TEXT NOT NULL,
  text TEXT NOT NULL,
  draft INTEGER,
  count INTEGER NOT NULL DEFAULT 1,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  acknowledged_at INTEGER
) STRICT;
CREATE UNIQUE INDEX notices_open ON notices (cause) WHERE acknowledged_at IS NULL;
`;

/** An open notice. Times are epoch milliseconds. */
export interface Notice {
  id: number;
  cause: string;
  text: string;
  draft: number | null;
  count: number;
  firstAt: number;
  lastAt: number;
}

export type NoticesTable = ReturnType<typeof noticesTable>;

/** The statements on notices. */
export function noticesTable(db: Database.Database) {
  const raise = db.prepare(`INSERT INTO notices (cause, text, draft, first_at, last_at)
    VALUES (@cause, @text, @draft, @at, @at)
    ON CONFLICT (cause) WHERE acknowledged_at IS NULL
    DO UPDATE SET count = count + 1, text = excluded.text, draft = excluded.draft,
      last_at = excluded.last_at`);
  const isOpen = db.prepare<[string]>(
    'SELECT 1 FROM notices WHERE cause = ? AND acknowledged_at IS NULL',
  );
  const open = db.prepare<[number], Notice>(
    `SELECT id, cause, text, draft, count, first_at AS firstAt, last_at AS lastAt FROM notices
     WHERE acknowledged_at IS NULL ORDER BY last_at DESC, id DESC LIMIT ?`,
  );
  const acknowledge = db.prepare(
    'UPDATE notices SET acknowledged_at = @at WHERE id = @id AND acknowledged_at IS NULL',
  );
  const settle = db.prepare(
    'UPDATE notices SET acknowledged_at = @at WHERE cause = @cause AND acknowledged_at IS NULL',
  );

  return {
    /** Opens the notice of a cause, or counts it where it is open; returns true when it was opened. */
    raise: (cause: string, text: string, at: number, draft: number | null = null): boolean => {
      const known = isOpen.get(cause) !== undefined;
      raise.run({ cause, text, at, draft });
      return !known;
    },
    /** The open ones, the last to happen first. */
    open: (limit = 50): Notice[] => open.all(limit),
    /** False when there is no open notice of that id. */
    acknowledge: (id: number, at: number): boolean => acknowledge.run({ id, at }).changes === 1,
    /** Ends the notice of a cause that is over; false when none was open. */
    settle: (cause: string, at: number): boolean => settle.run({ cause, at }).changes === 1,
  };
}
