import type Database from 'better-sqlite3';
import { snoozesTable } from './snoozes.ts';

/**
 * Drafts: results that wait for the owner. What a draft says never changes; its state follows a
 * closed table (trigger). `body` is JSON by kind (work/agent/draft-body.ts). `topic` is what a newer
 * draft of the same matter supersedes, so at most one draft of a topic is pending; null never
 * supersedes. One draft a job and ordinal.
 */
export const draftsDefinition = `
CREATE TABLE drafts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job INTEGER NOT NULL REFERENCES jobs (id),
  ordinal INTEGER NOT NULL DEFAULT 0,
  kind TEXT NOT NULL CHECK (kind IN ('order', 'text', 'report', 'cycle')),
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN
    ('pending', 'approved', 'applied', 'apply-failed', 'dismissed', 'superseded')),
  title TEXT NOT NULL,
  subject TEXT,
  topic TEXT,
  body TEXT NOT NULL,
  total_cents INTEGER CHECK (total_cents >= 0),
  currency TEXT,
  model TEXT,
  created_at INTEGER NOT NULL,
  decided_at INTEGER,
  applied_at INTEGER,
  superseded_by INTEGER,
  error TEXT,
  -- What lists say beside the title: of an order its line, of words their beginning.
  summary TEXT NOT NULL GENERATED ALWAYS AS (coalesce(CASE
    WHEN NOT json_valid(body) THEN ''
    WHEN kind <> 'order' THEN substr(json_extract(body, '$.text'), 1, 300)
    WHEN json_array_length(body, '$.lines') = 1
      THEN json_extract(body, '$.lines[0].quantity') || ' ' || json_extract(body, '$.lines[0].unit')
    ELSE json_array_length(body, '$.lines') || ' lines' END, '')) STORED,
  UNIQUE (job, ordinal),
  CHECK ((total_cents IS NULL) = (currency IS NULL)),
  CHECK ((decided_at IS NULL) = (state = 'pending')),
  CHECK ((applied_at IS NOT NULL) = (state = 'applied')),
  CHECK ((error IS NOT NULL) = (state = 'apply-failed'))
) STRICT;
CREATE INDEX drafts_state ON drafts (state, id);
CREATE UNIQUE INDEX drafts_topic ON drafts (topic) WHERE topic IS NOT NULL AND state = 'pending';
CREATE INDEX drafts_topic_newest ON drafts (topic, id) WHERE topic IS NOT NULL;
CREATE INDEX drafts_applied ON drafts (applied_at) WHERE applied_at IS NOT NULL;

CREATE TRIGGER drafts_birth BEFORE INSERT ON drafts WHEN NEW.state <> 'pending'
BEGIN SELECT RAISE(ABORT, 'a draft is born pending'); END;
CREATE TRIGGER drafts_edges BEFORE UPDATE OF state ON drafts
WHEN NEW.state <> OLD.state AND NOT (
  (OLD.state = 'pending' AND NEW.state IN ('approved', 'dismissed', 'superseded')) OR
  (OLD.state = 'approved' AND NEW.state IN ('applied', 'apply-failed')) OR
  (OLD.state = 'apply-failed' AND NEW.state IN ('approved', 'dismissed')) OR
  (OLD.state = 'dismissed' AND NEW.state = 'pending'))
BEGIN SELECT RAISE(ABORT, 'that change of a draft''s state is not allowed'); END;
CREATE TRIGGER drafts_words BEFORE UPDATE OF id, job, ordinal, kind, title, subject, topic, body,
  total_cents, currency, model, created_at ON drafts
BEGIN SELECT RAISE(ABORT, 'what a draft says never changes'); END;
`;

export const DRAFT_STATES = [
  'pending',
  'approved',
  'applied',
  'apply-failed',
  'dismissed',
  'superseded',
] as const;

export type DraftState = (typeof DRAFT_STATES)[number];

export interface NewDraft {
  job: number;
  ordinal?: number;
  kind: 'order' | 'text' | 'report' | 'cycle';
  title: string;
  subject: string | null;
  topic: string | null;
  /** JSON by kind. */
  body: unknown;
  totalCents: number | null;
  currency: string | null;
  model: string | null;
  createdAt: number;
}

