import type Database from 'better-sqlite3';
import type { Tier } from '../config-schema.ts';

/**
 * Queued jobs of one class, tier, window and priority form a lane: one stretch of the index
 * `jobs_open`, oldest first. Only the head of a lane can be its next job, so a claim looks at the
 * heads alone and never at the rows behind them.
 */
export interface Lane {
  class: string;
  tier: Tier;
  numCtx: number;
  priority: number;
}

export interface Head extends Lane {
  id: number;
  kind: string;
  createdAt: number;
}

/**
 * Jobs of a session that has a job running wait. Where they lead a lane they are walked past, one by
 * one: few, since admission bounds what waits with a session.
 */
const NOT_BUSY = (row: string) => `AND (${row}.session IS NULL OR NOT EXISTS
  (SELECT 1 FROM jobs r INDEXED BY jobs_open
   WHERE r.state = 'running' AND r.session = ${row}.session))`;

const COLUMNS = (row: string) =>
  `${row}.id, ${row}.kind, ${row}.class, ${row}.tier, ${row}.num_ctx, ${row}.priority, ${row}.created_at`;
const ORDERED = (row: string) =>
  `ORDER BY ${row}.class, ${row}.tier, ${row}.num_ctx, ${row}.priority, ${row}.created_at, ${row}.id`;

/**
 * The entries of `row` past everything that the lane of `head` could hold: no time is larger than the
 * largest integer. The unary plus keeps the compared values without affinity; with it SQLite would
 * compare only the first column by the index and scan on.
 */
const PAST = (row: string, head: string) => `${row}.state = 'queued'
  AND (${row}.class, ${row}.tier, ${row}.num_ctx, ${row}.priority, ${row}.created_at) >
    (+${head}.class, +${head}.tier, +${head}.num_ctx, +${head}.priority, 9223372036854775807)`;

/** Hops from lane to lane, one seek each. */
const heads = (eligible: (row: string) => string) => `
WITH RECURSIVE head (id, kind, class, tier, num_ctx, priority, created_at) AS (
  SELECT * FROM (
    SELECT ${COLUMNS('a')} FROM jobs a INDEXED BY jobs_open
    WHERE a.state = 'queued' ${eligible('a')} ${ORDERED('a')} LIMIT 1)
  UNION ALL
  SELECT ${COLUMNS('j')} FROM head CROSS JOIN jobs j ON j.id = (
    SELECT n.id FROM jobs n INDEXED BY jobs_open
    WHERE ${PAST('n', 'head')} ${eligible('n')} ${ORDERED('n')} LIMIT 1)
)
SELECT ${COLUMNS('head')} FROM head`;

export const CLAIMABLE_HEADS = heads(NOT_BUSY);
export const ALL_HEADS = heads(() => '');
/** The first head, and whether there is another: half the cost where all work is in one lane. */
export const FIRST_HEAD = `
SELECT ${COLUMNS('a')}, EXISTS (
  SELECT 1 FROM jobs n INDEXED BY jobs_open WHERE ${PAST('n', 'a')} ${NOT_BUSY('n')}) AS more
FROM jobs a INDEXED BY jobs_open WHERE a.state = 'queued' ${NOT_BUSY('a')} ${ORDERED('a')} LIMIT 1`;

type HeadRow = [number, string, string, Tier, number, number, number, more?: 0 | 1];

function toHead([id, kind, lane, tier, numCtx, priority, createdAt]: HeadRow): Head {
  return { id, kind, class: lane, tier, numCtx, priority, createdAt };
}

export function jobHeads(db: Database.Database) {
  const first = db.prepare<[], HeadRow>(FIRST_HEAD).raw();
  const claimable = db.prepare<[], HeadRow>(CLAIMABLE_HEADS).raw();
  const all = db.prepare<[], HeadRow>(ALL_HEADS).raw();
  return {
    /** The oldest job of each lane whose session has nothing running. */
    claimable(): Head[] {
      const row = first.get();
      if (!row) return [];
      return row[7] === 0 ? [toHead(row)] : claimable.all().map(toHead);
    },
    /** The oldest job of each lane. */
    all: (): Head[] => all.all().map(toHead),
  };
}
