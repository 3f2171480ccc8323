import type Database from 'better-sqlite3';
import type { Tier } from '../config-schema.ts';

/**
 * Stock conditions: one enabled watch a product. `generation` counts episodes and is never lowered;
 * `armed` says whether the next observed shortage may create work; `problem` is what the last pass
 * could not observe, null when it could. The binding (session, subject, route) never changes.
 */
export const conditionsDefinition = `
CREATE TABLE stock_conditions (
  id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 100),
  session TEXT NOT NULL CHECK (length(session) BETWEEN 1 AND 100),
  subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 100),
  channel TEXT NOT NULL DEFAULT 'local',
  recipient TEXT NOT NULL DEFAULT '',
  tier TEXT CHECK (tier IN ('pinned', 'routine', 'synthesis', 'stretch')),
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  armed INTEGER NOT NULL DEFAULT 1 CHECK (armed IN (0, 1)),
  generation INTEGER NOT NULL DEFAULT 0 CHECK (generation >= 0),
  problem TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX stock_conditions_subject ON stock_conditions (subject) WHERE enabled = 1;
CREATE TRIGGER stock_conditions_binding
BEFORE UPDATE OF id, session, subject, channel, recipient, tier, created_at ON stock_conditions
BEGIN SELECT RAISE(ABORT, 'the binding of a condition never changes'); END;
CREATE TRIGGER stock_conditions_generation BEFORE UPDATE OF generation ON stock_conditions
WHEN NEW.generation < OLD.generation
BEGIN SELECT RAISE(ABORT, 'a generation is never lowered'); END;
CREATE TRIGGER stock_conditions_keep BEFORE DELETE ON stock_conditions
BEGIN SELECT RAISE(ABORT, 'a condition is disabled, never deleted'); END;
`;

/** What a condition is bound to for good. */
export interface ConditionBinding {
  session: string;
  /** The SKU. */
  subject: string;
  channel: string;
  recipient: string;
  /** Null: the router decides. */
  tier: Tier | null;
}

/** A condition as stored. */
export interface StoredCondition extends ConditionBinding {
  id: string;
  enabled: 0 | 1;
  armed: 0 | 1;
  generation: number;
  problem: string | null;
}

const COLUMNS =
  'id, session, subject, channel, recipient, tier, enabled, armed, generation, problem';

export type ConditionsTable = ReturnType<typeof conditionsTable>;

/** The statements on stock conditions. */
export function conditionsTable(db: Database.Database) {
  const insert = db.prepare(`INSERT INTO stock_conditions
    (id, session, subject, channel, recipient, tier, created_at)
    VALUES (@id, @session, @subject, @channel, @recipient, @tier, @at)`);
  const get = db.prepare<[string], StoredCondition>(
    `SELECT ${COLUMNS} FROM stock_conditions WHERE id = ?`,
  );
  const list = db.prepare<[], StoredCondition>(
    `SELECT ${COLUMNS} FROM stock_conditions ORDER BY id`,
  );
  const enabled = db.prepare<[], StoredCondition>(
    `SELECT ${COLUMNS} FROM stock_conditions WHERE enabled = 1 ORDER BY id`,
  );
  const enabledCount = db
    .prepare<[], number>('SELECT count(*) FROM stock_conditions WHERE enabled = 1')
    .pluck();
  const watching = db.prepare<[string], StoredCondition>(
    `SELECT ${COLUMNS} FROM stock_conditions WHERE subject = ? AND enabled = 1`,
  );
  const enable = db.prepare(
    'UPDATE stock_conditions SET enabled = 1, armed = 1, problem = NULL WHERE id = ?',
  );
  const disable = db.prepare(
    'UPDATE stock_conditions SET enabled = 0, problem = NULL WHERE id = ?',
  );
  const trigger = db.prepare(
    'UPDATE stock_conditions SET armed = 0, generation = @generation WHERE id = @id',
  );
  const arm = db.prepare('UPDATE stock_conditions SET armed = 1 WHERE id = ?');
  const setProblem = db.prepare('UPDATE stock_conditions SET problem = @problem WHERE id = @id');

  return {
    insert(id: string, binding: ConditionBinding, at: number): void {
      insert.run({ ...binding, id, at });
    },
    get: (id: string): StoredCondition | null => get.get(id) ?? null,
    /** All, by id, disabled ones included. */
    list: (): StoredCondition[] => list.all(),
    enabled: (): StoredCondition[] => enabled.all(),
    enabledCount: (): number => enabledCount.get() ?? 0,
    /** The enabled condition on a product. */
    watching: (subject: string): StoredCondition | null => watching.get(subject) ?? null,
    /** Enables and arms; the generation stays. */
    enable(id: string): void {
      enable.run(id);
    },
    disable(id: string): void {
      disable.run(id);
    },
    /** An episode has made work: disarmed until the need is over. */
    trigger(id: string, generation: number): void {
      trigger.run({ id, generation });
    },
    arm(id: string): void {
      arm.run(id);
    },
    setProblem(id: string, problem: string | null): void {
      setProblem.run({ id, problem });
    },
  };
}
