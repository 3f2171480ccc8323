import type Database from 'better-sqlite3';

/**
 * Snoozes: pending drafts that the owner does not want to see for a while. `until_at` is epoch ms; null:
 * until the next lull begins. A draft that is decided, or superseded, has none any more (trigger).
 */
export const snoozesDefinition = `
CREATE TABLE snoozes (
  draft INTEGER PRIMARY KEY REFERENCES drafts (id),
  at INTEGER NOT NULL,
  until_at INTEGER
) STRICT;
CREATE TRIGGER snoozes_over AFTER UPDATE OF state ON drafts WHEN NEW.state <> 'pending'
BEGIN DELETE FROM snoozes WHERE draft = NEW.id; END;
`;

export type SnoozesTable = ReturnType<typeof snoozesTable>;

export function snoozesTable(db: Database.Database) {
  const put = db.prepare(
    `INSERT INTO snoozes (draft, at, until_at) VALUES (?, ?, ?)
     ON CONFLICT (draft) DO UPDATE SET at = excluded.at, until_at = excluded.until_at`,
  );
  const remove = db.prepare('DELETE FROM snoozes WHERE draft = ?');
  const endTimed = db.prepare('DELETE FROM snoozes WHERE until_at <= ?');
  const endAtLull = db.prepare('DELETE FROM snoozes WHERE until_at IS NULL AND at < ?');
  const next = db.prepare<[], number | null>('SELECT min(until_at) FROM snoozes').pluck();
  const count = db.prepare<[], number>('SELECT count(*) FROM snoozes').pluck();
  return {
    /** Snoozes a pending draft, or changes until when it is. */
    put: (draft: number, at: number, until: number | null): void => void put.run(draft, at, until),
    /** False: it was not snoozed. */
    remove: (draft: number): boolean => remove.run(draft).changes === 1,
    /** Ends those whose time has come; returns how many. */
    endTimed: (now: number): number => endTimed.run(now).changes,
    /** Ends those that were to last until a lull, where one began at `lull`; returns how many. */
    endAtLull: (lull: number): number => endAtLull.run(lull).changes,
    /** When the next one ends by the clock, epoch ms. */
    nextEnd: (): number | null => next.get() ?? null,
    count: (): number => count.get() ?? 0,
  };
}
