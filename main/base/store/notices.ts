/**
 * Notices: what the owner should be told once per cause. A cause stays quiet until acknowledged;
 * `count` says how often it came again.
 */
export const noticesDefinition = `
CREATE TABLE notices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  cause TEXT NOT NULL,
  text TEXT NOT NULL,
  draft INTEGER,
  count INTEGER NOT NULL DEFAULT 1,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  acknowledged_at INTEGER
) STRICT;
CREATE UNIQUE INDEX notices_open ON notices (cause) WHERE acknowledged_at IS NULL;
`;