/** A draft as stored. Times are epoch milliseconds; `body` is parsed JSON, not yet validated. */
export interface Draft extends Required<NewDraft> {
  id: number;
  state: DraftState;
  decidedAt: number | null;
  appliedAt: number | null;
  supersededBy: number | null;
  /** Why applying failed, while the state is `apply-failed`. */
  error: string | null;
  summary: string;
  /** Since when and until when it is put off, epoch ms (null: until the next lull); null: it is not. */
  snoozed: { at: number; until: number | null } | null;
}

/** A draft as lists show it: all but what it says, which may be long. */
export type DraftHead = Omit<Draft, 'body'>;

interface HeadRow {
  id: number;
  job: number;
  ordinal: number;
  kind: Draft['kind'];
  state: DraftState;
  title: string;
  subject: string | null;
  topic: string | null;
  total_cents: number | null;
  currency: string | null;
  model: string | null;
  created_at: number;
  decided_at: number | null;
  applied_at: number | null;
  superseded_by: number | null;
  error: string | null;
  summary: string;
  snoozed_at: number | null;
  snoozed_until: number | null;
}

type Row = HeadRow & { body: string };

const HEAD = `id, job, ordinal, kind, state, title, subject, topic, total_cents, currency, model,
  created_at, decided_at, applied_at, superseded_by, error, summary, at AS snoozed_at,
  until_at AS snoozed_until`;
const FROM = 'FROM drafts LEFT JOIN snoozes ON draft = id';

export interface DraftsPage {
  state?: DraftState | undefined;
  /** Pending ones only: those that are snoozed, or those that are not. */
  snoozed?: boolean | undefined;
  /** The last id of the page before. */
  before?: number | undefined;
  limit: number;
}

export type DraftsTable = ReturnType<typeof draftsTable>;

