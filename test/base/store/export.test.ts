import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHome, type Home, resolveHome } from '../../../main/base/home.ts';
import { sha256 } from '../../../main/base/ids.ts';
import { openStore, type Store } from '../../../main/base/store/database.ts';
import { exportTo } from '../../../main/base/store/export.ts';
import { EXPORTED, LEFT_OUT } from '../../../main/base/store/export-tables.ts';
import { importFrom } from '../../../main/base/store/import.ts';
import { MIGRATIONS } from '../../../main/base/store/migrations.ts';
import { forgetRestore, restore } from '../../../main/base/store/restore.ts';
import { temporaryFolder, temporaryStore } from '../../support/store.ts';

const NOW = 1_780_000_000_000;

function newHome(): Home {
  const home = resolveHome(join(temporaryFolder(), 'data'));
  createHome(home);
  return home;
}

const opened = (home: Home): Promise<Store> =>
  openStore(home.database, { backups: home.backups, now: NOW, synchronous: 'NORMAL' });

/** Whatever text, whole: halves of a pair are no text that SQLite keeps. */
const text = (maxLength: number) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength })
    .map((one) => one.slice(0, maxLength).toWellFormed());
const at = fc.integer({ min: 0, max: 4_000_000_000_000 });
const contents = fc.record({
  products: fc.uniqueArray(
    fc.record({ sku: text(20), name: text(80), deltas: fc.array(fc.nat(9)) }),
    {
      selector: ({ sku }) => sku,
      maxLength: 6,
    },
  ),
  jobs: fc.array(
    fc.record({
      state: fc.constantFrom(
        'queued',
        'deferred',
        'running',
        'done',
        'failed',
        'cancelled',
        'missed',
      ),
      title: text(40),
      payload: fc.json(),
      at,
      drafts: fc.array(fc.record({ title: text(30), body: fc.json() }), { maxLength: 2 }),
    }),
    { maxLength: 8 },
  ),
  notices: fc.uniqueArray(text(30), { maxLength: 4 }),
  percent: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
});

type Contents = typeof contents extends fc.Arbitrary<infer T> ? T : never;

/** Puts rows there as they would have come to be, by the way of states that the triggers allow. */
function fill({ db }: Store, { products, jobs, notices, percent }: Contents) {
  for (const { sku, name, deltas } of products) {
    db.prepare('INSERT INTO products (sku, name, updated_at) VALUES (?, ?, 1)').run(sku, name);
    deltas.forEach((delta, n) => {
      db.prepare(`INSERT INTO stock_events (event_id, sku, delta, reason, payload, at)
        VALUES (?, ?, ?, 'r', '{}', 1)`).run(`${sku} ${n}`, sku, delta);
    });
  }
  for (const { state, title, payload, at, drafts } of jobs) {
    const born = state === 'deferred' ? 'deferred' : 'queued';
    const { lastInsertRowid: id } = db
      .prepare(`INSERT INTO jobs
      (kind, tier, num_ctx, class, priority, state, created_at, title, payload)
      VALUES ('brief', 'routine', 4096, 'light', 50, ?, ?, ?, ?)`)
      .run(born, at, title, payload);
    if (['running', 'done', 'failed'].includes(state)) {
      db.prepare(`UPDATE jobs SET state = 'running', claim_no = 1, claimed_by_run = 1, attempts = 1,
        started_at = 1 WHERE id = ?`).run(id);
    }
    if (['done', 'failed', 'cancelled', 'missed'].includes(state)) {
      db.prepare('UPDATE jobs SET state = ?, finished_at = 2 WHERE id = ?').run(state, id);
    }
    drafts.forEach(({ title: words, body }, n) => {
      db.prepare(`INSERT INTO drafts (job, ordinal, kind, title, body, created_at)
        VALUES (?, ?, 'text', ?, ?, 1)`).run(id, n, words, body);
    });
  }
  for (const cause of notices) {
    db.prepare('INSERT INTO notices (cause, text, first_at, last_at) VALUES (?, ?, 1, 1)').run(
      cause,
      cause,
    );
  }
  db.prepare(`INSERT INTO intervals (track, state, from_at, until_at, percent_from)
    VALUES ('presence', 'away', 1, 2, ?)`).run(percent);
}

