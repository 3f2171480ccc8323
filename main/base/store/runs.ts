import type Database from 'better-sqlite3';
import { canonicalJson } from '../ids.ts';

/**
 * Runs: one row for each life of a host, so that an unclean end is seen by the next one. A run that
 * has no `stopped_at` is alive or was killed; `recovered` is JSON: what the next run found and did.
 */
export const runsDefinition = `
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  version TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  stopped_at INTEGER,
  clean INTEGER NOT NULL DEFAULT 0 CHECK (clean IN (0, 1)),
  recovered TEXT,
  CHECK (clean = 0 OR stopped_at IS NOT NULL)
) STRICT;
CREATE INDEX runs_open ON runs (id) WHERE stopped_at IS NULL;
`;

/** One life of a host. Times are epoch milliseconds. */
export interface Run {
  id: number;
  version: string;
  pid: number;
  startedAt: number;
  /** Null while it runs, and after a kill until the next run closes it. */
  stoppedAt: number | null;
  clean: boolean;
  /** What the run after it found and did; null after a clean end. */
  recovered: unknown;
}

interface StoredRun extends Omit<Run, 'clean'> {
  clean: 0 | 1;
  recovered: string | null;
}

export type RunsTable = ReturnType<typeof runsTable>;

const COLUMNS = `id, version, pid, started_at AS startedAt, stopped_at AS stoppedAt, clean, recovered`;

export function runsTable(db: Database.Database) {
  const insert = db.prepare('INSERT INTO runs (version, pid, started_at) VALUES (?, ?, ?)');
  const close = db.prepare(
    'UPDATE runs SET stopped_at = ?, clean = ?, recovered = ? WHERE id = ? AND stopped_at IS NULL',
  );
  const byId = db.prepare<[number], StoredRun>(`SELECT ${COLUMNS} FROM runs WHERE id = ?`);
  const newest = db.prepare<[number], StoredRun>(
    `SELECT ${COLUMNS} FROM runs ORDER BY id DESC LIMIT ?`,
  );
  const unstopped = db.prepare<[number], StoredRun>(
    `SELECT ${COLUMNS} FROM runs INDEXED BY runs_open WHERE stopped_at IS NULL AND id < ?
     ORDER BY id`,
  );
  const before = db.prepare<[number], StoredRun>(
    `SELECT ${COLUMNS} FROM runs WHERE id < ? ORDER BY id DESC LIMIT 1`,
  );
  const run = (row: StoredRun): Run => ({
    ...row,
    clean: row.clean === 1,
    recovered: row.recovered === null ? null : JSON.parse(row.recovered),
  });
  const orNull = (row: StoredRun | undefined): Run | null => (row ? run(row) : null);

  return {
    /** Opens a run and returns its id, larger than any before it. */
    start: (version: string, pid: number, now: number): number =>
      Number(insert.run(version, pid, now).lastInsertRowid),
    /** False when the run was closed already. */
    stopClean: (id: number, now: number): boolean => close.run(now, 1, null, id).changes === 1,
    /** Closes a run that never stopped by itself, with what was found; false when closed already. */
    stopUnclean: (id: number, now: number, recovered: object): boolean =>
      close.run(now, 0, canonicalJson(recovered), id).changes === 1,
    get: (id: number): Run | null => orNull(byId.get(id)),
    latest: (): Run | null => orNull(newest.get(1)),
    /** Newest first. */
    list: (limit: number): Run[] => newest.all(limit).map(run),
    /** Earlier runs that never stopped, oldest first: what an unclean end leaves for run `id`. */
    unstopped: (id: number): Run[] => unstopped.all(id).map(run),
    /** The run before `id`, when it did not end cleanly; null when it did, or there was none. */
    previousUnclean(id: number): Run | null {
      const earlier = orNull(before.get(id));
      return earlier && !earlier.clean ? earlier : null;
    },
  };
}
