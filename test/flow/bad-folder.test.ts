import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { resolveHome } from '../../main/base/home.ts';
import type { JobRow, StatusView } from '../../main/surfaces/contract.ts';
import {
  dumpOf,
  type Ended,
  hostThere,
  lull,
  lullHere,
  rowsIn,
  type TestHome,
  testHome,
  until,
} from '../support/host.ts';
import { smallDisk } from '../support/small-disk.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

const READ = ['jobs', 'list'];
const START = ['start', '--no-open', '--model', 'offline'];

/** A data folder with a product, a job and a schedule, left cleanly. */
async function furnished(home: TestHome = testHome()): Promise<TestHome> {
  const stock = home.file(
    'stock.csv',
    'sku,name,on hand,reorder point,unit cost\nA,Apple,5,3,1.00\n',
  );
  for (const line of [
    ['stock', 'import', stock],
    ['add', 'Wait.', '--not-before', '2099-01-01'],
    ['schedule', 'add', 's', '--prompt', 'Look.', '--every', '1d'],
  ]) {
    expect(await lullHere(home, line)).toMatchObject({ code: 0, err: '' });
  }
  return home;
}

const ADJUST = ['stock', 'adjust', 'A', '1', '--reason', 'count', '--event', 'e'];

/** One line, nothing on standard output, this code. */
function expectRefusal(ended: Ended, code: 1 | 3, says: RegExp): void {
  expect(ended).toMatchObject({ code, out: '' });
  expect(ended.err).toMatch(/^lull: [^\n]{10,600}\n$/);
  expect(ended.err).toMatch(says);
}

