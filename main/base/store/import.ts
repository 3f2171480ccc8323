import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type Database from 'better-sqlite3';
import { z } from 'zod';
import { LullError, toFailure } from '../errors.ts';
import { seal } from './backup.ts';
import { backupName, tidyBackups } from './backup-folder.ts';
import { openStore } from './database.ts';
import { EXPORT_FORMAT, EXPORTED } from './export-tables.ts';
import { MIGRATIONS } from './migrations.ts';
import { brokenJson } from './soundness.ts';

export interface Imported {
  /** The name of the database made of it, in the backups folder. */
  name: string;
  rows: number;
  settings: unknown;
}

/** No line that Lull writes is longer. */
const LONGEST_LINE = 64 * 1024 * 1024;

const head = z.object({ lull: z.literal('export'), format: z.int(), schema: z.int().min(1) });
const section = z.strictObject({ table: z.string(), columns: z.array(z.string()).min(1) });
const end = z.strictObject({ end: z.literal(true), rows: z.int(), sha256: z.string() });

/**
 * Makes a database of an export, as a backup of the kind `imported` that can then be put in place: what
 * is in use is not touched. All of the file or nothing: it is read line by line into one transaction,
 * and its digest, its constraints and its sums are checked before that is committed. Throws LullError:
 * invalid with the line, database_newer, disk_full.
 */
export async function importFrom(file: string, backups: string, now: number): Promise<Imported> {
  const name = backupName('imported', now);
  const partial = join(backups, `.${name}.partial`);
  const clear = () => {
    for (const part of ['', '-wal', '-shm', '-journal']) rmSync(partial + part, { force: true });
  };
  try {
    clear();
    const taken = await read(file, partial, now);
    await seal(partial, join(backups, name), MIGRATIONS);
    tidyBackups(backups);
    return { name, ...taken };
  } catch (error) {
    clear();
    throw error;
  }
}

async function read(file: string, partial: string, now: number): Promise<Omit<Imported, 'name'>> {
  const lines = linesOf(file);
  try {
    const schema = headOf(lines.next().value, file);
    const store = await openStore(partial, {
      ...{ backups: partial, now, synchronous: 'NORMAL' },
      migrations: MIGRATIONS.slice(0, schema),
    });
    try {
      return store.tx(() => {
        const triggers = withoutTriggers(store.db);
        const taken = takeRows(store.db, lines, file);
        for (const trigger of triggers) store.db.exec(trigger);
        refuseContradictions(store.db, file);
        for (const migration of MIGRATIONS.slice(schema)) store.db.exec(migration);
        store.db.pragma(`user_version = ${MIGRATIONS.length}`);
        return taken;
      });
    } finally {
      store.close();
    }
  } finally {
    lines.return(undefined);
  }
}

/** The number of migrations the rows were written under. */
function headOf(first: Line | undefined, file: string): number {
  const found = head.safeParse(first && parsed(first, file));
  if (!found.success) throw refuse(file, 'it is no export of Lull');
  const { format, schema } = found.data;
  if (format <= EXPORT_FORMAT && schema <= MIGRATIONS.length) return schema;
  throw new LullError(
    'database_newer',
    `${basename(file)} was written by a newer Lull; nothing was imported`,
    'install the newer Lull',
  );
}

/** Rows come as they were: the triggers that guard a life from its birth on have to wait. */
function withoutTriggers(db: Database.Database): string[] {
  const found = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
    )
    .all();
  for (const { name } of found) db.exec(`DROP TRIGGER "${name}"`);
  return found.map(({ sql }) => sql);
}

function takeRows(
  db: Database.Database,
  lines: Generator<Line>,
  file: string,
): Omit<Imported, 'name'> {
  let settings: unknown = {};
  let insert: Database.Statement | null = null;
  let rows = 0;
  for (const line of lines) {
    const value = parsed(line, file);
    if (Array.isArray(value)) {
      if (!insert) throw refuse(file, 'a row comes before its table', line);
      if (!value.every(isCell)) throw refuse(file, 'a row holds what no row can hold', line);
      try {
        insert.run(...value);
      } catch (error) {
        throw refused(error, file, line);
      }
      rows += 1;
      continue;
    }
    const done = end.safeParse(value);
    if (done.success) {
      if (done.data.rows !== rows || done.data.sha256 !== line.before()) {
        throw refuse(file, 'it is not what was written (SHA-256)', line);
      }
      if (!lines.next().done) throw refuse(file, 'something follows its end', line);
      return { rows, settings };
    }
    const next = section.safeParse(value);
    if (next.success) insert = inserting(db, next.data, file, line);
    else if (isSettings(value)) settings = value.settings;
    else throw refuse(file, 'this is no line of an export', line);
  }
  throw refuse(file, 'its end is missing');
}

