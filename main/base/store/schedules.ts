/**
 * Schedules: what falls due by the clock. The identity never changes hands; an edit makes a new
 * revision, kept whole in `schedule_revisions`. `rule` and `missed` are JSON (see producers/clock).
 * `next_due` is an instant (epoch ms), null when the rule has no further occurrence.
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
  next_due INTEGER,
  deferred INTEGER NOT NULL DEFAULT 0 CHECK (deferred IN (0, 1)),
  missed_count INTEGER NOT NULL DEFAULT 0 CHECK (missed_count >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX schedules_due ON schedules (next_due, id) WHERE enabled = 1 AND next_due IS NOT NULL;

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
