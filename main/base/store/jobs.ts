import type Database from 'better-sqlite3';
import { jobReads, WAITING } from './job-reads.ts';
import type { JobRow, NewJobRow } from './job-row.ts';

/**
 * Jobs: the queue itself. Times are epoch milliseconds UTC, windows (`num_ctx`) are tokens.
 * A row is born queued or deferred, is put into `running` by the claim alone, and ends in one of the
 * terminal states; every finish, checkpoint and extension is fenced by (id, running, claim_no).
 *
 * Written for speed where each job passes: alternatives are spelled with OR, because SQLite builds a
 * temporary table for a longer IN list at every write; what is long stands last in the row; the open
 * rows share one index. Ids are not AUTOINCREMENT (one page less a commit); they are never reused
 * all the same, because the newest job is never deleted.
 */
export const jobsDefinition = `
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 100),
  tier TEXT NOT NULL CHECK
    (tier = 'pinned' OR tier = 'routine' OR tier = 'synthesis' OR tier = 'stretch'),
  num_ctx INTEGER NOT NULL CHECK (num_ctx >= 0),
  class TEXT NOT NULL CHECK (class = 'light' OR class = 'heavy' OR class = 'housekeeping'),
  priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 1000),
  state TEXT NOT NULL CHECK
    (state = 'queued' OR state = 'running' OR state = 'done' OR state = 'failed'
     OR state = 'deferred' OR state = 'cancelled' OR state = 'missed'),
  created_at INTEGER NOT NULL,
  source TEXT,
  session TEXT,
  subject TEXT,
  channel TEXT NOT NULL DEFAULT 'local',
  recipient TEXT NOT NULL DEFAULT '',
  retry_of INTEGER,
  coalesce_key TEXT,
  coalesced INTEGER NOT NULL DEFAULT 0 CHECK (coalesced >= 0),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  max_attempts INTEGER NOT NULL DEFAULT 1 CHECK (max_attempts >= 1),
  unclean_exits INTEGER NOT NULL DEFAULT 0 CHECK (unclean_exits >= 0),
  not_before INTEGER,
  expires_at INTEGER,
  revive_at INTEGER CHECK (revive_at IS NULL OR state = 'deferred'),
  started_at INTEGER,
  finished_at INTEGER,
  claim_no INTEGER NOT NULL DEFAULT 0,
  claimed_by_run INTEGER,
  lease_expires_at INTEGER CHECK (lease_expires_at IS NULL OR state = 'running'),
  cancel_asked_at INTEGER CHECK
    (cancel_asked_at IS NULL OR (state <> 'queued' AND state <> 'deferred')),
  reason_code TEXT,
  reason TEXT,
  waiver TEXT,
  title TEXT NOT NULL,
  payload TEXT NOT NULL,
  checkpoint TEXT,
  result TEXT,
  error TEXT,
  CHECK (state <> 'running' OR (claimed_by_run IS NOT NULL AND started_at IS NOT NULL)),
  CHECK ((finished_at IS NOT NULL) =
    (state = 'done' OR state = 'failed' OR state = 'cancelled' OR state = 'missed'))
) STRICT;
CREATE INDEX jobs_open ON jobs (state DESC, class, tier, num_ctx, priority, created_at)
  WHERE state = 'queued' OR state = 'running' OR state = 'deferred';
CREATE UNIQUE INDEX jobs_source ON jobs (source) WHERE source IS NOT NULL;
CREATE INDEX jobs_coalesce ON jobs (coalesce_key)
  WHERE coalesce_key IS NOT NULL AND state = 'queued' AND checkpoint IS NULL;
CREATE INDEX jobs_retry ON jobs (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX jobs_revive ON jobs (revive_at) WHERE revive_at IS NOT NULL;
CREATE INDEX jobs_expiry ON jobs (expires_at)
  WHERE expires_at IS NOT NULL AND (state = 'queued' OR state = 'deferred');
CREATE INDEX jobs_waived ON jobs (id) WHERE waiver IS NOT NULL AND state = 'queued';
CREATE INDEX jobs_ended_badly ON jobs (state)
  WHERE state = 'failed' OR state = 'cancelled' OR state = 'missed';

CREATE TRIGGER jobs_birth AFTER INSERT ON jobs
WHEN NEW.state <> 'queued' AND NEW.state <> 'deferred'
BEGIN SELECT RAISE(ABORT, 'a job is born queued or deferred'); END;

CREATE TRIGGER jobs_edges BEFORE UPDATE OF state, claim_no ON jobs
WHEN NEW.claim_no < OLD.claim_no OR (NEW.state <> OLD.state AND NOT (
  (OLD.state = 'queued' AND NEW.state = 'running' AND NEW.claim_no > OLD.claim_no) OR
  (OLD.state = 'queued' AND (NEW.state = 'cancelled' OR NEW.state = 'missed')) OR
  (OLD.state = 'running' AND (NEW.state = 'done' OR NEW.state = 'failed' OR NEW.state = 'queued'
    OR NEW.state = 'deferred' OR NEW.state = 'cancelled')) OR
  (OLD.state = 'deferred' AND
    (NEW.state = 'queued' OR NEW.state = 'cancelled' OR NEW.state = 'missed'))))
BEGIN SELECT CASE
  WHEN NEW.claim_no < OLD.claim_no OR (OLD.state = 'queued' AND NEW.state = 'running')
  THEN RAISE(ABORT, 'a claim number is never reused or lowered')
  ELSE RAISE(ABORT, 'that change of a job''s state is not in the table of edges') END;
END;

CREATE TRIGGER jobs_identity BEFORE UPDATE OF id, kind, payload, source, session, subject,
  channel, recipient, created_at, retry_of ON jobs
BEGIN SELECT RAISE(ABORT, 'what a job is never changes'); END;

CREATE TRIGGER jobs_delete BEFORE DELETE ON jobs
BEGIN
  SELECT RAISE(ABORT, 'only finished jobs are pruned') WHERE OLD.finished_at IS NULL;
  SELECT RAISE(ABORT, 'the newest job stays, so that no id is used twice')
    WHERE OLD.id = (SELECT max(id) FROM jobs);
  DELETE FROM drafts WHERE job = OLD.id AND state IN ('applied', 'dismissed', 'superseded');
END;
`;

