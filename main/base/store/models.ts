import type Database from 'better-sqlite3';

/**
 * What is known of models: memory learned from servers (decimal GB are computed, bytes are stored),
 * and the append-only ledger of loads, unloads and refusals. The ledger also says which resident
 * models are Lull's own after a restart: `loading` is written before the server is asked, so that a
 * crash in the middle of a load leaves no model that nobody owns.
 */
export const modelsDefinition = `
CREATE TABLE model_memory (
  digest TEXT NOT NULL,
  num_ctx INTEGER NOT NULL,
  bytes INTEGER NOT NULL CHECK (bytes > 0),
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (digest, num_ctx)
) STRICT, WITHOUT ROWID;

CREATE TABLE model_loads (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  action TEXT NOT NULL CHECK (action IN
    ('loading', 'load', 'failed', 'unload', 'stuck', 'gone', 'refused')),
  server TEXT NOT NULL,
  model TEXT NOT NULL,
  tier TEXT,
  num_ctx INTEGER,
  effective_ctx INTEGER,
  bytes INTEGER,
  millis INTEGER,
  swapped INTEGER NOT NULL DEFAULT 0 CHECK (swapped IN (0, 1)),
  detail TEXT
) STRICT;
CREATE INDEX model_loads_owner ON model_loads (server, model, id)
  WHERE action IN ('loading', 'load', 'unload', 'gone');
CREATE INDEX model_loads_at ON model_loads (at, action, swapped);
CREATE TRIGGER model_loads_keep BEFORE UPDATE ON model_loads
BEGIN SELECT RAISE(ABORT, 'the ledger of loads is append-only'); END;
`;

/**
 * loading: asked for · load: resident · failed: the load did not happen · unload: seen gone after we
 * asked · stuck: still resident although we asked · gone: left without our asking · refused: not tried.
 */
export type LoadAction = 'loading' | 'load' | 'failed' | 'unload' | 'stuck' | 'gone' | 'refused';

export interface LoadRow {
  id: number;
  at: number;
  action: LoadAction;
  server: string;
  model: string;
  tier: string | null;
  /** The window asked for, tokens. */
  numCtx: number | null;
  /** The window the server gave: smaller where the model was trained on less. */
  effectiveCtx: number | null;
  bytes: number | null;
  /** How long it took. */
  millis: number | null;
  /** The load put another worker model out. */
  swapped: boolean;
  detail: string | null;
}

export type NewLoadRow = Pick<LoadRow, 'at' | 'action' | 'server' | 'model'> &
  Partial<Omit<LoadRow, 'id' | 'at' | 'action' | 'server' | 'model'>>;

/** A model that Lull loaded and has not seen leave. */
export interface OwnedModel {
  server: string;
  model: string;
  numCtx: number;
  /** Null while the load was not seen to finish. */
  effectiveCtx: number | null;
  at: number;
}

export interface LoadTally {
  loads: number;
  swaps: number;
  refusals: number;
}

export interface ModelsTable {
  /** Bytes learned for exactly this window, or null. */
  memory(digest: string, numCtx: number): number | null;
  /** Bytes learned for the nearest larger window: an upper bound, or null. */
  memoryOfLarger(digest: string, numCtx: number): number | null;
  learn(digest: string, numCtx: number, bytes: number, at: number): void;
  record(row: NewLoadRow): void;
  owned(): OwnedModel[];
  /** Newest first. */
  recent(limit: number): LoadRow[];
  tally(since: number): LoadTally;
  /** Models loaded in [from, until], for one tier or (null) for all. */
  loadsBetween(tier: string | null, from: number, until: number): number;
  /** When one was first seen to have left, as we asked, in [from, until]; null where none was. */
  unloadedBetween(from: number, until: number): number | null;
}

export function modelsTable(db: Database.Database): ModelsTable {
  const memory = db
    .prepare('SELECT bytes FROM model_memory WHERE digest = ? AND num_ctx = ?')
    .pluck();
  const larger = db
    .prepare(
      'SELECT bytes FROM model_memory WHERE digest = ? AND num_ctx > ? ORDER BY num_ctx LIMIT 1',
    )
    .pluck();
  const learn = db.prepare(
    `INSERT INTO model_memory (digest, num_ctx, bytes, seen_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET bytes = excluded.bytes, seen_at = excluded.seen_at`,
  );
  const record = db.prepare(
    `INSERT INTO model_loads
       (at, action, server, model, tier, num_ctx, effective_ctx, bytes, millis, swapped, detail)
     VALUES
       (@at, @action, @server, @model, @tier, @numCtx, @effectiveCtx, @bytes, @millis, @swapped, @detail)`,
  );
  const owned = db.prepare<[], OwnedModel>(
    `SELECT server, model, num_ctx AS numCtx, effective_ctx AS effectiveCtx, at FROM model_loads
     WHERE action IN ('loading', 'load') AND id IN (
       SELECT max(id) FROM model_loads
       WHERE action IN ('loading', 'load', 'unload', 'gone') GROUP BY server, model)`,
  );
  const recent = db.prepare<[number], Omit<LoadRow, 'swapped'> & { swapped: number }>(
    `SELECT id, at, action, server, model, tier, num_ctx AS numCtx, effective_ctx AS effectiveCtx,
       bytes, millis, swapped, detail
     FROM model_loads ORDER BY id DESC LIMIT ?`,
  );
  const tally = db.prepare<[number], LoadTally>(
    `SELECT count(*) FILTER (WHERE action = 'load') AS loads,
       count(*) FILTER (WHERE action = 'load' AND swapped = 1) AS swaps,
       count(*) FILTER (WHERE action = 'refused') AS refusals
     FROM model_loads WHERE at >= ?`,
  );
  const loaded = db
    .prepare(
      `SELECT count(*) FROM model_loads
       WHERE at BETWEEN ? AND ? AND action = 'load' AND (? IS NULL OR tier = ?)`,
    )
    .pluck();
  const unloaded = db
    .prepare(`SELECT min(at) FROM model_loads WHERE at BETWEEN ? AND ? AND action = 'unload'`)
    .pluck();
  return {
    memory: (digest, numCtx) => (memory.get(digest, numCtx) as number | undefined) ?? null,
    memoryOfLarger: (digest, numCtx) => (larger.get(digest, numCtx) as number | undefined) ?? null,
    learn: (digest, numCtx, bytes, at) => void learn.run(digest, numCtx, bytes, at),
    record(row) {
      const blank = { tier: null, numCtx: null, effectiveCtx: null, bytes: null, millis: null };
      record.run({ ...blank, detail: null, ...row, swapped: row.swapped ? 1 : 0 });
    },
    owned: () => owned.all(),
    recent: (limit) => recent.all(limit).map((row) => ({ ...row, swapped: row.swapped === 1 })),
    tally: (since) => tally.get(since) as LoadTally,
    loadsBetween: (tier, from, until) => loaded.get(from, until, tier, tier) as number,
    unloadedBetween: (from, until) => unloaded.get(from, until) as number | null,
  };
}
