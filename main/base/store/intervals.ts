import type Database from 'better-sqlite3';

/**
 * Intervals: what was so, from when until when, as the host saw it: whether the owner was here, what
 * the machine lived on, and what held heavy work back. Half-open, [from, until). While one lasts it has
 * no `ended`, and `until_at` says how far it has been seen: it is moved now and then, so that after a
 * crash nothing is claimed that nobody saw. Kept for some months, and never sent anywhere.
 */
export const intervalsDefinition = `
CREATE TABLE intervals (
  id INTEGER PRIMARY KEY,
  track TEXT NOT NULL CHECK (track IN ('presence', 'power', 'hold')),
  state TEXT NOT NULL,
  from_at INTEGER NOT NULL,
  until_at INTEGER NOT NULL CHECK (until_at >= from_at),
  percent_from REAL,
  percent_until REAL,
  ended TEXT CHECK (ended IN ('change', 'gap', 'stop', 'crash'))
) STRICT;
CREATE UNIQUE INDEX intervals_open ON intervals (track) WHERE ended IS NULL;
CREATE INDEX intervals_time ON intervals (track, from_at);
`;

export type Track = 'presence' | 'power' | 'hold';

/**
 * change: another state followed · gap: the machine slept, or nobody looked · stop: the host stopped ·
 * crash: the host ended without a word.
 */
export type IntervalEnd = 'change' | 'gap' | 'stop' | 'crash';

export interface Interval {
  id: number;
  track: Track;
  state: string;
  /** Epoch ms. */
  from: number;
  /** Epoch ms; for one that lasts, how far it has been seen. */
  until: number;
  /** Battery charge at its ends, 0–100; null where there is none. */
  percentFrom: number | null;
  percentUntil: number | null;
  ended: IntervalEnd | null;
}

export type NewInterval = Pick<Interval, 'track' | 'state' | 'from' | 'percentFrom'>;

export type IntervalsTable = ReturnType<typeof intervalsTable>;

const COLUMNS = `id, track, state, from_at AS "from", until_at AS until,
  percent_from AS percentFrom, percent_until AS percentUntil, ended`;

export function intervalsTable(db: Database.Database) {
  const insert = db.prepare(
    `INSERT INTO intervals (track, state, from_at, until_at, percent_from, percent_until)
     VALUES (@track, @state, @from, @from, @percentFrom, @percentFrom)`,
  );
  const seen = db.prepare(
    'UPDATE intervals SET until_at = ?, percent_until = ? WHERE ended IS NULL AND from_at <= ?',
  );
  const end = db.prepare(
    `UPDATE intervals SET until_at = max(from_at, ?), percent_until = ?, ended = ?
     WHERE track = ? AND ended IS NULL`,
  );
  const endCut = db.prepare(`UPDATE intervals SET ended = 'crash' WHERE ended IS NULL`);
  const lasting = db.prepare<[], Interval>(
    `SELECT ${COLUMNS} FROM intervals WHERE ended IS NULL ORDER BY track`,
  );
  const within = db.prepare<[Track, number, number], Interval>(
    `SELECT ${COLUMNS} FROM intervals WHERE track = ? AND from_at < ? AND (until_at > ? OR ended IS NULL)
     ORDER BY from_at, id`,
  );
  const first = db.prepare('SELECT min(from_at) FROM intervals WHERE track = ?').pluck();
  const lastOf = db.prepare<[Track, string], Interval>(
    `SELECT ${COLUMNS} FROM intervals WHERE track = ? AND state = ?
     ORDER BY from_at DESC, id DESC LIMIT 1`,
  );
  const forget = db.prepare('DELETE FROM intervals WHERE until_at < ? AND ended IS NOT NULL');
  return {
    /** Begins one; the track's former one must have ended. */
    begin: (interval: NewInterval): void => void insert.run(interval),
    /** Moves the end of every lasting one: seen until then. */
    extend: (until: number, percent: number | null): void => void seen.run(until, percent, until),
    end: (track: Track, until: number, percent: number | null, how: IntervalEnd): void =>
      void end.run(until, percent, how, track),
    /** Ends what an unclean end of a host left, where it was last seen; returns how many. */
    endCutOff: (): number => endCut.run().changes,
    lasting: (): Interval[] => lasting.all(),
    /** Those of a track that touch [from, to), and one that lasts; oldest first. */
    within: (track: Track, from: number, to: number): Interval[] => within.all(track, to, from),
    /** When the record of a track begins; null where there is none. */
    firstAt: (track: Track): number | null => (first.get(track) as number | null) ?? null,
    /** The newest of this state. */
    latest: (track: Track, state: string): Interval | null => lastOf.get(track, state) ?? null,
    /** Removes what ended before; returns how many. */
    forget: (before: number): number => forget.run(before).changes,
  };
}