/** What every birth says, and what most leave at its default: a column left out costs no binding. */
const ALWAYS = 'kind, tier, num_ctx, class, priority, state, created_at, title';
const SOMETIMES = `source, session, subject, channel, recipient, retry_of, coalesce_key,
  max_attempts, not_before, expires_at, revive_at`;
const FENCE = `WHERE id = ? AND state = 'running' AND claim_no = ?`;
const UNCLAIMED = 'started_at = NULL, claimed_by_run = NULL, lease_expires_at = NULL';

export type JobsTable = ReturnType<typeof jobsTable>;

/** Every statement on jobs. Those that say `claimNo` change nothing when the claim is void. */
export function jobsTable(db: Database.Database) {
  /** A change of at most one row; true when it was made. */
  const change = <P extends unknown[]>(sql: string) => {
    const statement = db.prepare(sql);
    return (...values: P): boolean => statement.run(...values).changes === 1;
  };
  const endWaiting = (state: 'cancelled' | 'missed') =>
    change<[code: string, reason: string, now: number, id: number]>(`UPDATE jobs
      SET state = '${state}', reason_code = ?, reason = ?, finished_at = ?, revive_at = NULL
      WHERE id = ? AND ${WAITING}`);

  const insertShort = db.prepare(
    `INSERT INTO jobs (${ALWAYS}, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertLong = db.prepare(`INSERT INTO jobs (${ALWAYS}, ${SOMETIMES}, payload)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const insertAll = db.prepare(`INSERT INTO jobs (${ALWAYS}, ${SOMETIMES}, payload)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, value FROM json_each(?)`);
  const take = db.prepare(`UPDATE jobs SET state = 'running', started_at = ?,
    attempts = attempts + 1, claim_no = claim_no + 1, claimed_by_run = ?, lease_expires_at = ?
    WHERE id = ? AND state = 'queued' AND (expires_at IS NULL OR expires_at > ?) RETURNING *`);

  return {
    ...jobReads(db),
    insert: (row: NewJobRow): number =>
      Number(
        isShort(row)
          ? insertShort.run(...always(row), row.payload).lastInsertRowid
          : insertLong.run(...always(row), ...sometimes(row), row.payload).lastInsertRowid,
      ),
    /** One row for each payload (JSON text), all else alike; the ids follow one another. */
    insertAll(row: Omit<NewJobRow, 'payload'>, payloads: readonly string[]): number[] {
      if (payloads.length === 0) return [];
      const texts = JSON.stringify(payloads);
      const { lastInsertRowid } = insertAll.run(...always(row), ...sometimes(row), texts);
      const first = Number(lastInsertRowid) - payloads.length + 1;
      return payloads.map((_, index) => first + index);
    },
    /** The claim, and the only constructor of a running row; nothing where it expired or left. */
    take: (id: number, run: number, now: number, lease: number | null): JobRow | undefined =>
      take.get(now, run, lease, id, now) as JobRow | undefined,

    complete: change<[result: string | null, now: number, id: number, claimNo: number]>(
      `UPDATE jobs SET state = 'done', result = ?, error = NULL, finished_at = ?,
       lease_expires_at = NULL ${FENCE}`,
    ),
    fail: change<[error: string, now: number, id: number, claimNo: number]>(
      `UPDATE jobs SET state = 'failed', error = ?, finished_at = ?, lease_expires_at = NULL
       ${FENCE}`,
    ),
    /** `back` is the attempts given back, 0 or 1. */
    defer: change<
      [
        back: number,
        error: string | null,
        code: string,
        reason: string,
        reviveAt: number | null,
        id: number,
        claimNo: number,
      ]
    >(`UPDATE jobs SET state = 'deferred', attempts = attempts - ?, error = ?, reason_code = ?,
       reason = ?, revive_at = ?, ${UNCLAIMED} ${FENCE}`),
    requeue: change<[back: number, id: number, claimNo: number]>(
      `UPDATE jobs SET state = 'queued', attempts = attempts - ?, ${UNCLAIMED} ${FENCE}`,
    ),
    cancelClaimed: change<[reason: string, now: number, id: number, claimNo: number]>(
      `UPDATE jobs SET state = 'cancelled', reason_code = 'cancelled', reason = ?, finished_at = ?,
       lease_expires_at = NULL ${FENCE}`,
    ),
    saveCheckpoint: change<[token: string, lease: number | null, id: number, claimNo: number]>(
      `UPDATE jobs SET checkpoint = ?, lease_expires_at = ? ${FENCE}`,
    ),
    countUncleanExit: change<[id: number, claimNo: number]>(
      `UPDATE jobs SET unclean_exits = unclean_exits + 1 ${FENCE}`,
    ),
    askCancel: change<[now: number, id: number]>(
      `UPDATE jobs SET cancel_asked_at = coalesce(cancel_asked_at, ?)
       WHERE id = ? AND state = 'running'`,
    ),

    cancelWaiting: endWaiting('cancelled'),
    missWaiting: endWaiting('missed'),
    revive: change<[id: number]>(
      `UPDATE jobs SET state = 'queued', revive_at = NULL, reason_code = NULL, reason = NULL,
       error = NULL WHERE id = ? AND state = 'deferred'`,
    ),
    coalesce: change<[priority: number, id: number]>(
      `UPDATE jobs SET coalesced = coalesced + 1, priority = min(priority, ?)
       WHERE id = ? AND state = 'queued'`,
    ),
    countOnto: change<[occurrences: number, expiresAt: number | null, id: number]>(
      `UPDATE jobs SET coalesced = coalesced + ?, expires_at = coalesce(?, expires_at)
       WHERE id = ? AND ${WAITING} AND checkpoint IS NULL`,
    ),
    /** `priority` at least; a better one stays. */
    waive: change<[waiver: string, priority: number, id: number]>(
      `UPDATE jobs SET waiver = ?, priority = min(priority, ?) WHERE id = ? AND ${WAITING}`,
    ),
    remove: change<[id: number]>('DELETE FROM jobs WHERE id = ? AND finished_at IS NOT NULL'),
  };
}

type Birth = Omit<NewJobRow, 'payload'>;

/** In the order of ALWAYS. */
function always(row: Birth) {
  const { kind, tier, num_ctx, priority, state, created_at, title } = row;
  return [kind, tier, num_ctx, row.class, priority, state, created_at, title] as const;
}

/** In the order of SOMETIMES. */
function sometimes(row: Birth) {
  return [
    row.source,
    row.session,
    row.subject,
    row.channel,
    row.recipient,
    row.retry_of,
    row.coalesce_key,
    row.max_attempts,
    row.not_before,
    row.expires_at,
    row.revive_at,
  ] as const;
}

/** Whether all of SOMETIMES is at its default (`revive_at` is only set with `not_before`). */
function isShort(row: Birth): boolean {
  const { source, session, subject, retry_of, coalesce_key, not_before, expires_at } = row;
  const said = source ?? session ?? subject ?? retry_of ?? coalesce_key ?? not_before ?? expires_at;
  return said === null && row.channel === 'local' && row.recipient === '' && row.max_attempts === 1;
}
