/** Runs: one row for each life of a host, so that an unclean end is seen by the next one. */
export const runsDefinition = `
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  version TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  stopped_at INTEGER,
  clean INTEGER NOT NULL DEFAULT 0 CHECK (clean IN (0, 1)),
  recovered TEXT,
  CHECK (clean = 0 OR stopped_at IS NOT NULL)
) STRICT;
`;
