/**
 * Events: the append-only ledger of what happened and why, in the order it happened. `kind` is a
 * dotted name; `job` is set where the event is about one job; `payload` is canonical JSON.
 */
export const eventsDefinition = `
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  job INTEGER,
  payload TEXT NOT NULL
) STRICT;
CREATE INDEX events_job ON events (job, id) WHERE job IS NOT NULL;
CREATE INDEX events_kind ON events (kind, id);
CREATE TRIGGER events_keep BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
`;
