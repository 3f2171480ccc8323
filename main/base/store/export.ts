import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Home } from '../home.ts';
import { VERSION } from '../version.ts';
import { asWritten, EXPORT_FORMAT, EXPORTED } from './export-tables.ts';
import { place } from './flush.ts';

export interface Exported {
  path: string;
  bytes: number;
  rows: number;
}

/** Lines gather to about this many characters before they are written. */
const CHUNK = 262_144;

/**
 * Writes everything the owner made into a new file of the exports folder, line by line from one moment
 * of the database, over a connection of its own; a host goes on meanwhile. The form is described in
 * docs/export.md. Equal content gives equal bytes. Throws what the disk throws, and leaves no file then.
 */
export async function exportTo(home: Home, now: number): Promise<Exported> {
  mkdirSync(home.exports, { recursive: true, mode: 0o700 });
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const path = join(home.exports, `lull-${stamp}.jsonl`);
  const partial = `${path}.partial`;
  const db = new Database(home.database, { readonly: true, timeout: 5000 });
  let file: FileHandle | null = null;
  try {
    file = await open(partial, 'w', 0o600);
    const written = await writeLines(file, exportLines(db, settingsOf(home.config)));
    await file.sync();
    await file.close();
    place(partial, path);
    return { path, ...written };
  } catch (error) {
    await file?.close().catch(() => {});
    rmSync(partial, { force: true });
    throw error;
  } finally {
    db.close();
  }
}

async function writeLines(
  file: FileHandle,
  lines: Iterable<string>,
): Promise<{ bytes: number; rows: number }> {
  const hash = createHash('sha256');
  let [text, bytes, rows] = ['', 0, 0];
  const put = async () => {
    hash.update(text);
    const chunk = Buffer.from(text);
    bytes += chunk.length;
    text = '';
    await file.writeFile(chunk); // goes on where the last one ended
  };
  for (const line of lines) {
    if (line.startsWith('[')) rows += 1;
    text += `${line}\n`;
    if (text.length >= CHUNK) await put();
  }
  await put();
  text = `${JSON.stringify({ end: true, rows, sha256: hash.copy().digest('hex') })}\n`;
  await put();
  return { bytes, rows };
}

/** Every line but the last. Reads from one moment: the transaction lasts as long as the iterator. */
function* exportLines(db: Database.Database, settings: unknown): Iterable<string> {
  db.exec('BEGIN');
  const schema = db.pragma('user_version', { simple: true });
  yield JSON.stringify({ lull: 'export', format: EXPORT_FORMAT, schema, version: VERSION });
  yield JSON.stringify({ settings });
  for (const { table, order } of EXPORTED) {
    // Columns that are computed from others are not in this list.
    const columns = (db.pragma(`table_info(${table})`) as { name: string }[]).map(
      ({ name }) => name,
    );
    const rows = db.prepare(
      `SELECT ${columns.map((one) => `"${one}"`).join(', ')} FROM ${table} ORDER BY ${order}`,
    );
    yield JSON.stringify({ table, columns });
    for (const row of rows.iterate()) {
      yield JSON.stringify(Object.values(asWritten(table, row as Record<string, unknown>)));
    }
  }
  db.exec('COMMIT');
}

/** The settings as the owner wrote them, without what an address may tell of a password. */
function settingsOf(config: string): unknown {
  let text: string;
  try {
    text = readFileSync(config, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return {};
  }
  try {
    return JSON.parse(text, (_key, value) => (typeof value === 'string' ? bare(value) : value));
  } catch {
    return {}; // broken, which is told elsewhere
  }
}

function bare(value: string): string {
  return value.replace(/^([a-z][a-z+.-]*:\/\/)[^/@\s]*@/i, '$1');
}
