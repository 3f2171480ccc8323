import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dumpOf, type TestHome } from '../support/host.ts';

/** Files of a host that change by its living alone. Databases are read by SQLite, never as files. */
const LIVING = /^(lull\.sqlite|lock\.sqlite|roster\.sqlite|host\.json|host\.sock|logs\/)/;

/** All that a data folder holds, as one word: rows of the database, and every other file. */
export function digestOf(home: TestHome): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(dumpOf(home) ?? null));
  if (!existsSync(home.dir)) return hash.digest('hex');
  const names = readdirSync(home.dir, { recursive: true, encoding: 'utf8' }).sort();
  for (const name of names.filter((one) => !LIVING.test(one))) {
    const path = join(home.dir, name);
    hash.update(name);
    if (statSync(path).isFile()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** What is wrong with a refusal's words; null where they are one plain line. */
export function wrongWords(message: unknown): string | null {
  if (typeof message !== 'string') return 'no message';
  if (message.trim().length < 3) return 'an empty message';
  if (message.length > 600) return `a message of ${message.length} characters`;
  if (/[\n\r]/.test(message)) return `several lines: ${JSON.stringify(message)}`;
  if (/\b(undefined|\[object|NaN\b.*NaN|Error:|at .*\.ts:\d)/.test(message))
    return `words of a program: ${JSON.stringify(message)}`;
  return null;
}
