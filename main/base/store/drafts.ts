/**
 * Drafts: results that wait for the owner. What a draft says never changes; its state follows a
 * closed table (trigger). `body` is JSON by kind (desk/draft-body.ts). `topic` is what a newer draft
 * of the same matter supersedes; null never supersedes. One draft a job and ordinal.
 */
export const draftsDefinition = `
CREATE TABLE drafts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job INTEGER NOT NULL REFERENCES jobs (id),
  ordinal INTEGER NOT NULL DEFAULT 0,
  kind TEXT NOT NULL CHECK (kind IN ('order', 'text', 'report')),
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN
    ('pending', 'approved', 'applied', 'apply-failed', 'dismissed', 'superseded')),
  title TEXT NOT NULL,
  subject TEXT,
  topic TEXT,
  body TEXT NOT NULL,
  total_cents INTEGER CHECK (total_cents >= 0),
  currency TEXT,
  model TEXT,
  created_at INTEGER NOT NULL,
  decided_at INTEGER,
  applied_at INTEGER,
  superseded_by INTEGER,
  error TEXT,
  UNIQUE (job, ordinal),
  CHECK ((total_cents IS NULL) = (currency IS NULL))
) STRICT;
CREATE INDEX drafts_state ON drafts (state, id);
CREATE INDEX drafts_topic ON drafts (topic) WHERE topic IS NOT NULL AND state = 'pending';
CREATE INDEX drafts_applied ON drafts (applied_at) WHERE applied_at IS NOT NULL;

CREATE TRIGGER drafts_birth BEFORE INSERT ON drafts WHEN NEW.state <> 'pending'
BEGIN SELECT RAISE(ABORT, 'a draft is born pending'); END;
CREATE TRIGGER drafts_edges BEFORE UPDATE OF state ON drafts
WHEN NEW.state <> OLD.state AND NOT (
  (OLD.state = 'pending' AND NEW.state IN ('approved', 'dismissed', 'superseded')) OR
  (OLD.state = 'approved' AND NEW.state IN ('applied', 'apply-failed')) OR
  (OLD.state = 'apply-failed' AND NEW.state IN ('approved', 'dismissed')) OR
  (OLD.state = 'dismissed' AND NEW.state = 'pending'))
BEGIN SELECT RAISE(ABORT, 'that change of a draft''s state is not allowed'); END;
CREATE TRIGGER drafts_words BEFORE UPDATE OF id, job, ordinal, kind, title, subject, topic, body,
  total_cents, currency, model, created_at ON drafts
BEGIN SELECT RAISE(ABORT, 'what a draft says never changes'); END;
`;

export interface NewDraft {
  job: number;
  ordinal?: number;
  kind: 'order' | 'text' | 'report';
  title: string;
  subject: string | null;
  topic: string | null;
  /** JSON by kind. */
  body: unknown;
  totalCents: number | null;
  currency: string | null;
  model: string | null;
  createdAt: number;
}
