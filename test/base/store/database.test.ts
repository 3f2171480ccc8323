import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../main/base/store/database.ts';
import { JOB_EDGES, JOB_STATES, TERMINAL_STATES } from '../../../main/base/store/job-states.ts';
import { MIGRATIONS } from '../../../main/base/store/migrations.ts';
import { temporaryFolder, temporaryStore } from '../../support/store.ts';

const INSERT = `INSERT INTO jobs (kind, tier, num_ctx, class, priority, state, title, payload, created_at)
  VALUES ('brief', 'routine', 4096, 'light', 50, ?, 't', '{}', 1)`;

function bring(db: Database.Database, state: string): number {
  const id = db.prepare(INSERT).run(state === 'deferred' ? 'deferred' : 'queued').lastInsertRowid;
  if (state === 'running' || state === 'done' || state === 'failed') {
    db.prepare(
      "UPDATE jobs SET state='running', claim_no=1, claimed_by_run=1, started_at=1 WHERE id=?",
    ).run(id);
  }
  if ((TERMINAL_STATES as readonly string[]).includes(state)) {
    db.prepare('UPDATE jobs SET state=?, finished_at=2 WHERE id=?').run(state, id);
  }
  return Number(id);
}

describe('store', () => {
  it('Q4 the database allows exactly the edges of the closed table', async () => {
    const { db } = await temporaryStore();
    for (const from of JOB_STATES) {
      for (const to of JOB_STATES) {
        if (from === to) continue;
        const id = bring(db, from);
        const finished = (TERMINAL_STATES as readonly string[]).includes(to) ? 3 : null;
        const change = () =>
          db
            .prepare(
              `UPDATE jobs SET state=?, finished_at=?, claim_no=claim_no+1, claimed_by_run=1,
               started_at=1, revive_at=NULL WHERE id=?`,
            )
            .run(to, finished, id);
        const allowed = JOB_EDGES.some(([a, b]) => a === from && b === to);
        if (allowed) expect(change, `${from} → ${to}`).not.toThrow();
        else expect(change, `${from} → ${to}`).toThrow(/table of edges/);
      }
    }
    for (const state of JOB_STATES) {
      const born = JOB_EDGES.some(([a, b]) => a === null && b === state);
      const birth = () => db.prepare(INSERT).run(state);
      if (born) expect(birth).not.toThrow();
      else expect(birth).toThrow();
    }
  });

  it('Q3 a claim number is never reused or lowered', async () => {
    const { db } = await temporaryStore();
    const id = bring(db, 'running');
    expect(() => db.prepare('UPDATE jobs SET claim_no=0 WHERE id=?').run(id)).toThrow(
      /claim number/,
    );
    db.prepare("UPDATE jobs SET state='queued' WHERE id=?").run(id);
    expect(() =>
      db.prepare("UPDATE jobs SET state='running', claimed_by_run=1 WHERE id=?").run(id),
    ).toThrow(/claim number/);
  });

  it('P4 stock events are append-only and never take a count below zero', async () => {
    const { db } = await temporaryStore();
    db.exec("INSERT INTO products (sku, name, updated_at) VALUES ('A', 'a', 1)");
    const event = db.prepare(
      "INSERT INTO stock_events (event_id, sku, delta, reason, payload, at) VALUES (?, 'A', ?, 'r', '{}', 1)",
    );
    event.run('1', 5);
    expect(() => event.run('2', -6)).toThrow(/CHECK/);
    expect(() => db.exec('UPDATE stock_events SET delta = 9')).toThrow(/append-only/);
    expect(() => db.exec('DELETE FROM stock_events')).toThrow(/append-only/);
    expect(db.prepare('SELECT on_hand FROM products').pluck().get()).toBe(5);
  });

  it('opens with WAL, FULL, incremental auto-vacuum and foreign keys', async () => {
    const { db } = await temporaryStore();
    const pragma = (name: string) => db.pragma(name, { simple: true });
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('synchronous')).toBe(2);
    expect(pragma('auto_vacuum')).toBe(2);
    expect(pragma('foreign_keys')).toBe(1);
  });

  it('refuses a nested transaction and asynchronous work in one', async () => {
    const store = await temporaryStore();
    expect(() => store.tx(() => store.tx(() => 1))).toThrow(/nest/);
    expect(() => store.tx(async () => 1)).toThrow(/asynchronous/);
    expect(store.db.inTransaction).toBe(false);
  });

  it('rolls back everything when the work throws', async () => {
    const store = await temporaryStore();
    expect(() =>
      store.tx(() => {
        store.db.prepare(INSERT).run('queued');
        throw new Error('stop');
      }),
    ).toThrow('stop');
    expect(store.db.prepare('SELECT count(*) FROM jobs').pluck().get()).toBe(0);
  });

  it('refuses a newer database and leaves its bytes alone', async () => {
    const dir = temporaryFolder();
    const path = join(dir, 'lull.sqlite');
    const store = await openStore(path, { backups: dir, now: 1 });
    store.db.pragma(`user_version = ${MIGRATIONS.length + 1}`);
    store.close();
    const before = readFileSync(path);
    await expect(openStore(path, { backups: dir, now: 1 })).rejects.toMatchObject({
      code: 'database_newer',
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('refuses a truncated file, a foreign database and what is no database', async () => {
    const dir = temporaryFolder();
    const path = join(dir, 'lull.sqlite');
    (await openStore(path, { backups: dir, now: 1 })).close();
    const cut = join(dir, 'cut.sqlite');
    copyFileSync(path, cut);
    truncateSync(cut, 8192);
    const text = join(dir, 'text.sqlite');
    writeFileSync(text, 'not a database, but long enough to have a header '.repeat(20));
    const foreign = join(dir, 'foreign.sqlite');
    const other = new Database(foreign);
    other.exec('CREATE TABLE theirs (x)');
    other.close();
    for (const file of [cut, text, foreign]) {
      await expect(openStore(file, { backups: dir, now: 1 })).rejects.toMatchObject({
        code: 'database_damaged',
      });
    }
  });

  it('makes a backup before each migration and none for a new database', async () => {
    const dir = temporaryFolder();
    const path = join(dir, 'lull.sqlite');
    (await openStore(path, { backups: dir, now: 1 })).close();
    expect(readdirSync(dir).filter((name) => name.startsWith('before-'))).toEqual([]);
    const migrations = [...MIGRATIONS, 'CREATE TABLE later (x TEXT) STRICT'];
    (await openStore(path, { backups: dir, now: 7, migrations })).close();
    expect(readdirSync(dir)).toContain(`before-${migrations.length}-7.sqlite`);
  });

  it('refuses to read a database of an older Lull, and says how to bring it up', async () => {
    const dir = temporaryFolder();
    const path = join(dir, 'lull.sqlite');
    (await openStore(path, { backups: dir, now: 1, migrations: MIGRATIONS.slice(0, 1) })).close();
    const reading = openStore(path, { backups: dir, now: 1, readonly: true });
    await expect(reading).rejects.toMatchObject({
      code: 'refused',
      hint: 'start Lull once: lull start',
    });
    (await openStore(path, { backups: dir, now: 1 })).close();
    (await openStore(path, { backups: dir, now: 1, readonly: true })).close();
  });

  it('leaves the old database whole when a migration fails half way', async () => {
    const dir = temporaryFolder();
    const path = join(dir, 'lull.sqlite');
    (await openStore(path, { backups: dir, now: 1 })).close();
    const broken = [...MIGRATIONS, 'CREATE TABLE half (x TEXT) STRICT; SELECT nonsense'];
    await expect(openStore(path, { backups: dir, now: 1, migrations: broken })).rejects.toThrow();
    const store = await openStore(path, { backups: dir, now: 1 });
    expect(store.db.prepare("SELECT 1 FROM sqlite_schema WHERE name='half'").get()).toBeUndefined();
    store.close();
  });
});
