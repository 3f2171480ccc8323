import type Database from 'better-sqlite3';
import type { Tier } from '../config-schema.ts';

/**
 * Schedules: what falls due by the clock. The identity never changes hands; an edit makes a new
 * revision, kept whole in `schedule_revisions`. `rule` and `missed` are JSON (see producers/clock).
 * `next_due` is the first occurrence not yet accounted for (epoch ms): null when none follows, and
 * while disabled. Every occurrence that passes is counted once: admitted as a job, coalesced onto
 * one, or missed. `last_job` is the newest job of the current revision.
 */
export const schedulesDefinition = `
CREATE TABLE schedules (
  id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 100),
  revision INTEGER NOT NULL CHECK (revision >= 1),
  session TEXT NOT NULL CHECK (length(session) BETWEEN 1 AND 100),
  prompt TEXT NOT NULL CHECK (length(CAST(prompt AS BLOB)) BETWEEN 1 AND 16384),
  tier TEXT CHECK (tier IN ('pinned', 'routine', 'synthesis', 'stretch')),
  rule TEXT NOT NULL,
  missed TEXT NOT NULL,
  channel TEXT NOT NULL DEFAULT 'local',
  recipient TEXT NOT NULL DEFAULT '',
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  next_due INTEGER CHECK (next_due IS NULL OR enabled = 1),
  deferred INTEGER NOT NULL DEFAULT 0 CHECK (deferred IN (0, 1)),
  admitted_count INTEGER NOT NULL DEFAULT 0 CHECK (admitted_count >= 0),
  coalesced_count INTEGER NOT NULL DEFAULT 0 CHECK (coalesced_count >= 0),
  missed_count INTEGER NOT NULL DEFAULT 0 CHECK (missed_count >= 0),
  last_job INTEGER,
  last_tier TEXT CHECK ((last_tier IS NULL) = (last_job IS NULL)),
  last_admitted_at INTEGER,
  last_started_at INTEGER,
  last_finished_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX schedules_due ON schedules (next_due, id) WHERE enabled = 1 AND next_due IS NOT NULL;
CREATE INDEX schedules_wake ON schedules (next_due)
  WHERE enabled = 1 AND deferred = 0 AND next_due IS NOT NULL;
CREATE TRIGGER schedules_identity BEFORE UPDATE OF id, created_at ON schedules
BEGIN SELECT RAISE(ABORT, 'the identity of a schedule never changes'); END;
CREATE TRIGGER schedules_revision
BEFORE UPDATE OF revision, session, prompt, tier, rule, missed, channel, recipient ON schedules
WHEN NEW.revision <> OLD.revision + 1
BEGIN SELECT RAISE(ABORT, 'an edit of a schedule makes its next revision'); END;
CREATE TRIGGER schedules_keep BEFORE DELETE ON schedules
BEGIN SELECT RAISE(ABORT, 'a schedule is disabled, never deleted'); END;
-- A job of a schedule (source job:ID@REVISION:DUE) whose window closed before it could start is
-- counted as missed instead of admitted, in the transaction that closes it. Closing gives a reason;
-- claims and completions give none, so this costs them nothing.
CREATE TRIGGER schedules_window_closed AFTER UPDATE OF reason_code ON jobs
WHEN NEW.state = 'missed' AND OLD.state <> 'missed' AND NEW.source GLOB 'job:*@*:*'
BEGIN
  UPDATE schedules SET admitted_count = admitted_count - 1, missed_count = missed_count + 1
  WHERE substr(NEW.source, 1, length(id) + 5) = 'job:' || id || '@'
    AND instr(substr(NEW.source, length(id) + 6), '@') = 0 AND admitted_count > 0;
END;

CREATE TABLE schedule_revisions (
  schedule TEXT NOT NULL,
  revision INTEGER NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (schedule, revision)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER schedule_revisions_no_update BEFORE UPDATE ON schedule_revisions
BEGIN SELECT RAISE(ABORT, 'schedule revisions are append-only'); END;
CREATE TRIGGER schedule_revisions_no_delete BEFORE DELETE ON schedule_revisions
BEGIN SELECT RAISE(ABORT, 'schedule revisions are append-only'); END;
`;