function inserting(
  db: Database.Database,
  { table, columns }: z.infer<typeof section>,
  file: string,
  line: Line,
): Database.Statement {
  if (!EXPORTED.some((one) => one.table === table)) {
    throw refuse(file, `there is no table ${JSON.stringify(table.slice(0, 60))}`, line);
  }
  const known = db.pragma(`table_info(${table})`) as { name: string }[];
  const strange = columns.find((one) => !known.some(({ name }) => name === one));
  if (strange !== undefined || new Set(columns).size < columns.length) {
    throw refuse(file, `${table} has no column ${JSON.stringify(strange ?? columns)}`, line);
  }
  return db.prepare(
    `INSERT INTO ${table} (${columns.map((one) => `"${one}"`).join(', ')})
     VALUES (${columns.map(() => '?').join(', ')})`,
  );
}

function isCell(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

function isSettings(value: unknown): value is { settings: unknown } {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'settings';
}

/** What the constraints of the tables cannot see. */
function refuseContradictions(db: Database.Database, file: string): void {
  const any = (sql: string) => db.prepare(`SELECT EXISTS (${sql})`).pluck().get() === 1;
  const json = brokenJson(db);
  if (json !== null) throw refuse(file, json);
  if (any("SELECT 1 FROM jobs WHERE state = 'running'")) {
    throw refuse(file, 'a job in it is running');
  }
  const counted = `SELECT 1 FROM products p WHERE on_hand <>
    (SELECT coalesce(sum(delta), 0) FROM stock_events e WHERE e.sku = p.sku)`;
  if (any(counted)) throw refuse(file, 'a count of its stock is not the sum of its events');
}

interface Line {
  text: string;
  number: number;
  /** SHA-256 of all lines before, with their ends. */
  before(): string;
}

/** The lines of a file; no more of it is held than the longest of them. */
function* linesOf(file: string): Generator<Line> {
  const hash = createHash('sha256');
  const handle = openToRead(file);
  const chunk = Buffer.alloc(262_144);
  let parts: Buffer[] = [];
  let length = 0;
  let number = 0;
  try {
    for (let got = -1; got !== 0; ) {
      got = readSync(handle, chunk, 0, chunk.length, null);
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0 && at < got; at = chunk.indexOf(10, from)) {
        const bytes = Buffer.concat([...parts, chunk.subarray(from, at + 1)]);
        number += 1;
        const before = () => hash.copy().digest('hex');
        yield { text: bytes.toString('utf8', 0, bytes.length - 1), number, before };
        hash.update(bytes);
        [parts, length, from] = [[], 0, at + 1];
      }
      // Copied, for the chunk is read over.
      if (from < got) parts.push(Buffer.from(chunk.subarray(from, got)));
      length += got - from;
      if (length > LONGEST_LINE) throw refuse(file, `line ${number + 1} is longer than 64 MB`);
    }
    if (length > 0) throw refuse(file, 'its last line is cut off');
  } finally {
    closeSync(handle);
  }
}

function openToRead(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw refuse(file, code === 'ENOENT' ? 'there is no such file' : message);
  }
}

function parsed(line: Line, file: string): unknown {
  try {
    return JSON.parse(line.text);
  } catch {
    throw refuse(
      file,
      line.number === 1 ? 'it is no export of Lull' : 'it is not valid JSON',
      line,
    );
  }
}

function refused(error: unknown, file: string, line: Line): LullError {
  const { code, message } = error as { code?: unknown; message: string };
  if (/^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(String(code)) || error instanceof RangeError) {
    return refuse(file, message, line);
  }
  const failure = toFailure(error);
  return new LullError(failure.code, failure.message, failure.hint, { cause: error });
}

function refuse(file: string, why: string, line?: Line): LullError {
  const where = line && line.number > 1 ? `, line ${line.number}` : '';
  return new LullError(
    'invalid',
    `${basename(file)}${where}: ${why}; nothing was imported`,
    'export it anew, or choose another file',
  );
}
