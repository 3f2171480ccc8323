import { closeSync, constants, copyFileSync, fsyncSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { better, defineQueue } from 'plainjob';
import { configSchema } from '../../main/base/config-schema.ts';
import { openStore, type Store } from '../../main/base/store/database.ts';
import { openQueue } from '../../main/engine/queue/open-queue.ts';

export type Sync = 'FULL' | 'NORMAL';

/** The same three things, done by each contestant in its own way. */
export interface Contestant {
  /** One job in one commit. */
  enqueueOne(n: number): void;
  /** Many jobs in one commit. */
  enqueueMany(first: number, count: number): void;
  /** Takes the next job and finishes it: one commit each. False when there is none. */
  drainOne(): boolean;
  close(): void;
}

const payload = (n: number) => ({ prompt: 'Count the freezer and say what is short.', n });
const LIKE = {
  kind: 'brief',
  tier: 'routine',
  numCtx: 16_384,
  title: 'Count the freezer',
} as const;
const config = configSchema.parse({});
const clock = { now: () => Date.now() };

/** Lull's queue, as the supervisor uses it. */
export function ours(store: Store): Contestant {
  const queue = openQueue(store, { clock, config: () => config });
  const blockedTiers = new Set<never>();
  const loaded = [{ tier: 'routine', numCtx: 16_384 }] as const;
  return {
    enqueueOne: (n) => void queue.enqueue({ ...LIKE, payload: payload(n) }),
    enqueueMany: (first, count) =>
      void queue.enqueueAll(
        LIKE,
        Array.from({ length: count }, (_, i) => payload(first + i)),
      ),
    drainOne() {
      const claim = queue.claim({ runId: 1, now: clock.now(), blockedTiers, loaded });
      return claim !== null && queue.complete(claim, 'done');
    },
    close: () => store.close(),
  };
}

/**
 * The same statements by hand, on the same table: an insert; the first queued row by the index and
 * its update in one transaction; the update that finishes it. No aging, no order of claims, no fence
 * kept in objects, no job parsed.
 */
export function raw(store: Store): Contestant {
  const { db } = store;
  const insert = db.prepare(`INSERT INTO jobs
    (kind, tier, num_ctx, class, priority, state, created_at, title, payload)
    VALUES ('brief', 'routine', 16384, 'light', 50, 'queued', ?, 'Count the freezer', ?)`);
  const first = db
    .prepare(
      `SELECT id FROM jobs WHERE state = 'queued'
       ORDER BY class, tier, num_ctx, priority, created_at, id LIMIT 1`,
    )
    .pluck();
  const take = db.prepare<[number, unknown], { id: number; claim_no: number }>(
    `UPDATE jobs SET state = 'running', started_at = ?, attempts = attempts + 1,
     claim_no = claim_no + 1, claimed_by_run = 1 WHERE id = ? RETURNING *`,
  );
  const finish = db.prepare(
    `UPDATE jobs SET state = 'done', result = 'done', finished_at = ?
     WHERE id = ? AND state = 'running' AND claim_no = ?`,
  );
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const enqueueOne = (n: number) => void insert.run(clock.now(), JSON.stringify(payload(n)));
  return {
    enqueueOne,
    enqueueMany(from, count) {
      begin.run();
      for (let i = 0; i < count; i++) enqueueOne(from + i);
      commit.run();
    },
    drainOne() {
      begin.run();
      const id = first.get();
      const job = id === undefined ? undefined : take.get(clock.now(), id);
      commit.run();
      return job !== undefined && finish.run(clock.now(), job.id, job.claim_no).changes === 1;
    },
    close: () => store.close(),
  };
}

/** The npm package plainjob by its own interface, which its worker uses in the same way. */
export function plainjob(db: Database.Database, sync: Sync): Contestant {
  const silent = { error() {}, warn() {}, info() {}, debug() {} };
  const queue = defineQueue({ connection: better(db), logger: silent });
  db.pragma(`synchronous = ${sync}`); // it sets NORMAL itself
  return {
    enqueueOne: (n) => void queue.add('brief', payload(n)),
    enqueueMany: (first, count) =>
      void queue.addMany(
        'brief',
        Array.from({ length: count }, (_, i) => payload(first + i)),
      ),
    drainOne() {
      const taken = queue.getAndMarkJobAsProcessing('brief');
      if (!taken) return false;
      const job = queue.getJobById(taken.id);
      if (job) queue.markJobAsDone(job.id);
      return job !== undefined;
    },
    close: () => queue.close(),
  };
}

/** A folder for the databases of one bench. */
export async function workshop(): Promise<{ dir: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'lull-bench-'));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

export function lullStore(path: string, synchronous: Sync): Promise<Store> {
  return openStore(path, { backups: tmpdir(), now: 1, synchronous });
}

/** A database of Lull with that many finished jobs in it. */
export async function lullHistory(path: string, finished: number): Promise<void> {
  const store = await lullStore(path, 'NORMAL');
  store.tx(() => {
    ours(store).enqueueMany(0, finished);
    store.db.exec(`UPDATE jobs SET state = 'running', claim_no = 1, claimed_by_run = 1,
      attempts = 1, started_at = created_at`);
    store.db.exec(`UPDATE jobs SET state = 'done', result = 'done', finished_at = created_at`);
  });
  store.db.pragma('wal_checkpoint(TRUNCATE)');
  store.close();
}

/** The same for plainjob. */
export function plainHistory(path: string, finished: number): void {
  const db = plainStore(path, 'NORMAL');
  const contestant = plainjob(db, 'NORMAL');
  contestant.enqueueMany(0, finished);
  db.exec('UPDATE plainjob_jobs SET status = 2');
  db.pragma('wal_checkpoint(TRUNCATE)');
  contestant.close();
}

/** Opened with every setting Lull's own database has. */
export function plainStore(path: string, sync: Sync): Database.Database {
  const db = new Database(path, { timeout: 5000 });
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${sync}`);
  db.pragma('journal_size_limit = 67108864');
  if (process.platform === 'darwin') db.pragma('fullfsync = 1');
  db.pragma('foreign_keys = ON');
  return db;
}

/** A copy that is on the disk before anything is measured. */
export function copyOf(template: string, path: string): void {
  copyFileSync(template, path, constants.COPYFILE_FICLONE);
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