/** What a revision fixes. `rule` and `missed` are JSON. */
export interface ScheduleBody {
  session: string;
  prompt: string;
  tier: Tier | null;
  rule: string;
  missed: string;
  channel: string;
  recipient: string;
}

/** A schedule as stored. Times are epoch milliseconds. */
export interface StoredSchedule extends ScheduleBody {
  id: string;
  revision: number;
  enabled: 0 | 1;
  nextDue: number | null;
  /** The queue was full for its current occurrence, and that was recorded. */
  deferred: 0 | 1;
  admittedCount: number;
  coalescedCount: number;
  missedCount: number;
  lastJob: number | null;
  lastTier: Tier | null;
  lastAdmittedAt: number | null;
  /** Of the revisions before the current one. */
  lastStartedAt: number | null;
  lastFinishedAt: number | null;
  createdAt: number;
}

/** A place in the order in which due schedules are read. */
export interface DueCursor {
  nextDue: number;
  id: string;
}

const COLUMNS = `id, revision, session, prompt, tier, rule, missed, channel, recipient, enabled,
  next_due AS nextDue, deferred, admitted_count AS admittedCount,
  coalesced_count AS coalescedCount, missed_count AS missedCount, last_job AS lastJob,
  last_tier AS lastTier, last_admitted_at AS lastAdmittedAt, last_started_at AS lastStartedAt,
  last_finished_at AS lastFinishedAt, created_at AS createdAt`;

const FIRST: DueCursor = { nextDue: -1, id: '' };

export type SchedulesTable = ReturnType<typeof schedulesTable>;

