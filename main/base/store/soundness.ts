import Database from 'better-sqlite3';
import { EXPORTED } from './export-tables.ts';

/**
 * What is wrong with an open database, in SQLite's words or ours; null where it is sound. Pages, rows
 * and indexes are read whole (SQLite's integrity_check), and the tables and triggers are compared with
 * what the migrations up to its version make: a changed letter in a trigger would let pass what the
 * table of edges forbids, and SQLite would not mind. Takes about half a second for 100 MB.
 */
export function faultOf(db: Database.Database, applied: readonly string[]): string | null {
  try {
    const said = db.pragma('integrity_check(1)', { simple: true });
    if (said !== 'ok') {
      const words = String(said).replace('*** in database main ***', '').replaceAll(/\s+/g, ' ');
      return words.trim().slice(0, 200);
    }
    if (schemaOf(db) !== expectedSchema(applied)) return 'its tables are not as they were made';
    return brokenJson(db);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (/^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(String(code))) return message;
    throw error;
  }
}

/** Where a column holds JSON that cannot be read: a view over that row would fail for good. */
export function brokenJson(db: Database.Database): string | null {
  const exists = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  for (const { table, json } of EXPORTED) {
    if (!exists.get(table)) continue; // of a later migration
    for (const column of json) {
      const found = db
        .prepare(`SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL AND NOT json_valid(${column})`)
        .get();
      if (found) return `${table}.${column} holds something other than JSON`;
    }
  }
  return null;
}

function schemaOf(db: Database.Database): string {
  const rows = db
    .prepare(
      `SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY type, name`,
    )
    .all();
  return JSON.stringify(rows);
}

const known = new Map<string, string>();

function expectedSchema(applied: readonly string[]): string {
  const key = applied.join('\n');
  const found = known.get(key);
  if (found !== undefined) return found;
  const db = new Database(':memory:');
  try {
    for (const migration of applied) db.exec(migration);
    const schema = schemaOf(db);
    known.set(key, schema);
    return schema;
  } finally {
    db.close();
  }
}
