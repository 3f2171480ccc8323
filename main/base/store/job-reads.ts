import type Database from 'better-sqlite3';
import type { Tier } from '../config-schema.ts';
import { jobHeads, type Lane } from './job-heads.ts';
import type { JobRow } from './job-row.ts';
import { JOB_STATES, type JobState } from './job-states.ts';

/** The spelling the partial indexes know; any other would scan the table. */
export const WAITING = `(state = 'queued' OR state = 'deferred')`;
const BADLY: ReadonlySet<JobState> = new Set(['failed', 'cancelled', 'missed']);

/** A finished, old or open row as the pruning sees it. */
export interface PruneRow {
  id: number;
  createdAt: number;
  finishedAt: number | null;
  /** 1 where a draft of it still matters to the owner. */
  held: 0 | 1;
}

/** What is read of jobs. No statement here visits finished rows it does not return, but for `window`. */
export function jobReads(db: Database.Database) {
  const one = <P extends unknown[]>(sql: string) => {
    const statement = db.prepare(sql);
    return (...values: P) => statement.get(...values) as JobRow | undefined;
  };
  const many = <P extends unknown[]>(sql: string) => {
    const statement = db.prepare(sql);
    return (...values: P) => statement.all(...values) as JobRow[];
  };
  const record = <R>(sql: string) => {
    const statement = db.prepare(sql);
    return () => statement.get() as R;
  };
  const countOf = (state: JobState) =>
    `(SELECT count(*) FROM jobs INDEXED BY jobs_open WHERE state = '${state}')`;
  const lane = many<[string, Tier, number, number, limit: number]>(
    `SELECT * FROM jobs INDEXED BY jobs_open WHERE state = 'queued' AND class = ? AND tier = ?
     AND num_ctx = ? AND priority = ? ORDER BY created_at, id LIMIT ?`,
  );
  const everyState = many<[before: number, limit: number]>(
    'SELECT * FROM jobs WHERE id < ? ORDER BY id DESC LIMIT ?',
  );
  const byState = new Map(
    JOB_STATES.map((state) => [state, many<[before: number, limit: number]>(listSql(state))]),
  );
  const open = db
    .prepare(
      `SELECT count(*) FROM (SELECT 1 FROM jobs INDEXED BY jobs_open
       WHERE (state = 'queued' OR state = 'running' OR state = 'deferred') AND class = ? LIMIT ?)`,
    )
    .pluck();
  const queuedIn = db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM jobs INDEXED BY jobs_open WHERE state = 'queued'
       AND class IN ('light', 'heavy', 'housekeeping') AND tier = ?)`,
    )
    .pluck();
  const depth = db.prepare(`SELECT ${countOf('queued')}`).pluck();
  const newestId = db.prepare('SELECT max(id) FROM jobs').pluck();
  const window = db.prepare(
    `SELECT id, created_at AS createdAt, finished_at AS finishedAt,
     EXISTS (SELECT 1 FROM drafts d WHERE d.job = jobs.id AND
       (d.state IN ('pending', 'approved', 'apply-failed') OR d.applied_at > ?)) AS held
     FROM jobs WHERE id > ? ORDER BY id LIMIT ?`,
  );

  return {
    heads: jobHeads(db),
    get: one<[id: number]>('SELECT * FROM jobs WHERE id = ?'),
    bySource: one<[source: string]>('SELECT * FROM jobs WHERE source = ?'),
    /** The waiting row that takes further requests of this key in. */
    byCoalesceKey: one<[key: string]>(
      `SELECT * FROM jobs INDEXED BY jobs_coalesce WHERE coalesce_key = ? AND state = 'queued'
       AND checkpoint IS NULL ORDER BY id LIMIT 1`,
    ),
    openRetry: one<[retryOf: number]>(
      `SELECT * FROM jobs INDEXED BY jobs_retry WHERE retry_of = ? AND finished_at IS NULL
       ORDER BY id LIMIT 1`,
    ),
    /** Queued jobs with a waiver whose session has nothing running. */
    waived: many<[]>(
      `SELECT * FROM jobs INDEXED BY jobs_waived WHERE waiver IS NOT NULL AND state = 'queued'
       AND (session IS NULL OR session NOT IN (SELECT r.session FROM jobs r INDEXED BY jobs_open
         WHERE r.state = 'running' AND r.session IS NOT NULL))`,
    ),
    running: many<[]>(
      `SELECT * FROM jobs INDEXED BY jobs_open WHERE state = 'running' ORDER BY id`,
    ),
    /** The first of a lane, oldest first. */
    lane: (of: Lane, limit: number): JobRow[] =>
      lane(of.class, of.tier, of.numCtx, of.priority, limit),
    /** Deferred until a time that has come. */
    due: many<[now: number]>(
      'SELECT * FROM jobs INDEXED BY jobs_revive WHERE revive_at <= ? ORDER BY revive_at, id',
    ),
    /** Deferred until conditions change. */
    untimed: many<[]>(
      `SELECT * FROM jobs INDEXED BY jobs_open WHERE state = 'deferred' AND revive_at IS NULL
       ORDER BY id`,
    ),
    expired: many<[now: number]>(
      `SELECT * FROM jobs INDEXED BY jobs_expiry WHERE expires_at IS NOT NULL AND ${WAITING}
       AND expires_at <= ? ORDER BY expires_at, id`,
    ),
    /** Queued, running and deferred. */
    openOf: many<[kind: string]>(
      `SELECT * FROM jobs INDEXED BY jobs_open
       WHERE (state = 'queued' OR state = 'running' OR state = 'deferred') AND kind = ? ORDER BY id`,
    ),
    /** Newest first, ids below `before`. */
    list: (state: JobState | undefined, before: number, limit: number): JobRow[] =>
      (state === undefined ? everyState : (byState.get(state) ?? everyState))(before, limit),

    counts: record<{ queued: number; running: number; deferred: number }>(
      `SELECT ${countOf('queued')} AS queued, ${countOf('running')} AS running,
       ${countOf('deferred')} AS deferred`,
    ),
    depth: () => depth.get() as number,
    /** Open jobs of a class; stops counting at `atMost`. */
    open: (jobClass: string, atMost: number) => open.get(jobClass, atMost) as number,
    queuedIn: (tier: Tier) => queuedIn.get(tier) === 1,
    nextTimes: record<{
      reviveAt: number | null;
      expiresAt: number | null;
      leaseEnd: number | null;
    }>(
      `SELECT (SELECT min(revive_at) FROM jobs INDEXED BY jobs_revive
         WHERE revive_at IS NOT NULL) AS reviveAt,
       (SELECT min(expires_at) FROM jobs INDEXED BY jobs_expiry
         WHERE expires_at IS NOT NULL AND ${WAITING}) AS expiresAt,
       (SELECT min(lease_expires_at) FROM jobs INDEXED BY jobs_open
         WHERE state = 'running') AS leaseEnd`,
    ),
    newestId: () => (newestId.get() as number | null) ?? 0,
    /** The next `limit` rows after an id; a draft applied later than `appliedSince` holds its job. */
    window: (appliedSince: number, after: number, limit: number) =>
      window.all(appliedSince, after, limit) as PruneRow[],
  };
}

function listSql(state: JobState): string {
  if (state === 'done') {
    // Nearly every row is done, so walking back from the newest finds a page at once.
    return `SELECT * FROM jobs NOT INDEXED WHERE id < ? AND state = 'done' ORDER BY id DESC LIMIT ?`;
  }
  const index = BADLY.has(state) ? 'jobs_ended_badly' : 'jobs_open';
  return `SELECT * FROM jobs WHERE id IN (SELECT id FROM jobs INDEXED BY ${index}
    WHERE state = '${state}' AND id < ? ORDER BY id DESC LIMIT ?) ORDER BY id DESC`;
}
