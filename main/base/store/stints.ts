import type Database from 'better-sqlite3';

/**
 * Stints: one row for each time a job was out, written when that ended: from its claim until it was
 * settled, how it ended, and since when it had been asked to stop. A job that yields and goes on
 * later has several. Append-only; kept as long as the intervals.
 */
export const stintsDefinition = `
CREATE TABLE stints (
  job INTEGER NOT NULL,
  claim_no INTEGER NOT NULL,
  title TEXT NOT NULL,
  tier TEXT NOT NULL,
  heavy INTEGER NOT NULL CHECK (heavy IN (0, 1)),
  from_at INTEGER NOT NULL,
  until_at INTEGER NOT NULL CHECK (until_at >= from_at),
  outcome TEXT NOT NULL CHECK
    (outcome IN ('done', 'failed', 'retry', 'deferred', 'yielded', 'crash')),
  cause TEXT,
  asked_at INTEGER,
  PRIMARY KEY (job, claim_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX stints_time ON stints (until_at);
CREATE TRIGGER stints_keep BEFORE UPDATE ON stints
BEGIN SELECT RAISE(ABORT, 'stints are kept as they were'); END;
`;

export interface Stint {
  job: number;
  claimNo: number;
  title: string;
  tier: string;
  heavy: boolean;
  /** Epoch ms. */
  from: number;
  until: number;
  /** How it ended; `crash`: the host ended without a word, and `until` is when it was last seen. */
  outcome: 'done' | 'failed' | 'retry' | 'deferred' | 'yielded' | 'crash';
  /** Why it was asked to stop, or the code of a deferral; null otherwise. */
  cause: string | null;
  /** Since when it had been asked to stop, epoch ms; null where nobody asked. */
  askedAt: number | null;
}

export type StintsTable = ReturnType<typeof stintsTable>;

const COLUMNS = `job, claim_no AS claimNo, title, tier, heavy, from_at AS "from", until_at AS until,
  outcome, cause, asked_at AS askedAt`;

type Row = Omit<Stint, 'heavy'> & { heavy: 0 | 1 };

export function stintsTable(db: Database.Database) {
  const insert = db.prepare(
    `INSERT INTO stints
       (job, claim_no, title, tier, heavy, from_at, until_at, outcome, cause, asked_at)
     VALUES
       (@job, @claimNo, @title, @tier, @heavy, @from, @until, @outcome, @cause, @askedAt)
     ON CONFLICT DO NOTHING`,
  );
  const ofJob = db.prepare<[number], Row>(
    `SELECT ${COLUMNS} FROM stints WHERE job = ? ORDER BY claim_no`,
  );
  const within = db.prepare<[number, number], Row>(
    `SELECT ${COLUMNS} FROM stints WHERE until_at > ? AND from_at < ? ORDER BY from_at, job`,
  );
  const forget = db.prepare('DELETE FROM stints WHERE until_at < ?');
  const stint = (row: Row): Stint => ({ ...row, heavy: row.heavy === 1 });
  return {
    /** A stint that was written before stays as it is. */
    record: (one: Stint): void =>
      void insert.run({ ...one, heavy: one.heavy ? 1 : 0, until: Math.max(one.from, one.until) }),
    /** Oldest first. */
    ofJob: (job: number): Stint[] => ofJob.all(job).map(stint),
    /** Those that touch [from, to), in the order they began. */
    within: (from: number, to: number): Stint[] => within.all(from, to).map(stint),
    forget: (before: number): number => forget.run(before).changes,
  };
}