async function exportOf(home: Home): Promise<Buffer> {
  return readFileSync((await exportTo(home, NOW)).path);
}

/** A new data folder made of an export. */
async function imported(file: string): Promise<Home> {
  const home = newHome();
  const { name } = await importFrom(file, home.backups, NOW);
  restore(home, { backup: name, madeAt: NOW, at: NOW, fault: null });
  forgetRestore(home);
  return home;
}

/** An export with these lines, its end as Lull would write it. */
function sealed(
  lines: readonly string[],
  rows = lines.filter((line) => line.startsWith('[')).length,
) {
  const body = lines.map((line) => `${line}\n`).join('');
  return `${body}${JSON.stringify({ end: true, rows, sha256: sha256(body) })}\n`;
}

describe('an export', () => {
  it('D13 taken in by an empty Lull and written again gives the same bytes, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (content) => {
        const home = newHome();
        const store = await opened(home);
        store.tx(() => fill(store, content));
        store.close();
        const first = await exportTo(home, NOW);
        const other = await imported(first.path);
        expect((await exportOf(other)).equals(readFileSync(first.path))).toBe(true);
        const there = await opened(other); // sound, with every trigger in force again
        expect(there.quickCheck()).toEqual(['ok']);
        if (content.jobs.length > 0) {
          expect(() => there.db.exec('UPDATE jobs SET title = title, id = id + 1')).toThrow(
            /never changes/,
          );
        }
        there.close();
      }),
      { numRuns: 12 },
    );
  });

  it('D13 holds every table, or says why not', async () => {
    const { db } = await temporaryStore();
    const tables = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
      )
      .pluck()
      .all();
    const named = [...EXPORTED.map(({ table }) => table), ...Object.keys(LEFT_OUT)];
    expect(named.sort()).toEqual(tables.sort());
  });

  it('S7 carries the settings, and no password of an address', async () => {
    const home = newHome();
    (await opened(home)).close();
    const url = 'http://owner:hunter2@127.0.0.1:11434';
    writeFileSync(
      home.config,
      JSON.stringify({ models: { servers: [{ name: 'a', kind: 'ollama', url }] } }),
    );
    const bytes = await exportOf(home);
    expect(bytes.includes('hunter2')).toBe(false);
    const file = join(home.exports, readdirSync(home.exports)[0] as string);
    const { settings } = await importFrom(file, home.backups, NOW);
    expect(settings).toMatchObject({ models: { servers: [{ url: 'http://127.0.0.1:11434' }] } });
  });
});

