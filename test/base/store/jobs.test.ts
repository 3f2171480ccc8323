import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { CLAIMABLE_HEADS, FIRST_HEAD } from '../../../main/base/store/job-heads.ts';
import type { NewJobRow } from '../../../main/base/store/job-row.ts';
import { jobsTable } from '../../../main/base/store/jobs.ts';
import { temporaryStore } from '../../support/store.ts';

const row: NewJobRow = {
  kind: 'brief',
  tier: 'routine',
  num_ctx: 8192,
  class: 'light',
  priority: 50,
  state: 'queued',
  created_at: 1,
  source: null,
  session: null,
  subject: null,
  channel: 'local',
  recipient: '',
  retry_of: null,
  coalesce_key: null,
  max_attempts: 1,
  not_before: null,
  expires_at: null,
  revive_at: null,
  title: 'a job',
  payload: '{}',
};

function plan(db: Database.Database, sql: string): string {
  const nothing = [...sql.matchAll(/\?/g)].map(() => null);
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...nothing) as { detail: string }[];
  return steps.map((step) => step.detail).join('\n');
}

/** Every statement that the table modules prepare, with the plan SQLite makes for it. */
function plans(db: Database.Database): Map<string, string> {
  const seen: string[] = [];
  const spy = new Proxy(db, {
    get: (target, name) => {
      if (name !== 'prepare') return Reflect.get(target, name);
      return (sql: string) => {
        seen.push(sql);
        return target.prepare(sql);
      };
    },
  });
  jobsTable(spy);
  return new Map(seen.map((sql) => [sql, plan(db, sql)]));
}

function sources(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(dir, name), 'utf8'));
}

describe('the table of jobs', () => {
  it('Q3 the search for the next job seeks from lane to lane and reads no row in between', async () => {
    const { db } = await temporaryStore();
    expect(plan(db, FIRST_HEAD)).toContain(
      'SEARCH n USING INDEX jobs_open (state=? AND (class,tier,num_ctx,priority,created_at)>(?,?,?,?,?))',
    );
    const steps = plan(db, CLAIMABLE_HEADS);
    expect(steps).toContain(
      'SEARCH n USING INDEX jobs_open (state=? AND (class,tier,num_ctx,priority,created_at)>(?,?,?,?,?))',
    );
    expect(steps).toContain('SEARCH j USING INTEGER PRIMARY KEY (rowid=?)');
    expect(steps).not.toMatch(/SCAN (jobs|a|n|j|r)\b|TEMP B-TREE/);
  });

  it('Q8 no statement scans the history, but for the lists that walk it newest first', async () => {
    const { db } = await temporaryStore();
    const all = plans(db);
    const scanning = [...all]
      .filter(([, steps]) => /SCAN jobs(?! USING INDEX jobs_waived)/.test(steps))
      .map(([sql]) => sql);
    expect(all.size).toBeGreaterThan(40);
    expect(scanning).toEqual([]);
  });

  it('Q3 one statement in all the sources makes a running row: the claim', () => {
    const made = sources('main').flatMap((text) =>
      [...text.matchAll(/UPDATE\s+jobs\s+SET\s+((?:(?!\bWHERE\b|\$\{FENCE\})[\s\S])*)/g)]
        .map((match) => /\bstate\s*=\s*([^,\s]+)/.exec(match[1] as string)?.[1])
        .filter((value) => value !== undefined),
    );
    // One of them is spelled by a template, whose parameter is one of two literals.
    const endings = sources('main').flatMap((text) => [
      ...text.matchAll(/const endWaiting = \(state: ([^)]*)\)/g),
    ]);
    expect(endings.map((match) => match[1])).toEqual(["'cancelled' | 'missed'"]);
    expect(made.sort()).toEqual(
      [
        "'$" + "{state}'",
        "'cancelled'",
        "'deferred'",
        "'done'",
        "'failed'",
        "'queued'",
        "'queued'",
        "'running'",
      ].sort(),
    );
    // Births are spelled in one module only, and the database refuses one that is running.
    const inserting = sources('main').filter((text) => /INSERT\s[^`']*INTO\s+jobs\b/.test(text));
    expect(inserting).toEqual([readFileSync('main/base/store/jobs.ts', 'utf8')]);
  });

  it('Q8 only finished jobs are removed, and never the newest, so that no id is used twice', async () => {
    const { db } = await temporaryStore();
    const jobs = jobsTable(db);
    const first = jobs.insert(row);
    const last = jobs.insert(row);
    expect(jobs.remove(first)).toBe(false);
    expect(() => db.prepare('DELETE FROM jobs WHERE id = ?').run(first)).toThrow(/only finished/);
    jobs.cancelWaiting('cancelled', 'no', 2, first);
    jobs.cancelWaiting('cancelled', 'no', 2, last);
    expect(jobs.remove(first)).toBe(true);
    expect(() => jobs.remove(last)).toThrow(/the newest job stays/);
    expect(jobs.insert(row)).toBe(last + 1);
  });

  it('Q2 what a job is never changes', async () => {
    const { db } = await temporaryStore();
    const id = jobsTable(db).insert({ ...row, source: 'a' });
    for (const column of ['kind', 'payload', 'source', 'session', 'subject', 'recipient']) {
      const change = () => db.prepare(`UPDATE jobs SET ${column} = 'x' WHERE id = ?`).run(id);
      expect(change, column).toThrow(/never changes/);
    }
    expect(() => db.prepare('UPDATE jobs SET created_at = 9').run()).toThrow(/never changes/);
  });

  it('Q7 two jobs never share a source', async () => {
    const { db } = await temporaryStore();
    const jobs = jobsTable(db);
    jobs.insert({ ...row, source: 'manual:1' });
    expect(() => jobs.insert({ ...row, source: 'manual:1' })).toThrow(/UNIQUE/);
  });

  it('Q1 refuses what no job can be: an unknown tier, class or state, a bad priority, an empty kind', async () => {
    const { db } = await temporaryStore();
    const jobs = jobsTable(db);
    const bad: object[] = [
      { tier: 'huge' },
      { class: 'medium' },
      { state: 'done' },
      { state: 'resting' },
      { priority: 1001 },
      { priority: 1.5 },
      { kind: '' },
      { num_ctx: -1 },
    ];
    for (const wrong of bad) {
      expect(() => jobs.insert({ ...row, ...wrong }), JSON.stringify(wrong)).toThrow();
    }
    expect(jobs.newestId()).toBe(0);
  });

  it('Q1 a batch gets ids in the order of its payloads', async () => {
    const { db } = await temporaryStore();
    const jobs = jobsTable(db);
    jobs.insert(row);
    const payloads = ['{"n":1}', '{"text":"naïve \\u0000 \\"quoted\\" 🍦"}', 'null', '[1]'];
    const ids = jobs.insertAll(row, payloads);
    expect(ids.map((id) => jobs.get(id)?.payload)).toEqual(payloads);
    expect(jobs.insertAll(row, [])).toEqual([]);
  });
});
