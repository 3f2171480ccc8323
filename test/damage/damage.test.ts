import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../main/base/clock.ts';
import { type Host, openHost } from '../../main/host.ts';
import { DAMAGES } from '../support/damages.ts';
import {
  callOf,
  hostThere,
  lull,
  lullHere,
  rowsIn,
  type TestHome,
  testHome,
  until,
} from '../support/host.ts';

/** A product, a schedule and a job that waits, and a backup of them; then one product more. */
async function backedUp(home = testHome()): Promise<TestHome> {
  const stock = home.file('a.csv', 'sku,name,on hand,reorder point,unit cost\nA,Apple,5,3,1.00\n');
  const more = home.file('b.csv', 'sku,name,on hand,reorder point,unit cost\nB,Banana,5,3,1.00\n');
  for (const line of [
    ['stock', 'import', stock],
    ['add', 'Wait.', '--not-before', '2099-01-01'],
    ['schedule', 'add', 's', '--prompt', 'Look.', '--every', '1d'],
    ['backup'],
    ['stock', 'import', more],
  ]) {
    expect(await lullHere(home, line)).toMatchObject({ code: 0, err: '' });
  }
  return home;
}

/** So many products that SQLite does not keep them all in memory (16 MB): they are read anew. */
function fillBeyondTheCache(home: TestHome): void {
  const db = new Database(home.database);
  const insert = db.prepare('INSERT INTO products (sku, name, updated_at) VALUES (?, ?, 1)');
  db.transaction(() => {
    for (let n = 0; n < 70_000; n++) insert.run(`p${String(n).padStart(5, '0')}`, 'n'.repeat(300));
  })();
  db.close();
}

const skus = (home: TestHome) => rowsIn<{ sku: string }>(home, 'SELECT sku FROM products');
const notices = (home: TestHome) =>
  rowsIn<{ cause: string; text: string }>(home, 'SELECT cause, text FROM notices');

/** A whole host in this process, on the real clock; what it said. */
async function open(home: TestHome): Promise<{ host: Host; said: string[] }> {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const facts = home.factsFile;
  const host = await openHost({ home, facts, offline: true, clock: systemClock(), say });
  return { host, said };
}

describe('a damaged database', () => {
  it.each(Object.entries(DAMAGES))(
    'D13 S5 %s: set aside, the newest good backup put in its place, and told',
    async (_what, spoil) => {
      const home = await backedUp();
      spoil(home.database);
      const bytes = readFileSync(home.database);
      const { host, said } = await open(home);
      expect(skus(home)).toEqual([{ sku: 'A' }]);
      expect(said).toHaveLength(1);
      expect(said[0]).toMatch(/^The database was .*: the backup of .* is lost.*set-aside/);
      expect(notices(home)).toEqual([{ cause: 'restored', text: said[0] }]);
      expect((await callOf(host.dispatch)('panel', {})).schedules).toHaveLength(1);
      await host.stop();
      const kept = readdirSync(home.setAside).filter((name) => name.endsWith('.sqlite'));
      expect(kept).toHaveLength(1);
      expect(readFileSync(join(home.setAside, kept[0] as string)).equals(bytes)).toBe(true);
      // The next start finds nothing wrong, and tells nothing again.
      const next = await open(home);
      expect(next.said).toEqual([]);
      await next.host.stop();
    },
  );

  it('D13 a database that is gone is brought back too', async () => {
    const home = await backedUp();
    rmSync(home.database);
    const { host, said } = await open(home);
    expect(said[0]).toMatch(/^The database was gone: the backup/);
    expect(skus(home)).toEqual([{ sku: 'A' }]);
    await host.stop();
  });

  it('D13 an older backup is taken where the newest is damaged as well', async () => {
    const home = await backedUp();
    expect(await lullHere(home, ['backup'])).toMatchObject({ code: 0 });
    const [newest] = readdirSync(home.backups)
      .filter((name) => name.endsWith('.sqlite'))
      .sort()
      .reverse();
    truncateSync(join(home.backups, newest as string), 4096);
    truncateSync(home.database, 8192);
    const { host } = await open(home);
    expect(skus(home)).toEqual([{ sku: 'A' }]);
    await host.stop();
  });

  it('D13 what was brought from elsewhere is never put in its place unasked, however new and sound', async () => {
    const elsewhere = testHome();
    const pears = elsewhere.file('c.csv', 'sku,name,on hand\nC,Pear,5\n');
    expect(await lullHere(elsewhere, ['stock', 'import', pears])).toMatchObject({ code: 0 });
    expect(await lullHere(elsewhere, ['backup'])).toMatchObject({ code: 0 });
    const [theirs] = readdirSync(elsewhere.backups).filter((name) => name.endsWith('.sqlite'));
    const home = await backedUp();
    for (const reason of ['given', 'imported'])
      for (const end of ['', '.sha256'])
        copyFileSync(
          join(elsewhere.backups, `${theirs}${end}`),
          join(home.backups, `${reason}-${Date.now() + 60_000}.sqlite${end}`),
        );
    truncateSync(home.database, 8192);
    const { host } = await open(home);
    expect(skus(home)).toEqual([{ sku: 'A' }]);
    await host.stop();
    for (const name of readdirSync(home.backups))
      if (!/^(given|imported)-/.test(name)) rmSync(join(home.backups, name));
    truncateSync(home.database, 8192);
    await expect(open(home)).rejects.toThrow(/^the database is damaged/);
  });

  it('D13 without a good backup nothing starts and nothing is moved, and one line says what helps', async () => {
    const home = await backedUp();
    for (const name of readdirSync(home.backups)) truncateSync(join(home.backups, name), 50);
    truncateSync(home.database, 8192);
    const bytes = readFileSync(home.database);
    const started = await lullHere(home, ['start', '--no-open', '--model', 'offline']);
    expect(started).toMatchObject({ code: 1, out: '' });
    expect(started.err).toMatch(/^lull: the database is damaged.*lull restore FILE.*--empty\n$/);
    expect(readFileSync(home.database).equals(bytes)).toBe(true);
    expect(await lullHere(home, ['restore', '--empty', '--yes'])).toMatchObject({ code: 0 });
    expect(await lullHere(home, ['stock', 'list'])).toMatchObject({ code: 0, err: '' });
    expect(skus(home)).toEqual([]);
    expect(readdirSync(home.setAside)).toHaveLength(1);
  });

  it('D13 S1 damage that shows while a host runs: it goes on with the backup, behind the same door', async () => {
    const home = await backedUp();
    fillBeyondTheCache(home);
    expect(await lullHere(home, ['backup'])).toMatchObject({ code: 0 });
    const { host, said } = await open(home);
    const call = callOf(host.dispatch);
    const pushes: object[] = [];
    host.subscribe((push) => pushes.push(push.changed));
    const whole = readFileSync(home.database);
    writeFileSync(home.database, whole.fill(0xa5, 20 * 4096), { flag: 'r+' });
    let after: string | undefined = '';
    await until(async () => {
      const reply = await host.dispatch('stock.list', { after, limit: 500 });
      const rows = reply.ok ? (reply.value as { sku: string }[]) : [];
      after = rows.at(-1)?.sku ?? '';
      return said.length > 0;
    }, 60_000);
    expect(await call('stock.list', { after: 'p69990', limit: 500 })).toHaveLength(9);
    expect((await call('status', {})).host?.pid).toBe(process.pid);
    expect(await call('jobs.add', { text: 'Goes on.' })).toMatchObject({ outcome: 'admitted' });
    await until(() => pushes.some((push) => 'notices' in push), 20_000);
    expect(notices(home).map(({ cause }) => cause)).toContain('restored');
    await host.stop();
  });

  it('Q6 S5 a log whose last changes cannot be read is kept, told of, and the rest goes on', async () => {
    const home = testHome();
    const running = await hostThere(home);
    for (let n = 0; n < 6; n++) await lull(home, ['pause', '--heavy', '--for', `${n + 1}h`]);
    await running.kill();
    const log = `${home.database}-wal`;
    const bytes = readFileSync(log);
    const at = bytes.length - 5 * (4096 + 24) + 500;
    bytes[at] = (bytes[at] ?? 0) ^ 4;
    writeFileSync(log, bytes);
    const { host } = await open(home);
    expect(notices(home).map(({ cause }) => cause)).toContain('changes-lost');
    const [kept] = readdirSync(home.setAside);
    expect(readFileSync(join(home.setAside, kept as string)).equals(bytes)).toBe(true);
    await host.stop();
  });
});

