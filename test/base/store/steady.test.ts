import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSteady, steady } from '../../../main/base/store/steady.ts';
import { temporaryFolder } from '../../support/store.ts';

const TABLE = `CREATE TABLE jobs (id INTEGER PRIMARY KEY, state TEXT, tier TEXT);
  CREATE INDEX open ON jobs (state) WHERE state = 'queued';
  INSERT INTO jobs (state, tier) VALUES ('queued', 'routine'), ('done', 'pinned')`;
const QUERY = 'SELECT id, state FROM jobs WHERE tier = ? AND id < ? ORDER BY id LIMIT ?';

/** How often the statement was planned in so many uses: for each plan the library makes a function. */
function plansIn(uses: number, db: Database.Database): number {
  db.exec(TABLE);
  const statement = db.prepare<[string, number, number]>(QUERY);
  const made = vi.spyOn(globalThis, 'Function');
  for (let use = 0; use < uses; use++)
    expect(statement.all('pinned', 10 + use, 1 + use)).toEqual([{ id: 2, state: 'done' }]);
  db.close();
  return made.mock.calls.length;
}

describe('a steady database', () => {
  afterEach(() => vi.restoreAllMocks());

  it('Q3 plans a statement once, however often it is used', () => {
    expect(plansIn(20, openSteady(join(temporaryFolder(), 'a.sqlite'), {}))).toBe(1);
  });

  it('Q3 without it every use is a planning: when that has changed it can go', () => {
    expect(plansIn(20, new Database(join(temporaryFolder(), 'a.sqlite')))).toBe(20);
  });

  it('Q3 hides what is compared and limits, and nothing else', () => {
    expect(steady("a = ? AND b <> @b AND c = 'x' AND d BETWEEN ? AND ? LIMIT ?")).toBe(
      "a = +? AND b <> +@b AND c = 'x' AND d BETWEEN +? AND +? LIMIT +?",
    );
    for (const sql of ['INSERT INTO t VALUES (?, @b)', 'SELECT coalesce(?, a) FROM t', 'a IN (?)'])
      expect(steady(sql)).toBe(sql);
  });

  it('Q3 keeps the value as it is: its type, null and what it is compared as', () => {
    const db = openSteady(join(temporaryFolder(), 'a.sqlite'), {});
    db.exec('CREATE TABLE t (n INTEGER, s TEXT) STRICT; INSERT INTO t VALUES (7, NULL)');
    const update = db.prepare('UPDATE t SET n = ?, s = ?');
    for (const [n, s] of [
      [3, '12'],
      [null, '0x10'],
      [2 ** 52, 'AND ?'],
    ]) {
      update.run(n, s);
      expect(db.prepare('SELECT n, s FROM t').get()).toEqual({ n, s });
    }
    expect(
      db
        .prepare('SELECT 1 FROM t WHERE n = ?')
        .pluck()
        .get(String(2 ** 52)),
    ).toBe(1);
    db.close();
  });
});
