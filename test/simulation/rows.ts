import type Database from 'better-sqlite3';
import { unwatched } from './tap.ts';

/** The rows that the checks look at, as they stand in the database; read without the engine's code. */

export interface JobRow {
  id: number;
  kind: string;
  tier: 'pinned' | 'routine' | 'synthesis' | 'stretch';
  num_ctx: number;
  class: 'light' | 'heavy' | 'housekeeping';
  priority: number;
  state: 'queued' | 'running' | 'done' | 'failed' | 'deferred' | 'cancelled' | 'missed';
  created_at: number;
  source: string | null;
  session: string | null;
  subject: string | null;
  retry_of: number | null;
  coalesced: number;
  attempts: number;
  max_attempts: number;
  unclean_exits: number;
  not_before: number | null;
  expires_at: number | null;
  revive_at: number | null;
  started_at: number | null;
  finished_at: number | null;
  claim_no: number;
  claimed_by_run: number | null;
  cancel_asked_at: number | null;
  reason_code: string | null;
  waiver: string | null;
  error: string | null;
  /** Length of the resume token; null without one. */
  checkpoint: number | null;
}

export interface DraftRow {
  id: number;
  job: number;
  ordinal: number;
  kind: 'order' | 'text' | 'report';
  state: string;
  topic: string | null;
  body: string;
}

export interface ScheduleRow {
  id: string;
  revision: number;
  rule: string;
  missed: string;
  enabled: 0 | 1;
  next_due: number | null;
  admitted_count: number;
  coalesced_count: number;
  missed_count: number;
  updated_at: number;
}

export interface ConditionRow {
  id: string;
  subject: string;
  enabled: 0 | 1;
  armed: 0 | 1;
  generation: number;
}

export interface TranscriptRow {
  /** Of its job and its claim number together. */
  id: number;
  job: number;
  status: string;
}

/** A line of the ledger of loads, which only grows. */
export interface LoadRow {
  id: number;
  action: 'loading' | 'load' | 'failed' | 'unload' | 'stuck' | 'gone' | 'refused';
  server: string;
  model: string;
}

export interface Tables {
  jobs: JobRow;
  drafts: DraftRow;
  schedules: ScheduleRow;
  stock_conditions: ConditionRow;
  transcripts: TranscriptRow;
}

export type TableName = keyof Tables;
type Id = number | string;

/** A job is never claimed so often. */
const TRANSCRIPT = 'job * 1000000 + claim_no';

const COLUMNS: Readonly<Record<TableName, { id: string; columns: string }>> = {
  jobs: {
    id: 'id',
    columns: `id, kind, tier, num_ctx, class, priority, state, created_at, source, session, subject,
      retry_of, coalesced, attempts, max_attempts, unclean_exits, not_before, expires_at, revive_at,
      started_at, finished_at, claim_no, claimed_by_run, cancel_asked_at, reason_code, waiver, error,
      length(checkpoint) AS checkpoint`,
  },
  drafts: { id: 'id', columns: 'id, job, ordinal, kind, state, topic, body' },
  schedules: {
    id: 'id',
    columns: `id, revision, rule, missed, enabled, next_due, admitted_count, coalesced_count,
      missed_count, updated_at`,
  },
  stock_conditions: { id: 'id', columns: 'id, subject, enabled, armed, generation' },
  transcripts: { id: TRANSCRIPT, columns: `${TRANSCRIPT} AS id, job, status` },
};
export const TABLES = Object.keys(COLUMNS) as TableName[];

export interface Change<T> {
  readonly before: T | null;
  readonly after: T | null;
}

export type Changes = { readonly [N in TableName]: readonly Change<Tables[N]>[] };

export interface Pauses {
  all: { until: number | null } | null;
  heavy: { until: number | null } | null;
}