/** The statements on schedules. */
export function schedulesTable(db: Database.Database) {
  const insert = db.prepare(`INSERT INTO schedules
    (id, revision, session, prompt, tier, rule, missed, channel, recipient, next_due, created_at, updated_at)
    VALUES (@id, 1, @session, @prompt, @tier, @rule, @missed, @channel, @recipient, @nextDue, @at, @at)`);
  const addRevision = db.prepare(
    'INSERT INTO schedule_revisions (schedule, revision, at, body) VALUES (@id, @revision, @at, @body)',
  );
  const get = db.prepare<[string], StoredSchedule>(`SELECT ${COLUMNS} FROM schedules WHERE id = ?`);
  const list = db.prepare<[], StoredSchedule>(`SELECT ${COLUMNS} FROM schedules ORDER BY id`);
  const ids = db.prepare<[], string>('SELECT id FROM schedules ORDER BY id').pluck();
  const due = db.prepare<[DueCursor & { now: number; limit: number }], StoredSchedule>(
    `SELECT ${COLUMNS} FROM schedules
     WHERE enabled = 1 AND next_due IS NOT NULL AND next_due <= @now
       AND (next_due, id) > (@nextDue, @id)
     ORDER BY next_due, id LIMIT @limit`,
  );
  const nextWake = db
    .prepare<[], number | null>(
      `SELECT min(next_due) FROM schedules
       WHERE enabled = 1 AND deferred = 0 AND next_due IS NOT NULL`,
    )
    .pluck();
  const earliest = db
    .prepare<[], number | null>(
      'SELECT min(next_due) FROM schedules WHERE enabled = 1 AND next_due IS NOT NULL',
    )
    .pluck();
  const admitted = db.prepare(`UPDATE schedules SET next_due = @nextDue, deferred = 0,
    admitted_count = admitted_count + @admitted, coalesced_count = coalesced_count + @coalesced,
    last_job = @job, last_tier = @tier, last_admitted_at = @at WHERE id = @id`);
  const passed = db.prepare(`UPDATE schedules SET next_due = @nextDue, deferred = 0,
    coalesced_count = coalesced_count + @coalesced, missed_count = missed_count + @missed
    WHERE id = @id`);
  const defer = db.prepare('UPDATE schedules SET deferred = 1 WHERE id = @id');
  const revise = db.prepare(`UPDATE schedules SET revision = revision + 1, session = @session,
    prompt = @prompt, tier = @tier, rule = @rule, missed = @missed, channel = @channel,
    recipient = @recipient, next_due = @nextDue, missed_count = missed_count + @missedCount,
    deferred = 0, last_job = NULL, last_tier = NULL, last_started_at = @lastStartedAt,
    last_finished_at = @lastFinishedAt, updated_at = @at WHERE id = @id`);
  const enable = db.prepare(
    'UPDATE schedules SET enabled = 1, next_due = @nextDue, updated_at = @at WHERE id = @id',
  );
  const disable = db.prepare(`UPDATE schedules SET enabled = 0, next_due = NULL, deferred = 0,
    missed_count = missed_count + @missedCount, updated_at = @at WHERE id = @id`);
  // Occurrences of one revision differ in their last number alone, which has 13 digits from 2001 to
  // 2286: the index on the source has the newest last. ':' follows the digits.
  const times = db.prepare<
    [{ prefix: string; limit: number }],
    { startedAt: number | null; finishedAt: number | null }
  >(`SELECT max(started_at) AS startedAt, max(finished_at) AS finishedAt FROM
    (SELECT started_at, finished_at FROM jobs
     WHERE source > @prefix AND source < @prefix || ':' ORDER BY source DESC LIMIT @limit)
    WHERE started_at IS NOT NULL`);

  return {
    /** Adds a schedule as its first revision. Throws where the id is taken. */
    insert(id: string, body: ScheduleBody, nextDue: number | null, at: number): void {
      insert.run({ ...body, id, nextDue, at });
    },
    /** Keeps a revision whole. `body` is JSON. */
    addRevision(id: string, revision: number, at: number, body: string): void {
      addRevision.run({ id, revision, at, body });
    },
    get: (id: string): StoredSchedule | null => get.get(id) ?? null,
    /** All, by id. */
    list: (): StoredSchedule[] => list.all(),
    ids: (): string[] => ids.all(),
    /** Due at `now`, oldest first, from behind `cursor`. */
    due: (now: number, cursor: DueCursor | null, limit: number): StoredSchedule[] =>
      due.all({ ...(cursor ?? FIRST), now, limit }),
    /** The earliest due time of those that wait for the clock and not for room in the queue. */
    nextWake: (): number | null => nextWake.get() ?? null,
    /** The earliest due time of all. */
    earliest: (): number | null => earliest.get() ?? null,
    /** An occurrence became a job, which also stands for `coalesced` more. */
    admitted(change: {
      id: string;
      nextDue: number | null;
      admitted: 0 | 1;
      coalesced: number;
      job: number;
      tier: Tier;
      at: number;
    }): void {
      admitted.run(change);
    },
    /** Occurrences passed without a job of their own. */
    passed(change: {
      id: string;
      nextDue: number | null;
      coalesced: number;
      missed: number;
    }): void {
      passed.run(change);
    },
    /** Marks that its deferral was recorded. */
    defer(id: string): void {
      defer.run({ id });
    },
    /** Makes the next revision; `missedCount` is added to what was missed. */
    revise(
      change: ScheduleBody & {
        id: string;
        nextDue: number | null;
        missedCount: number;
        lastStartedAt: number | null;
        lastFinishedAt: number | null;
        at: number;
      },
    ): void {
      revise.run(change);
    },
    enable(id: string, nextDue: number | null, at: number): void {
      enable.run({ id, nextDue, at });
    },
    disable(id: string, missedCount: number, at: number): void {
      disable.run({ id, missedCount, at });
    },
    /** When the newest jobs whose source begins with `prefix` last started and ended. */
    times: (
      prefix: string,
      limit: number,
    ): { startedAt: number | null; finishedAt: number | null } =>
      times.get({ prefix, limit }) ?? { startedAt: null, finishedAt: null },
  };
}
