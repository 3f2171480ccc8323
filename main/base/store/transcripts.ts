import type Database from 'better-sqlite3';

/** What a session keeps of each finished turn, and how many of them. */
const PROMPT_CHARACTERS = 512;
const RESULT_CHARACTERS = 2048;
const KEPT_RESULTS = 20;

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
  prompt TEXT NOT NULL CHECK (length(prompt) <= ${PROMPT_CHARACTERS}),
  result TEXT NOT NULL CHECK (length(result) <= ${RESULT_CHARACTERS}),
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

/** A transcript as stored; `messages` is parsed JSON, not yet validated. */
export type Transcript = NewTranscript;

/** One finished turn as its session remembers it, cut to size. */
export interface SessionResult {
  session: string;
  job: number;
  prompt: string;
  result: string;
  at: number;
}

interface Row {
  job: number;
  claim_no: number;
  at: number;
  status: string;
  model: string;
  messages: string;
  usage: string;
}

export type TranscriptsTable = ReturnType<typeof transcriptsTable>;

/** The statements on transcripts and on what sessions remember. */
export function transcriptsTable(db: Database.Database) {
  const insert = db.prepare(`INSERT INTO transcripts
    (job, claim_no, at, status, model, messages, usage)
    VALUES (@job, @claimNo, @at, @status, @model, @messages, @usage)`);
  const newest = db.prepare<[number], Row>(
    'SELECT * FROM transcripts WHERE job = ? ORDER BY claim_no DESC LIMIT 1',
  );
  const history = db.prepare<[string, number], SessionResult>(
    `SELECT session, job, prompt, result, at FROM session_results
     WHERE session = ? ORDER BY id DESC LIMIT ?`,
  );
  const remember = db.prepare(`INSERT INTO session_results (session, job, prompt, result, at)
    VALUES (@session, @job, @prompt, @result, @at)`);
  const forget = db.prepare(`DELETE FROM session_results WHERE session = @session AND id <= (
    SELECT id FROM session_results WHERE session = @session
    ORDER BY id DESC LIMIT 1 OFFSET ${KEPT_RESULTS})`);

  return {
    insert(transcript: NewTranscript): void {
      insert.run({
        ...transcript,
        messages: JSON.stringify(transcript.messages),
        usage: JSON.stringify(transcript.usage),
      });
    },

    /** The transcript of the job's last claim that left one. */
    get(job: number): Transcript | null {
      const row = newest.get(job);
      if (!row) return null;
      return {
        job: row.job,
        claimNo: row.claim_no,
        at: row.at,
        status: row.status,
        model: row.model,
        messages: JSON.parse(row.messages),
        usage: JSON.parse(row.usage),
      };
    },

    /** The last `limit` turns of a session, the oldest first. */
    sessionHistory: (session: string, limit: number): SessionResult[] =>
      history.all(session, limit).reverse(),

    /** Keeps a turn for its session, cut to size, and drops what is beyond the last twenty. */
    remember: db.transaction((turn: SessionResult): void => {
      remember.run({
        ...turn,
        prompt: cut(turn.prompt, PROMPT_CHARACTERS),
        result: cut(turn.result, RESULT_CHARACTERS),
      });
      forget.run({ session: turn.session });
    }) as (turn: SessionResult) => void,
  };
}

/** The first `most` characters (code points, as SQLite counts them): no character is split. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return Array.from(text.slice(0, 2 * most).toWellFormed())
    .slice(0, most)
    .join('');
}
