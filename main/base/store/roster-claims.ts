import type Database from 'better-sqlite3';

/**
 * Claims that this machine made on agents of rosters. `events`: the identities under which a claim was
 * announced to relays, renewals among them. A claim that was given up stays, so that its announcements
 * are known as our own for as long as a relay serves them.
 */
export const claimsDefinition = `
CREATE TABLE claims (
  id INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,
  cadence TEXT NOT NULL CHECK (cadence IN ('daily', 'weekly')),
  agent TEXT NOT NULL,
  window TEXT NOT NULL,
  date TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('acquiring', 'held', 'completed', 'given-up', 'lost')),
  platform TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  events TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE INDEX claims_by_agent ON claims (scope, cadence, agent);
CREATE INDEX claims_by_date ON claims (date);
CREATE UNIQUE INDEX one_claim ON claims (scope, cadence, agent, window)
  WHERE state IN ('acquiring', 'held', 'completed');
`;

export type ClaimState = 'acquiring' | 'held' | 'completed' | 'given-up' | 'lost';

export interface ClaimRow {
  id: number;
  /** Which repository by which lock. */
  scope: string;
  cadence: 'daily' | 'weekly';
  agent: string;
  /** The UTC date, or the ISO week, that the claim is for. */
  window: string;
  /** The UTC date on which it was made. */
  date: string;
  state: ClaimState;
  platform: string;
  /** Epoch ms. */
  startedAt: number;
  expiresAt: number;
  events: string[];
}

export interface ClaimsTable {
  add(claim: Omit<ClaimRow, 'id' | 'events'>): number;
  get(id: number): ClaimRow | null;
  /** Every claim of a cadence that can still matter: made since `date`, or not yet over. */
  since(scope: string, cadence: string, date: string): ClaimRow[];
  /** The claims on one agent, newest first. */
  ofAgent(scope: string, cadence: string, agent: string): ClaimRow[];
  announce(id: number, event: string): void;
  /** Moves a claim on; returns whether it was in one of the states `from`. */
  move(
    id: number,
    from: readonly ClaimState[],
    to: ClaimState,
    times?: { startedAt?: number; expiresAt?: number },
  ): boolean;
  /** Forgets the claims made before `date` that are over. */
  prune(date: string): void;
}

interface Stored extends Omit<ClaimRow, 'events'> {
  events: string;
}

const COLUMNS = `id, scope, cadence, agent, window, date, state, platform,
  started_at AS startedAt, expires_at AS expiresAt, events`;

export function claimsTable(db: Database.Database): ClaimsTable {
  const insert = db.prepare(
    `INSERT INTO claims (scope, cadence, agent, window, date, state, platform, started_at, expires_at)
     VALUES (@scope, @cadence, @agent, @window, @date, @state, @platform, @startedAt, @expiresAt)`,
  );
  const selectOne = db.prepare<[number], Stored>(`SELECT ${COLUMNS} FROM claims WHERE id = ?`);
  const selectSince = db.prepare<[string, string, string], Stored>(
    `SELECT ${COLUMNS} FROM claims
     WHERE scope = ? AND cadence = ? AND (date >= ? OR state IN ('acquiring', 'held')) ORDER BY id`,
  );
  const selectAgent = db.prepare<[string, string, string], Stored>(
    `SELECT ${COLUMNS} FROM claims WHERE scope = ? AND cadence = ? AND agent = ? ORDER BY id DESC`,
  );
  const append = db.prepare(
    `UPDATE claims SET events = json_insert(events, '$[#]', ?) WHERE id = ?`,
  );
  const update = db.prepare(
    `UPDATE claims SET state = @to, started_at = coalesce(@startedAt, started_at),
       expires_at = coalesce(@expiresAt, expires_at)
     WHERE id = @id AND state IN (SELECT value FROM json_each(@from))`,
  );
  const remove = db.prepare(
    `DELETE FROM claims WHERE date < ? AND state NOT IN ('acquiring', 'held')`,
  );
  return {
    add: (claim) => Number(insert.run(claim).lastInsertRowid),
    get(id) {
      const row = selectOne.get(id);
      return row ? fromRow(row) : null;
    },
    since: (scope, cadence, date) => selectSince.all(scope, cadence, date).map(fromRow),
    ofAgent: (scope, cadence, agent) => selectAgent.all(scope, cadence, agent).map(fromRow),
    announce: (id, event) => void append.run(event, id),
    move(id, from, to, times = {}) {
      const { startedAt = null, expiresAt = null } = times;
      return update.run({ id, from: JSON.stringify(from), to, startedAt, expiresAt }).changes > 0;
    },
    prune: (date) => void remove.run(date),
  };
}

function fromRow(row: Stored): ClaimRow {
  return { ...row, events: JSON.parse(row.events) as string[] };
}
