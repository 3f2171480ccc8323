/**
 * Jobs: the queue itself. Times are epoch milliseconds UTC, windows (`num_ctx`) are tokens.
 * A row is born queued or deferred, is put into `running` by the claim alone, and ends in one of the
 * terminal states; every finish, checkpoint and extension is fenced by (id, running, claim_no).
 */
export const jobsDefinition = `
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 100),
  tier TEXT NOT NULL CHECK (tier IN ('pinned', 'routine', 'synthesis', 'stretch')),
  num_ctx INTEGER NOT NULL CHECK (num_ctx >= 0),
  class TEXT NOT NULL CHECK (class IN ('light', 'heavy', 'housekeeping')),
  priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 1000),
  state TEXT NOT NULL CHECK (state IN
    ('queued', 'running', 'done', 'failed', 'deferred', 'cancelled', 'missed')),
  title TEXT NOT NULL,
  payload TEXT NOT NULL,
  source TEXT,
  session TEXT,
  subject TEXT,
  channel TEXT NOT NULL DEFAULT 'local',
  recipient TEXT NOT NULL DEFAULT '',
  retry_of INTEGER,
  coalesce_key TEXT,
  coalesced INTEGER NOT NULL DEFAULT 0 CHECK (coalesced >= 0),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  max_attempts INTEGER NOT NULL DEFAULT 1 CHECK (max_attempts >= 1),
  unclean_exits INTEGER NOT NULL DEFAULT 0 CHECK (unclean_exits >= 0),
  checkpoint TEXT,
  waiver TEXT,
  result TEXT,
  error TEXT,
  reason_code TEXT,
  reason TEXT,
  not_before INTEGER,
  expires_at INTEGER,
  revive_at INTEGER CHECK (revive_at IS NULL OR state = 'deferred'),
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  claim_no INTEGER NOT NULL DEFAULT 0,
  claimed_by_run INTEGER,
  lease_expires_at INTEGER CHECK (lease_expires_at IS NULL OR state = 'running'),
  CHECK (state <> 'running' OR (claimed_by_run IS NOT NULL AND started_at IS NOT NULL)),
  CHECK ((finished_at IS NOT NULL) = (state IN ('done', 'failed', 'cancelled', 'missed')))
) STRICT;
CREATE UNIQUE INDEX jobs_source ON jobs (source) WHERE source IS NOT NULL;
CREATE UNIQUE INDEX jobs_coalesce ON jobs (coalesce_key)
  WHERE state = 'queued' AND checkpoint IS NULL AND coalesce_key IS NOT NULL;
CREATE INDEX jobs_claim_age ON jobs (tier, priority, created_at, id, num_ctx) WHERE state = 'queued';
CREATE INDEX jobs_claim_key ON jobs (tier, num_ctx, priority, created_at, id) WHERE state = 'queued';
CREATE INDEX jobs_running ON jobs (id, session) WHERE state = 'running';
CREATE INDEX jobs_deferred ON jobs (revive_at, id) WHERE state = 'deferred';
CREATE INDEX jobs_expiry ON jobs (expires_at)
  WHERE expires_at IS NOT NULL AND state IN ('queued', 'deferred');
CREATE INDEX jobs_waived ON jobs (id) WHERE waiver IS NOT NULL AND state = 'queued';
CREATE INDEX jobs_ended_badly ON jobs (state, id) WHERE state IN ('failed', 'cancelled', 'missed');

CREATE TRIGGER jobs_birth BEFORE INSERT ON jobs
WHEN NEW.state NOT IN ('queued', 'deferred')
BEGIN SELECT RAISE(ABORT, 'a job is born queued or deferred'); END;

CREATE TRIGGER jobs_edges BEFORE UPDATE OF state ON jobs
WHEN NEW.state <> OLD.state AND NOT (
  (OLD.state = 'queued' AND NEW.state IN ('running', 'cancelled', 'missed')) OR
  (OLD.state = 'running' AND NEW.state IN ('done', 'failed', 'queued', 'deferred', 'cancelled')) OR
  (OLD.state = 'deferred' AND NEW.state IN ('queued', 'cancelled', 'missed')))
BEGIN SELECT RAISE(ABORT, 'that change of a job''s state is not in the table of edges'); END;

CREATE TRIGGER jobs_claim_rises BEFORE UPDATE OF claim_no, state ON jobs
WHEN NEW.claim_no < OLD.claim_no
  OR (OLD.state = 'queued' AND NEW.state = 'running' AND NEW.claim_no <= OLD.claim_no)
BEGIN SELECT RAISE(ABORT, 'a claim number is never reused or lowered'); END;

CREATE TRIGGER jobs_identity BEFORE UPDATE OF id, kind, payload, source, session, subject,
  channel, recipient, created_at, retry_of ON jobs
BEGIN SELECT RAISE(ABORT, 'what a job is never changes'); END;

CREATE TRIGGER jobs_delete BEFORE DELETE ON jobs
WHEN OLD.state NOT IN ('done', 'failed', 'cancelled', 'missed')
BEGIN SELECT RAISE(ABORT, 'only finished jobs are pruned'); END;
`;
