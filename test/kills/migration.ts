import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openStore } from '../../main/base/store/database.ts';
import { MIGRATIONS } from '../../main/base/store/migrations.ts';

/** The next migration, as a later Lull would bring it: it changes a table that holds rows. */
const NEXT = `ALTER TABLE products ADD COLUMN note TEXT;
UPDATE products SET note = 'moved';
CREATE TABLE later (x TEXT) STRICT;`;

// As a program: migrates the home that is named, with a failpoint in its environment.
if (process.argv[1] === import.meta.filename) {
  const home = process.argv[2] as string;
  const store = await openStore(join(home, 'lull.sqlite'), {
    backups: join(home, 'backups'),
    now: Date.now(),
    migrations: [...MIGRATIONS, NEXT],
  });
  store.close();
}

interface Seen {
  version: number;
  later: boolean;
  moved: number;
  products: number;
  jobs: number;
}

function look(file: string): Seen {
  const db = new Database(file, { readonly: true });
  try {
    const one = (sql: string) => db.prepare(sql).pluck().get() as number;
    const has = one("SELECT count(*) FROM pragma_table_info('products') WHERE name = 'note'") === 1;
    return {
      version: db.pragma('user_version', { simple: true }) as number,
      later: one("SELECT count(*) FROM sqlite_schema WHERE name = 'later'") === 1,
      moved: has ? one("SELECT count(*) FROM products WHERE note = 'moved'") : 0,
      products: one('SELECT count(*) FROM products'),
      jobs: one('SELECT count(*) FROM jobs'),
    };
  } finally {
    db.close();
  }
}

/** Ends a migration at a place, looks, migrates again, and looks again. */
export function killMigration(home: string, failpoint: string): string[] {
  const file = join(home, 'lull.sqlite');
  const before = look(file);
  const run = (env: object) =>
    spawnSync(process.execPath, [import.meta.filename, home], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
  const killed = run({ LULL_FAILPOINT: failpoint });
  if (killed.signal !== 'SIGKILL') return [`not reached: ${killed.stderr}`];
  const faults = whole(look(file), before, 'after the kill');
  const again = run({});
  if (again.status !== 0) faults.push(`the next migration failed: ${again.stderr}`);
  const after = look(file);
  faults.push(...whole(after, before, 'after the next start'));
  if (after.version !== before.version + 1)
    faults.push(`the next start left version ${after.version}`);
  const backups = readdirSync(join(home, 'backups')).filter((name) => name.startsWith('before-'));
  if (backups.length === 0) faults.push('there is no backup from before the migration');
  return faults;
}

/** All of the migration or nothing of it, and every row still there. */
function whole(seen: Seen, before: Seen, when: string): string[] {
  const done = seen.version === before.version + 1;
  const faults: string[] = [];
  if (seen.later !== done || seen.moved !== (done ? before.products : 0)) {
    faults.push(`${when}: half a migration: ${JSON.stringify(seen)}`);
  }
  if (seen.products !== before.products || seen.jobs !== before.jobs) {
    faults.push(`${when}: rows are missing: ${JSON.stringify(seen)}`);
  }
  return faults;
}
