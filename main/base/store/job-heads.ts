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

/**
 * Hops from lane to lane, one seek each: the next head is the first entry past everything the lane
 * could hold (no time is larger than the largest integer). The unary plus keeps the compared values
 * without affinity; with it SQLite would compare only the first column by the index and scan on.
 */
const heads = (eligible: (row: string) => string) => `
WITH RECURSIVE head (id, kind, class, tier, num_ctx, priority, created_at) AS (
  SELECT * FROM (
    SELECT a.id, a.kind, a.class, a.tier, a.num_ctx, a.priority, a.created_at
    FROM jobs a INDEXED BY jobs_open WHERE a.state = 'queued' ${eligible('a')}
    ORDER BY a.class, a.tier, a.num_ctx, a.priority, a.created_at, a.id LIMIT 1)
  UNION ALL
  SELECT j.id, j.kind, j.class, j.tier, j.num_ctx, j.priority, j.created_at
  FROM head CROSS JOIN jobs j ON j.id = (
    SELECT n.id FROM jobs n INDEXED BY jobs_open
    WHERE n.state = 'queued'
      AND (n.class, n.tier, n.num_ctx, n.priority, n.created_at) >
        (+head.class, +head.tier, +head.num_ctx, +head.priority, 9223372036854775807)
      ${eligible('n')}
    ORDER BY n.class, n.tier, n.num_ctx, n.priority, n.created_at, n.id LIMIT 1)
)
SELECT id, kind, class, tier, num_ctx, priority, created_at FROM head`;

export const CLAIMABLE_HEADS = heads(NOT_BUSY);
export const ALL_HEADS = heads(() => '');

type HeadRow = [number, string, string, Tier, number, number, number];

function toHead([id, kind, lane, tier, numCtx, priority, createdAt]: HeadRow): Head {
  return { id, kind, class: lane, tier, numCtx, priority, createdAt };
}

export function jobHeads(db: Database.Database) {
  const claimable = db.prepare<[], HeadRow>(CLAIMABLE_HEADS).raw();
  const all = db.prepare<[], HeadRow>(ALL_HEADS).raw();
  return {
    /** The oldest job of each lane whose session has nothing running. */
    claimable: (): Head[] => claimable.all().map(toHead),
    /** The oldest job of each lane. */
    all: (): Head[] => all.all().map(toHead),
  };
}
