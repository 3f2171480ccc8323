import type Database from 'better-sqlite3';

/**
 * Runs of roster cycles: one row for each time a cycle was out, written before its working tree is made,
 * so that whatever a crash leaves behind is known by it. `mark` is in the environment of every program
 * of the run. `head` is the newest commit of its branch, null where nothing was kept. A row is cleaned
 * once neither its working tree nor its branch is of use any more.
 */
export const cycleRunsDefinition = `
CREATE TABLE cycle_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job INTEGER NOT NULL,
  claim_no INTEGER NOT NULL,
  repository TEXT NOT NULL,
  cadence TEXT NOT NULL CHECK (cadence IN ('daily', 'weekly')),
  root TEXT NOT NULL,
  worktree TEXT NOT NULL,
  branch TEXT NOT NULL UNIQUE,
  mark TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  status TEXT CHECK (status IN
    ('completed', 'failed', 'deferred', 'skipped', 'refused', 'interrupted', 'broken')),
  agent TEXT,
  reason TEXT,
  detail TEXT,
  head TEXT,
  cleaned_at INTEGER,
  CHECK ((ended_at IS NULL) = (status IS NULL))
) STRICT;
CREATE INDEX cycle_runs_open ON cycle_runs (id) WHERE cleaned_at IS NULL;
CREATE INDEX cycle_runs_time ON cycle_runs (started_at);
`;

export type CycleRunStatus =
  | 'completed'
  | 'failed'
  | 'deferred'
  | 'skipped'
  | 'refused'
  /** Asked to stop before its end; the work is begun anew. */
  | 'interrupted'
  /** Lull ended without warning meanwhile. */
  | 'broken';

/** Times are epoch milliseconds. */
export interface CycleRun {
  id: number;
  job: number;
  claimNo: number;
  repository: string;
  cadence: 'daily' | 'weekly';
  root: string;
  worktree: string;
  branch: string;
  mark: string;
  startedAt: number;
  endedAt: number | null;
  status: CycleRunStatus | null;
  agent: string | null;
  reason: string | null;
  detail: string | null;
  head: string | null;
  cleanedAt: number | null;
}

export type NewCycleRun = Omit<
  CycleRun,
  'id' | 'endedAt' | 'status' | 'agent' | 'reason' | 'detail' | 'head' | 'cleanedAt'
>;

export interface CycleRunEnd {
  status: CycleRunStatus;
  agent: string | null;
  reason: string;
  detail: string | null;
  head: string | null;
}

const COLUMNS = `id, job, claim_no AS claimNo, repository, cadence, root, worktree, branch, mark,
  started_at AS startedAt, ended_at AS endedAt, status, agent, reason, detail, head,
  cleaned_at AS cleanedAt`;

export type CycleRunsTable = ReturnType<typeof cycleRunsTable>;

export function cycleRunsTable(db: Database.Database) {
  const insert = db.prepare(`INSERT INTO cycle_runs
    (job, claim_no, repository, cadence, root, worktree, branch, mark, started_at)
    VALUES (@job, @claimNo, @repository, @cadence, @root, @worktree, @branch, @mark, @startedAt)`);
  const end = db.prepare(`UPDATE cycle_runs SET status = @status, agent = @agent, reason = @reason,
    detail = @detail, head = @head, ended_at = @at WHERE id = @id AND ended_at IS NULL`);
  const clean = db.prepare(
    'UPDATE cycle_runs SET cleaned_at = ? WHERE id = ? AND ended_at IS NOT NULL',
  );
  const useAgain = db.prepare('UPDATE cycle_runs SET cleaned_at = NULL WHERE branch = ?');
  const uncleaned = db.prepare<[], CycleRun>(
    `SELECT ${COLUMNS} FROM cycle_runs WHERE cleaned_at IS NULL ORDER BY id`,
  );
  const latest = db.prepare<[number], CycleRun>(
    `SELECT ${COLUMNS} FROM cycle_runs ORDER BY id DESC LIMIT ?`,
  );
  const forget = db.prepare(
    'DELETE FROM cycle_runs WHERE started_at < ? AND cleaned_at IS NOT NULL',
  );
  return {
    begin: (run: NewCycleRun): number => Number(insert.run(run).lastInsertRowid),
    /** False where it has ended already. */
    end: (id: number, how: CycleRunEnd, at: number): boolean =>
      end.run({ ...how, id, at }).changes === 1,
    clean: (id: number, at: number): boolean => clean.run(at, id).changes === 1,
    /** Its branch is back. */
    useAgain: (branch: string): boolean => useAgain.run(branch).changes === 1,
    /** Those with something left to remove, perhaps; the oldest first. */
    uncleaned: (): CycleRun[] => uncleaned.all(),
    /** The newest first. */
    latest: (limit: number): CycleRun[] => latest.all(limit),
    forget: (before: number): number => forget.run(before).changes,
  };
}
