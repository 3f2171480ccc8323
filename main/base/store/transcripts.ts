/**
 * Transcripts: the raw messages of each finished turn, kept for evaluation beside the draft, and the
 * short history a session carries into its next turn.
 */
export const transcriptsDefinition = `
CREATE TABLE transcripts (
  job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  claim_no INTEGER NOT NULL,
  at INTEGER NOT NULL,
  status TEXT NOT NULL,
  model TEXT NOT NULL,
  messages TEXT NOT NULL,
  usage TEXT NOT NULL,
  PRIMARY KEY (job, claim_no)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER transcripts_keep BEFORE UPDATE ON transcripts
BEGIN SELECT RAISE(ABORT, 'transcripts are kept as they were'); END;

CREATE TABLE session_results (
  id INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  job INTEGER NOT NULL UNIQUE,
  prompt TEXT NOT NULL,
  result TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX session_results_session ON session_results (session, id);
`;

export interface NewTranscript {
  job: number;
  claimNo: number;
  at: number;
  /** How the run ended, for example `completed`, `turn-limit`. */
  status: string;
  model: string;
  messages: unknown[];
  usage: { promptTokens: number; outputTokens: number; turns: number; millis: number };
}