/** Reads what a connection has changed since the last look, by triggers of its own that nobody sees. */
export class Rows {
  readonly #touched: Database.Statement<[], { what: TableName; id: Id }>;
  readonly #forget: Database.Statement;
  readonly #one: Readonly<Record<TableName, Database.Statement>>;
  readonly #all: Readonly<Record<TableName, Database.Statement>>;
  readonly #pauses: Database.Statement<[], { scope: 'all' | 'heavy'; until: number | null }>;
  readonly #loads: Database.Statement<[number], LoadRow>;
  #lastLoad: number | null;
  #pausesNow: Pauses | null = null;
  readonly #word: Database.Statement<[number], { present: 0 | 1 }>;
  readonly #onHand: Database.Statement<[string], { on_hand: number; reorder_point: number | null }>;

  constructor(db: Database.Database) {
    db.pragma('temp_store = MEMORY');
    db.exec('CREATE TEMP TABLE touched (what TEXT, id)');
    for (const table of TABLES) {
      for (const [event, row] of [
        ['INSERT', 'NEW'],
        ['UPDATE', 'NEW'],
        ['DELETE', 'OLD'],
      ] as const) {
        const id = COLUMNS[table].id.replace(/\b(id|job|claim_no)\b/g, `${row}.$1`);
        db.exec(`CREATE TEMP TRIGGER seen_${table}_${event} AFTER ${event} ON main.${table}
          BEGIN INSERT INTO touched VALUES ('${table}', ${id}); END`);
      }
    }
    this.#touched = db.prepare('SELECT DISTINCT what, id FROM touched ORDER BY what, id');
    this.#forget = unwatched(db.prepare('DELETE FROM touched'));
    const select = (table: TableName, where: string) =>
      db.prepare(`SELECT ${COLUMNS[table].columns} FROM main.${table} ${where}`);
    const each = (make: (table: TableName) => Database.Statement) =>
      Object.fromEntries(TABLES.map((table) => [table, make(table)])) as Record<
        TableName,
        Database.Statement
      >;
    this.#one = each((table) => select(table, whereId(table)));
    this.#all = each((table) => select(table, ''));
    this.#pauses = db.prepare('SELECT scope, until FROM pauses');
    this.#word = db.prepare('SELECT present FROM presence_word WHERE until IS NULL OR until > ?');
    this.#onHand = db.prepare('SELECT on_hand, reorder_point FROM products WHERE sku = ?');
    this.#loads = db.prepare(
      'SELECT id, action, server, model FROM model_loads WHERE id > ? ORDER BY id',
    );
    this.#lastLoad = db.prepare('SELECT max(id) FROM model_loads').pluck().get() as number | null;
  }

  /** To be asked after each commit: what stays the same between two of them is read once. */
  touched(): { what: TableName; id: Id }[] {
    this.#pausesNow = null;
    const list = this.#touched.all();
    if (list.length > 0) this.#forget.run();
    return list;
  }

  /** What the ledger of loads was given since the last look. */
  loads(): LoadRow[] {
    const rows = this.#loads.all(this.#lastLoad ?? 0);
    this.#lastLoad = rows.at(-1)?.id ?? this.#lastLoad;
    return rows;
  }

  get<N extends TableName>(table: N, id: Id): Tables[N] | null {
    return (this.#one[table].get({ id }) as Tables[N] | undefined) ?? null;
  }

  all<N extends TableName>(table: N): Tables[N][] {
    return this.#all[table].all() as Tables[N][];
  }

  pauses(): Pauses {
    if (this.#pausesNow) return this.#pausesNow;
    const pauses: Pauses = { all: null, heavy: null };
    for (const { scope, until } of this.#pauses.all()) pauses[scope] = { until };
    this.#pausesNow = pauses;
    return pauses;
  }

  /** The owner's word on presence that holds at `now`: here, away, or (null) none. */
  word(now: number): 'here' | 'away' | null {
    const row = this.#word.get(now);
    return row ? (row.present === 1 ? 'here' : 'away') : null;
  }

  /** Units missing up to the reorder point; null where nobody has said. */
  need(sku: string): number | null {
    const row = this.#onHand.get(sku);
    if (!row || row.reorder_point === null) return null;
    return Math.max(0, row.reorder_point - row.on_hand);
  }
}

function whereId(table: TableName): string {
  return table === 'transcripts'
    ? 'WHERE job = CAST(@id AS INTEGER) / 1000000 AND claim_no = CAST(@id AS INTEGER) % 1000000'
    : 'WHERE id = @id';
}