describe('a database that cannot be used', () => {
  it.each([
    [
      'newer',
      (home: TestHome) => {
        const db = new Database(home.database);
        db.pragma('user_version = 4711');
        db.close();
      },
      /written by a newer Lull \(version 4711.*nothing was changed/,
    ],
    [
      'cut in half',
      (home: TestHome) => truncateSync(home.database, 40 * 4096),
      /the database is damaged.*(lull restore)/,
    ],
    ['cut to its first bytes', (home: TestHome) => truncateSync(home.database, 90), /damaged/],
    [
      'something else',
      (home: TestHome) => writeFileSync(home.database, 'Dear diary, '.repeat(2000)),
      /damaged|not a Lull database/,
    ],
    [
      'of another program',
      (home: TestHome) => {
        rmSync(home.database);
        const db = new Database(home.database);
        db.exec('CREATE TABLE songs (title TEXT)');
        db.close();
      },
      /not a Lull database/,
    ],
  ])(
    'D8 %s: each command says so in one line, exits 1 and changes nothing',
    async (_what, spoil, says) => {
      const home = await furnished();
      spoil(home);
      const before = readFileSync(home.database);
      for (const line of [READ, ['status'], START])
        expectRefusal(await lullHere(home, line), 1, says);
      expectRefusal(await lullHere(home, ADJUST), 1, says);
      expect(readFileSync(home.database).equals(before)).toBe(true);
      expect(readdirSync(home.dir)).not.toContain('lull.sqlite-wal');
    },
  );

  it('D8 locked by another program: writing and starting exit 3, reading goes on', async () => {
    const home = await furnished();
    const before = dumpOf(home);
    const other = new Database(home.database);
    other.exec('BEGIN IMMEDIATE');
    // One after the other: each holds the folder while it waits for the database.
    const written = await lull(home, ADJUST);
    const started = await lull(home, START);
    const read = await lull(home, READ);
    other.exec('ROLLBACK');
    other.close();
    expectRefusal(written, 3, /in use by another program/);
    expectRefusal(started, 3, /in use by another program/);
    expect(read.code).toBe(0);
    expect(dumpOf(home)).toEqual(before);
  });

  it('D8 that may not be written: one line, exit 1, nothing changed', async () => {
    const home = await furnished();
    const before = dumpOf(home);
    const uid = isRoot ? { uid: NOBODY } : {};
    makeReadable(home);
    for (const line of [READ, ['status']]) {
      const read = await lull(home, line, uid);
      if (read.code !== 0) expectRefusal(read, 1, /cannot be (written|read|opened)/);
    }
    expectRefusal(await lull(home, ADJUST, uid), 1, /cannot be (written|used)/);
    expectRefusal(await lull(home, START, uid), 1, /cannot be (written|used)/);
    restore(home);
    expect(dumpOf(home)).toEqual(before);
  });
});

function makeReadable(home: TestHome): void {
  chmodSync(join(home.dir, '..'), 0o755);
  for (const name of readdirSync(home.dir, { recursive: true, encoding: 'utf8' })) {
    const path = join(home.dir, name);
    chmodSync(path, name.includes('.') ? 0o444 : 0o555);
  }
  chmodSync(home.dir, 0o555);
  if (isRoot) chownSync(home.dir, 0, 0);
}

function restore(home: TestHome): void {
  chmodSync(home.dir, 0o700);
  for (const name of readdirSync(home.dir, { recursive: true, encoding: 'utf8' })) {
    chmodSync(join(home.dir, name), 0o700);
  }
}

describe('settings that cannot be read', () => {
  it.each([
    ['broken JSON', '{\n  "power": { "floorPercent": 20,, }\n}\n', /config\.json.*row 2/],
    ['an unknown key', '{ "power": { "floor": 20 } }', /unknown key "power\.floor"/],
    ['a value out of range', '{ "power": { "floorPercent": 200 } }', /power\.floorPercent/],
  ])('D6 %s: nothing starts, with one line that says where', async (_what, text, says) => {
    const home = await furnished();
    const before = dumpOf(home);
    writeFileSync(home.config, text);
    expectRefusal(await lullHere(home, START), 1, says);
    expectRefusal(await lullHere(home, ADJUST), 1, says);
    expectRefusal(await lullHere(home, READ), 1, says);
    expect(dumpOf(home)).toEqual(before);
    expect(readFileSync(home.config, 'utf8')).toBe(text);
  });

  it('D6 a running host keeps the last that were good, tells once, and takes the next good ones', async () => {
    const home = await furnished();
    home.setConfig({ power: { floorPercent: 30 } });
    await hostThere(home);
    const floor = async () =>
      (await lullHere(home, ['config', 'get', 'power.floorPercent', '--json'])).json<number>();
    expect(await floor()).toBe(30);
    writeFileSync(home.config, '{ "power": ');
    const notices = () => rowsIn<{ text: string }>(home, 'SELECT text FROM notices');
    await until(() => notices().length === 1);
    expect(notices()[0]?.text).toContain('config.json');
    expect(await floor()).toBe(30);
    home.setConfig({ power: { floorPercent: 40 } });
    await until(async () => (await floor()) === 40);
    expect(rowsIn(home, 'SELECT 1 FROM notices WHERE acknowledged_at IS NULL')).toEqual([]);
  });
});

describe('a full disk', () => {
  it('D8 nothing is stored, each command says so and exits 3, and with room again all goes on', async (test) => {
    const disk = smallDisk();
    if (!disk) return test.skip('this needs the right to mount a small disk');
    const home = { ...testHome(), ...resolveHome(join(disk.dir, 'data')) };
    await furnished(home);
    const before = dumpOf(home);
    disk.fill();
    expectRefusal(await lullHere(home, ADJUST), 3, /disk is full/);
    expectRefusal(await lullHere(home, START), 3, /disk is full/);
    expect(dumpOf(home)).toEqual(before);
    disk.free();
    expect(await lullHere(home, ADJUST)).toMatchObject({ code: 0 });
  });

  it('S1 a result that is ready while the disk is full is held, and lands when there is room', async (test) => {
    const disk = smallDisk();
    if (!disk) return test.skip('this needs the right to mount a small disk');
    const home = { ...testHome(), ...resolveHome(join(disk.dir, 'data')) };
    await furnished(home);
    const host = await hostThere(home, { env: { LULL_OFFLINE_DELAY_MS: '1000' } });
    const added = await lullHere(home, ['add', 'Sum up.', '--json']);
    const { job } = added.json<{ job: number }>();
    const first = new Date(Date.now() + 900).toISOString();
    await lullHere(home, [
      ...['schedule', 'add', 'due', '--prompt', 'Look.', '--every', '1d', '--first', first],
    ]);
    const state = async () =>
      (await lullHere(home, ['jobs', 'list', '--json']))
        .json<JobRow[]>()
        .find((one) => one.id === job)?.state;
    await until(async () => (await state()) === 'running');
    disk.fill();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await state()).toBe('running');
    expectRefusal(await lullHere(home, ADJUST), 3, /disk is full/);
    const status = (await lullHere(home, ['status', '--json'])).json<StatusView>();
    expect(status.host?.pid).toBeGreaterThan(0);
    disk.free();
    await until(async () => (await state()) === 'done', 15_000);
    const open = () => rowsIn(home, 'SELECT text FROM notices WHERE acknowledged_at IS NULL');
    await until(() => open().length === 0);
    // What fell due meanwhile was kept, and is taken in now.
    const due = "SELECT state FROM jobs WHERE source LIKE 'job:due@%' AND state = 'done'";
    await until(() => rowsIn(home, due).length === 1, 15_000);
    const log = readdirSync(home.logs).map((name) => readFileSync(join(home.logs, name), 'utf8'));
    expect(log.join()).toMatch(/"code":"disk_full".*"msg":"a pass failed"/);
    expect(rowsIn(home, `SELECT kind FROM drafts WHERE job = ${job}`)).toEqual([{ kind: 'text' }]);
    expect(await host.stop()).toBe(0);
  });

  it('S5 Q6 a host that must go while the disk is full ends, and the next one tells of what it held', async (test) => {
    const disk = smallDisk();
    if (!disk) return test.skip('this needs the right to mount a small disk');
    const home = { ...testHome(), ...resolveHome(join(disk.dir, 'data')) };
    await furnished(home);
    const host = await hostThere(home, { env: { LULL_OFFLINE_DELAY_MS: '600' } });
    await lullHere(home, ['add', 'Sum up.']);
    await until(() => rowsIn(home, "SELECT 1 FROM jobs WHERE state = 'running'").length > 0);
    disk.fill();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const began = performance.now();
    await host.stop();
    expect(performance.now() - began).toBeLessThan(5_000);
    disk.free();
    const next = await hostThere(home);
    expect(rowsIn(home, 'SELECT state, error FROM jobs WHERE error IS NOT NULL')).toEqual([
      { state: 'failed', error: 'orphaned by unclean exit of run #1' },
    ]);
    // (Of the small disk itself the watchdog may tell, too.)
    const reports =
      'SELECT drafts.kind FROM drafts JOIN jobs ON jobs.id = job WHERE jobs.error IS NOT NULL';
    expect(rowsIn(home, reports)).toEqual([{ kind: 'report' }]);
    expect(rowsIn(home, 'SELECT clean FROM runs WHERE id = 1')).toEqual([{ clean: 0 }]);
    expect(await next.stop()).toBe(0);
  });
});