describe('a file that is no good export', () => {
  const HEAD = `{"lull":"export","format":1,"schema":${MIGRATIONS.length},"version":"0.0.1"}`;
  const JOBS = '{"table":"pauses","columns":["scope","since","until"]}';

  it.each<[string, string, RegExp]>([
    ['empty', '', /no export of Lull/],
    ['of another kind', 'sku,name\nA,Apple\n', /no export of Lull/],
    ['cut off in a line', sealed([HEAD, JOBS]).slice(0, -9), /last line is cut off/],
    ['cut off behind a line', `${HEAD}\n${JOBS}\n`, /its end is missing/],
    ['changed', sealed([HEAD, JOBS, '["all",1,null]']).replace('"all",1', '"all",2'), /SHA-256/],
    ['short of a row', sealed([HEAD, JOBS, '["all",1,null]'], 2), /SHA-256/],
    ['going on behind its end', `${sealed([HEAD, JOBS])}x\n`, /something follows its end/],
    ['not JSON', sealed([HEAD, '{"table":']), /line 2: it is not valid JSON/],
    [
      'with another table',
      sealed([HEAD, '{"table":"sqlite_schema","columns":["sql"]}']),
      /no table "sqlite_schema"/,
    ],
    [
      'with another column',
      sealed([HEAD, '{"table":"pauses","columns":["x) --"]}']),
      /no column "x\) --"/,
    ],
    ['with a row before its table', sealed([HEAD, '[1]']), /a row comes before its table/],
    ['with a row too short', sealed([HEAD, JOBS, '["all"]']), /line 3: .*parameter/],
    ['with a row against the rules', sealed([HEAD, JOBS, '["none",1,null]']), /line 3: CHECK/],
    [
      'with a row twice',
      sealed([HEAD, JOBS, '["all",1,null]', '["all",1,null]']),
      /line 4: UNIQUE/,
    ],
    ['with a row of objects', sealed([HEAD, JOBS, '["all",{},null]']), /no row can hold/],
    [
      'with a count that its events deny',
      sealed([
        HEAD,
        '{"table":"products","columns":["sku","name","on_hand","updated_at"]}',
        '["A","a",5,1]',
      ]),
      /not the sum of its events/,
    ],
    [
      'with a payload that is no JSON',
      sealed([HEAD, '{"table":"events","columns":["id","at","kind","payload"]}', '[1,1,"k","{"]']),
      /events\.payload holds something other than JSON/,
    ],
    [
      'with a job that runs',
      sealed([
        HEAD,
        '{"table":"jobs","columns":["id","kind","tier","num_ctx","class","priority","state","created_at","title","payload","claimed_by_run","started_at"]}',
        '[1,"brief","routine",1,"light",50,"running",1,"t","{}",1,1]',
      ]),
      /a job in it is running/,
    ],
  ])('D13 %s: one line that says so, and nothing is left', async (_what, content, says) => {
    const home = newHome();
    const file = join(home.dir, 'taken.jsonl');
    writeFileSync(file, content);
    await expect(importFrom(file, home.backups, NOW)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(says),
    });
    expect(readdirSync(home.backups)).toEqual([]);
  });

  it('D13 of a newer Lull is refused as such', async () => {
    const home = newHome();
    const file = join(home.dir, 'newer.jsonl');
    for (const head of [
      HEAD.replace('"format":1', '"format":2'),
      HEAD.replace(/"schema":\d+/, '"schema":99'),
    ]) {
      writeFileSync(file, sealed([head]));
      await expect(importFrom(file, home.backups, NOW)).rejects.toMatchObject({
        code: 'database_newer',
      });
    }
    await expect(importFrom(join(home.dir, 'none'), home.backups, NOW)).rejects.toMatchObject({
      message: expect.stringContaining('no such file'),
    });
    expect(readdirSync(home.backups)).toEqual([]);
  });

  it('D13 of an older Lull is brought up to date', async () => {
    const home = newHome();
    const file = join(home.dir, 'older.jsonl');
    writeFileSync(
      file,
      sealed([HEAD.replace(/"schema":\d+/, '"schema":1'), JOBS, '["all",1,null]']),
    );
    const store = await opened(await imported(file));
    expect(store.db.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    expect(store.db.prepare('SELECT scope FROM pauses').pluck().all()).toEqual(['all']);
    store.close();
  });

  it('D13 with a line that never ends is refused before it fills the memory', async () => {
    const home = newHome();
    const file = join(home.dir, 'long.jsonl');
    writeFileSync(file, `${HEAD}\n[`);
    for (let n = 0; n < 65; n++) appendFileSync(file, Buffer.alloc(1024 * 1024, 0x31));
    await expect(importFrom(file, home.backups, NOW)).rejects.toMatchObject({
      message: expect.stringMatching(/line 2 is longer than 64 MB/),
    });
  });

  it('D13 with bytes changed anywhere never crashes and never stores a part', async () => {
    const home = newHome();
    const store = await opened(home);
    store.tx(() =>
      fill(store, {
        products: [{ sku: 'A', name: 'a', deltas: [5] }],
        jobs: [],
        notices: ['n'],
        percent: 1,
      }),
    );
    store.close();
    const good = await exportOf(home);
    const file = join(home.dir, 'spoilt.jsonl');
    await fc.assert(
      fc.asyncProperty(
        fc.nat(good.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (where, bits) => {
          const spoilt = Buffer.from(good);
          spoilt[where] = (spoilt[where] ?? 0) ^ bits;
          writeFileSync(file, spoilt);
          const into = newHome();
          const refusal = await importFrom(file, into.backups, NOW).then(
            () => null,
            (error) => error,
          );
          expect(['invalid', 'database_newer']).toContain(refusal?.code);
          expect(refusal?.message).not.toContain('\n');
          expect(readdirSync(into.backups)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });
});
