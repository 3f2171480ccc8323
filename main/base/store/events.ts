import type Database from 'better-sqlite3';
import { canonicalJson } from '../ids.ts';

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

export interface EventRow {
  id: number;
  at: number;
  kind: string;
  job: number | null;
  payload: unknown;
}

interface StoredEvent extends Omit<EventRow, 'payload'> {
  payload: string;
}

export type EventsTable = ReturnType<typeof eventsTable>;

export function eventsTable(db: Database.Database) {
  const insert = db.prepare('INSERT INTO events (at, kind, job, payload) VALUES (?, ?, ?, ?)');
  const ofJob = db.prepare<[number], StoredEvent>('SELECT * FROM events WHERE job = ? ORDER BY id');
  const ofKind = db.prepare<[string, number], StoredEvent>(
    'SELECT * FROM events WHERE kind = ? ORDER BY id DESC LIMIT ?',
  );
  const newest = db.prepare<[number], StoredEvent>('SELECT * FROM events ORDER BY id DESC LIMIT ?');
  const newestOfJob = db.prepare<[number], StoredEvent>(
    'SELECT * FROM events WHERE job = ? ORDER BY id DESC LIMIT 1',
  );
  const forget = db.prepare(
    `DELETE FROM events WHERE id IN (
       SELECT e.id FROM events e LEFT JOIN jobs j ON j.id = e.job
       WHERE e.at < ? AND (e.job IS NULL OR j.id IS NULL OR j.finished_at < ?)
       ORDER BY e.id LIMIT ?)`,
  );
  const event = (row: StoredEvent): EventRow => ({ ...row, payload: JSON.parse(row.payload) });

  return {
    /** Adds one event in the caller's transaction; returns its id. `at` is epoch milliseconds. */
    record: (at: number, kind: string, job: number | null, payload: object): number =>
      Number(insert.run(at, kind, job, canonicalJson(payload)).lastInsertRowid),
    /** Everything recorded about one job, oldest first. */
    forJob: (job: number): EventRow[] => ofJob.all(job).map(event),
    /** The newest event about one job. */
    latestForJob(job: number): EventRow | null {
      const row = newestOfJob.get(job);
      return row ? event(row) : null;
    },
    /**
     * Removes events from before, those of jobs that have not ended since then excepted; at most
     * `atMost`, the oldest first. Returns how many.
     */
    forget: (before: number, atMost: number): number => forget.run(before, before, atMost).changes,
    /** Newest first. */
    byKind: (kind: string, limit: number): EventRow[] => ofKind.all(kind, limit).map(event),
    /** Newest first. */
    latest: (limit: number): EventRow[] => newest.all(limit).map(event),
  };
}