describe('restoring by hand', () => {
  it('D13 asks first; then what was there is set aside, also while a host runs', async () => {
    const home = await backedUp();
    const asked = await lullHere(home, ['restore']);
    expect(asked).toMatchObject({ code: 3 });
    expect(asked.out).toMatch(/^This puts the backup of .* set aside, not removed\.\n$/);
    expect(asked.err).toMatch(/nothing was done yet - say --yes/);
    expect(skus(home)).toHaveLength(2);
    const running = await hostThere(home);
    const done = await lullHere(home, ['restore', '--yes']);
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toMatch(/^As you asked, the backup of .* is in place/);
    const left = (await lullHere(home, ['stock', 'list', '--json'])).json<{ sku: string }[]>();
    expect(left.map(({ sku }) => sku)).toEqual(['A']);
    expect(await running.stop()).toBe(0);
    expect(skus(home)).toEqual([{ sku: 'A' }]);
  });

  it('D13 takes a file from elsewhere, and refuses one that is no sound database of Lull', async () => {
    const home = await backedUp();
    const [name] = readdirSync(home.backups).filter((one) => one.endsWith('.sqlite'));
    const other = testHome();
    const file = join(home.backups, name as string);
    expect(await lullHere(other, ['restore', file, '--yes'])).toMatchObject({ code: 0, err: '' });
    expect(skus(other)).toEqual([{ sku: 'A' }]);
    truncateSync(file, 8192);
    for (const wrong of [
      file,
      home.config,
      other.file('x.sqlite', 'no database at all'.repeat(99)),
    ]) {
      const refused = await lullHere(other, ['restore', wrong, '--yes']);
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toMatch(/^lull: [^\n]* cannot be put back: [^\n]*\n$/);
    }
    expect(await lullHere(other, ['restore', 'daily-1.sqlite', '--yes'])).toMatchObject({
      code: 1,
    });
    expect(skus(other)).toEqual([{ sku: 'A' }]);
  });

  it('D4 an order of a draft that the backup does not know keeps its number', async () => {
    const home = await backedUp();
    writeFileSync(join(home.orders, '41.csv'), 'x');
    expect(await lullHere(home, ['restore', '--yes'])).toMatchObject({ code: 0 });
    expect(rowsIn(home, "SELECT seq FROM sqlite_sequence WHERE name = 'drafts'")).toEqual([
      { seq: 41 },
    ]);
  });
});
