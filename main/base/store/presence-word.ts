import type Database from 'better-sqlite3';

/**
 * The owner's own word on presence: that they are here, or away, whatever the probes say. One row at
 * most; `until` is null for "until taken back". It outlives a restart.
 */
export const presenceWordDefinition = `
CREATE TABLE presence_word (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  present INTEGER NOT NULL CHECK (present IN (0, 1)),
  since INTEGER NOT NULL,
  until INTEGER CHECK (until IS NULL OR until > since)
) STRICT;
`;

export interface PresenceWord {
  present: boolean;
  /** Epoch ms. */
  since: number;
  /** Epoch ms; null until taken back. */
  until: number | null;
}

export interface PresenceWordTable {
  /** The word that holds at `now`; null where there is none, or its time is over. */
  get(now: number): PresenceWord | null;
  /** Takes the place of an earlier word. `until` has to lie after `since`. */
  set(word: PresenceWord): void;
  clear(): void;
}

export function presenceWordTable(db: Database.Database): PresenceWordTable {
  const select = db.prepare<[number], Omit<PresenceWord, 'present'> & { present: 0 | 1 }>(
    'SELECT present, since, until FROM presence_word WHERE until IS NULL OR until > ?',
  );
  const upsert = db.prepare(
    `INSERT INTO presence_word (id, present, since, until) VALUES (1, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET present = excluded.present, since = excluded.since,
       until = excluded.until`,
  );
  const remove = db.prepare('DELETE FROM presence_word');
  return {
    get(now) {
      const row = select.get(now);
      return row ? { ...row, present: row.present === 1 } : null;
    },
    set: ({ present, since, until }) => void upsert.run(present ? 1 : 0, since, until),
    clear: () => void remove.run(),
  };
}
