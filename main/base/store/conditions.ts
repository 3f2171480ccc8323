/**
 * Stock conditions: one enabled watch a product. `generation` counts episodes and is never lowered;
 * `armed` says whether the next observed shortage may create work; `problem` is what the last pass
 * could not observe, null when it could. The binding (session, subject, route) never changes.
 */
export const conditionsDefinition = `
CREATE TABLE stock_conditions (
  id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 100),
  session TEXT NOT NULL CHECK (length(session) BETWEEN 1 AND 100),
  subject TEXT NOT NULL,
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
BEFORE UPDATE OF id, session, subject, channel, recipient ON stock_conditions
BEGIN SELECT RAISE(ABORT, 'the binding of a condition never changes'); END;
CREATE TRIGGER stock_conditions_generation BEFORE UPDATE OF generation ON stock_conditions
WHEN NEW.generation < OLD.generation
BEGIN SELECT RAISE(ABORT, 'a generation is never lowered'); END;
`;
