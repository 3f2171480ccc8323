/**
 * What is known of models: memory learned from servers (decimal GB are computed, bytes are stored),
 * and the append-only ledger of loads, unloads and refusals.
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
  action TEXT NOT NULL CHECK (action IN ('load', 'unload', 'refused', 'swap')),
  server TEXT NOT NULL,
  model TEXT NOT NULL,
  tier TEXT,
  num_ctx INTEGER,
  bytes INTEGER,
  millis INTEGER,
  detail TEXT
) STRICT;
CREATE TRIGGER model_loads_keep BEFORE UPDATE ON model_loads
BEGIN SELECT RAISE(ABORT, 'the ledger of loads is append-only'); END;
`;