/** The statements on drafts. A change of state returns false where the edge is not there to take. */
export function draftsTable(db: Database.Database) {
  const insert = db.prepare(`INSERT INTO drafts
    (job, ordinal, kind, title, subject, topic, body, total_cents, currency, model, created_at)
    VALUES (@job, @ordinal, @kind, @title, @subject, @topic, @body, @totalCents, @currency, @model,
      @createdAt)`);
  const retire = db.prepare(`UPDATE drafts SET state = 'superseded', decided_at = @at
    WHERE topic = @topic AND state = 'pending'`);
  const nameSuccessor = db.prepare(`UPDATE drafts SET superseded_by = @id
    WHERE topic = @topic AND state = 'superseded' AND superseded_by IS NULL`);
  const get = db.prepare<[number], Row>(`SELECT ${HEAD}, body ${FROM} WHERE id = ?`);
  const ofJob = db.prepare<[number], HeadRow>(
    `SELECT ${HEAD} ${FROM} WHERE job = ? ORDER BY ordinal`,
  );
  const list = db.prepare<[number, number], HeadRow>(
    `SELECT ${HEAD} ${FROM} WHERE id < ? ORDER BY id DESC LIMIT ?`,
  );
  const listInState = db.prepare<[DraftState, number, number], HeadRow>(
    `SELECT ${HEAD} ${FROM} WHERE state = ? AND id < ? ORDER BY id DESC LIMIT ?`,
  );
  const listSeen = db.prepare<[number, number], HeadRow>(
    `SELECT ${HEAD} ${FROM} WHERE state = 'pending' AND draft IS NULL AND id < ?
     ORDER BY id DESC LIMIT ?`,
  );
  const listSnoozed = db.prepare<[number, number], HeadRow>(
    `SELECT ${HEAD} FROM snoozes JOIN drafts ON id = draft WHERE draft < ?
     ORDER BY draft DESC LIMIT ?`,
  );
  const counts = db.prepare<[], { state: DraftState; count: number }>(
    'SELECT state, count(*) AS count FROM drafts GROUP BY state',
  );
  const newestOfTopic = db.prepare<[string], HeadRow>(
    `SELECT ${HEAD} ${FROM} WHERE topic = ? ORDER BY id DESC LIMIT 1`,
  );
  const ordersSince = db.prepare<[number], Row>(
    `SELECT ${HEAD}, body ${FROM} WHERE applied_at >= ? AND kind = 'order'
     ORDER BY applied_at DESC, id DESC`,
  );
  const approve = db.prepare(`UPDATE drafts SET state = 'approved', decided_at = @at, error = NULL
    WHERE id = @id AND state IN ('pending', 'apply-failed')`);
  const markApplied = db.prepare(
    "UPDATE drafts SET state = 'applied', applied_at = @at WHERE id = @id AND state = 'approved'",
  );
  const markFailed = db.prepare(`UPDATE drafts SET state = 'apply-failed', error = @error
    WHERE id = @id AND state = 'approved'`);
  const dismiss = db.prepare(`UPDATE drafts SET state = 'dismissed', decided_at = @at, error = NULL
    WHERE id = @id AND state IN ('pending', 'apply-failed')`);
  const restore = db.prepare(`UPDATE drafts SET state = 'pending', decided_at = NULL
    WHERE id = @id AND state = 'dismissed'`);

  return {
    /** Adds a pending draft, and supersedes the pending one of its topic in the same transaction. */
    insert: db.transaction((draft: NewDraft): number => {
      const { topic, createdAt: at } = draft;
      const retired = topic === null ? 0 : retire.run({ topic, at }).changes;
      const body = JSON.stringify(draft.body);
      const added = insert.run({ ...draft, ordinal: draft.ordinal ?? 0, body });
      const id = Number(added.lastInsertRowid);
      if (retired > 0) nameSuccessor.run({ id, topic });
      return id;
    }) as (draft: NewDraft) => number,

    get(id: number): Draft | null {
      const row = get.get(id);
      return row ? draftOf(row) : null;
    },

    ofJob: (job: number): DraftHead[] => ofJob.all(job).map(headOf),

    /** Drafts that are put off for a while. */
    snoozes: snoozesTable(db),

    /** Newest first. */
    list({ state, snoozed, before = Number.MAX_SAFE_INTEGER, limit }: DraftsPage): DraftHead[] {
      const rows =
        snoozed === undefined
          ? state === undefined
            ? list.all(before, limit)
            : listInState.all(state, before, limit)
          : (snoozed ? listSnoozed : listSeen).all(before, limit);
      return rows.map(headOf);
    },

    counts(): Record<DraftState, number> {
      const found = new Map(counts.all().map((row) => [row.state, row.count]));
      return Object.fromEntries(
        DRAFT_STATES.map((state) => [state, found.get(state) ?? 0]),
      ) as Record<DraftState, number>;
    },

    newestOfTopic(topic: string): DraftHead | null {
      const row = newestOfTopic.get(topic);
      return row ? headOf(row) : null;
    },

    /** Orders applied at `since` or later, the newest first. */
    ordersAppliedSince: (since: number): Draft[] => ordersSince.all(since).map(draftOf),

    approve: (id: number, at: number): boolean => approve.run({ id, at }).changes === 1,
    markApplied: (id: number, at: number): boolean => markApplied.run({ id, at }).changes === 1,
    markFailed: (id: number, error: string): boolean => markFailed.run({ id, error }).changes === 1,
    dismiss: (id: number, at: number): boolean => dismiss.run({ id, at }).changes === 1,
    restore: (id: number): boolean => restore.run({ id }).changes === 1,
  };
}

function draftOf(row: Row): Draft {
  return { ...headOf(row), body: JSON.parse(row.body) };
}

function headOf(row: HeadRow): DraftHead {
  return {
    id: row.id,
    job: row.job,
    ordinal: row.ordinal,
    kind: row.kind,
    state: row.state,
    title: row.title,
    subject: row.subject,
    topic: row.topic,
    totalCents: row.total_cents,
    currency: row.currency,
    model: row.model,
    createdAt: row.created_at,
    decidedAt: row.decided_at,
    appliedAt: row.applied_at,
    supersededBy: row.superseded_by,
    error: row.error,
    summary: row.summary,
    snoozed: row.snoozed_at === null ? null : { at: row.snoozed_at, until: row.snoozed_until },
  };
}
