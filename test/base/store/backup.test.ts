import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { backupFault, makeBackup } from '../../../main/base/store/backup.ts';
import {
  type Backup,
  type BackupReason,
  backupName,
  isBackupName,
  listBackups,
  surplus,
  tidyBackups,
} from '../../../main/base/store/backup-folder.ts';
import type { Store } from '../../../main/base/store/database.ts';
import { MIGRATIONS } from '../../../main/base/store/migrations.ts';
import { temporaryFolder, temporaryStore } from '../../support/store.ts';

const DAY = 86_400_000;
const NAME = backupName('daily', 1_780_000_000_000);

function addProduct(store: Store, sku: string): void {
  store.db
    .prepare('INSERT INTO products (sku, name, updated_at) VALUES (?, ?, 1)')
    .run(sku, 'n'.repeat(250));
}

describe('a backup', () => {
  it('D13 is one sound file with its SHA-256 beside it, of what was there, made while it is written', async () => {
    const store = await temporaryStore();
    store.tx(() => {
      for (let n = 0; n < 4000; n++) addProduct(store, `before-${n}`);
    });
    const folder = temporaryFolder();
    const making = makeBackup(store.db, folder, NAME, MIGRATIONS);
    for (let n = 0; n < 20; n++) {
      addProduct(store, `during-${n}`);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    const made = await making;
    expect(readdirSync(folder).sort()).toEqual([NAME, `${NAME}.sha256`]);
    const digest = createHash('sha256').update(readFileSync(made.path)).digest('hex');
    expect(readFileSync(`${made.path}.sha256`, 'utf8')).toBe(`${digest}  ${NAME}\n`);
    expect(await backupFault(made, MIGRATIONS)).toBeNull();
    const copy = new Database(made.path, { readonly: true });
    const before = "SELECT count(*) FROM products WHERE sku LIKE 'before-%'";
    expect(copy.prepare(before).pluck().get()).toBe(4000);
    copy.close();
    expect(readdirSync(folder)).toHaveLength(2); // reading it leaves nothing beside it
  });

  it('D13 is refused where one byte differs, its SHA-256 is missing, or a newer Lull wrote it', async () => {
    const store = await temporaryStore();
    const folder = temporaryFolder();
    const made = await makeBackup(store.db, folder, NAME, MIGRATIONS);
    expect(await backupFault(made, MIGRATIONS.slice(0, 1))).toMatch(/newer Lull/);
    const bytes = readFileSync(made.path);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(made.path, bytes);
    expect(await backupFault(made, MIGRATIONS)).toMatch(/SHA-256/);
    writeFileSync(`${made.path}.sha256`, 'not a digest');
    expect(await backupFault(made, MIGRATIONS)).toMatch(/SHA-256 is missing/);
    expect(await backupFault({ path: join(folder, 'none') }, MIGRATIONS)).toMatch(/not there/);
  });

  it('D13 of a damaged database is not kept', async () => {
    const store = await temporaryStore();
    const folder = temporaryFolder();
    store.db.unsafeMode(true);
    store.db.pragma('writable_schema = ON');
    store.db.exec(
      "UPDATE sqlite_schema SET sql = replace(sql, 'queued', 'queuee') WHERE type = 'trigger'",
    );
    store.db.pragma('writable_schema = OFF');
    await expect(makeBackup(store.db, folder, NAME, MIGRATIONS)).rejects.toMatchObject({
      code: 'database_damaged',
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the backups folder', () => {
  const backup = (reason: BackupReason, at: number, bytes = 1000): Backup => ({
    ...{ name: backupName(reason, at), path: backupName(reason, at), reason, at, bytes },
  });
  const newestFirst = (list: Backup[]) => list.sort((a, b) => b.at - a.at);

  it('D13 keeps the last seven days, the newest of each of four weeks, and a few of the others', () => {
    const daily = Array.from({ length: 60 }, (_, n) =>
      backup('daily', 1_780_000_000_000 - n * DAY),
    );
    const asked = Array.from({ length: 9 }, (_, n) => backup('asked', 1_700_000_000_000 - n));
    const all = newestFirst([...daily, ...asked]);
    const gone = new Set(surplus(all));
    const kept = all.filter((one) => !gone.has(one));
    expect(kept.filter(({ reason }) => reason === 'asked')).toHaveLength(5);
    const days = kept.filter(({ reason }) => reason === 'daily');
    expect(days.slice(0, 7)).toEqual(daily.slice(0, 7));
    expect(days.length).toBeLessThanOrEqual(11);
    expect(Math.min(...days.map(({ at }) => at))).toBeLessThan(1_780_000_000_000 - 14 * DAY);
    expect(surplus(kept)).toEqual([]);
  });

  it('D13 keeps no more than 2 GB, but the two newest whatever they measure', () => {
    const large = Array.from({ length: 7 }, (_, n) => backup('daily', 9e12 - n * DAY, 900_000_000));
    expect(surplus(large)).toEqual(large.slice(2));
    const vast = [backup('daily', 2, 5e9), backup('asked', 1, 5e9)];
    expect(surplus(vast)).toEqual([]);
  });

  it('D13 knows its own names alone, and clears only what is old and half made', () => {
    const folder = temporaryFolder();
    const names = [
      NAME,
      `${NAME}.sha256`,
      '.daily-5.sqlite.partial',
      'asked-7.sqlite.sha256',
      'my.txt',
    ];
    for (const name of names) appendFileSync(join(folder, name), 'x');
    const old = new Date(1_600_000_000_000);
    for (const name of names.slice(2)) utimesSync(join(folder, name), old, old);
    appendFileSync(join(folder, '.asked-8.sqlite.partial'), 'under way');
    tidyBackups(folder);
    expect(readdirSync(folder).sort()).toEqual(
      ['.asked-8.sqlite.partial', NAME, `${NAME}.sha256`, 'my.txt'].sort(),
    );
    expect(listBackups(folder)).toMatchObject([{ name: NAME, reason: 'daily', bytes: 1 }]);
    expect(listBackups(join(folder, 'none'))).toEqual([]);
    for (const name of [
      '../daily-1.sqlite',
      'daily-1.sqlite/x',
      'daily--1.sqlite',
      'lull.sqlite',
    ]) {
      expect(isBackupName(name)).toBe(false);
    }
    expect(isBackupName('before-3-17.sqlite')).toBe(true);
  });
});
