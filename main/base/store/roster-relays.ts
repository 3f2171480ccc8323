import type Database from 'better-sqlite3';

/** Relays this machine has used: how they answered lately, and that their owner was told of them. */
export const relaysDefinition = `
CREATE TABLE relays (
  url TEXT PRIMARY KEY,
  told_at INTEGER,
  health TEXT
) STRICT;
`;

export interface RelaysTable {
  /** What was kept of a relay's answers, as JSON, or null. */
  health(url: string): string | null;
  setHealth(url: string, health: string): void;
  /** Whether the owner was told what the relay sees. */
  isTold(url: string): boolean;
  tell(url: string, now: number): void;
}

export function relaysTable(db: Database.Database): RelaysTable {
  const select = db
    .prepare<[string], string | null>('SELECT health FROM relays WHERE url = ?')
    .pluck();
  const upsert = db.prepare(
    `INSERT INTO relays (url, health) VALUES (?, ?)
     ON CONFLICT (url) DO UPDATE SET health = excluded.health`,
  );
  const toldAt = db.prepare('SELECT 1 FROM relays WHERE url = ? AND told_at IS NOT NULL').pluck();
  const told = db.prepare(
    `INSERT INTO relays (url, told_at) VALUES (?, ?)
     ON CONFLICT (url) DO UPDATE SET told_at = excluded.told_at WHERE told_at IS NULL`,
  );
  return {
    health: (url) => select.get(url) ?? null,
    setHealth: (url, health) => void upsert.run(url, health),
    isTold: (url) => toldAt.get(url) !== undefined,
    tell: (url, now) => void told.run(url, now),
  };
}
