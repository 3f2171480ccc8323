import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { momentOfStamp } from '../cycle/moments.ts';

/**
 * The logs of a repository's cycles, kept from run to run. A run's working tree begins from the last
 * commit, and so without the logs of runs whose drafts are not approved; who ran lately and whose turn it
 * is are read from logs. So they are lent to each run, and those it wrote are kept.
 */

const RUN_STATE = '.scheduler-run-state.json';
const IGNORE = '.gitignore';
const LOG = /^(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z)__[^_]+__(?:completed|failed|deferred)\.md$/;
/** Longer than the longest window by which anybody is left out. */
const LENT_MS = 15 * 86_400_000;

/** What was lent to a working tree, to be taken back before its changes are kept. */
export interface Lent {
  readonly folder: string;
  /** Files that were not there before. */
  readonly lent: readonly string[];
  /** Logs that are not of this run. */
  readonly known: ReadonlySet<string>;
  /** The run state is part of the repository: it stays as the run left it. */
  readonly ownsState: boolean;
}

/**
 * Lends the logs of `sources` (folders, the first goes before the others) to `folder`, where git does not
 * see them.
 */
export function lendLogs(sources: readonly string[], folder: string, now: number): Lent {
  mkdirSync(folder, { recursive: true });
  const before = new Set(readdirSync(folder));
  const lent: string[] = [];
  for (const source of sources) {
    for (const name of lately(source, now)) {
      if (before.has(name) || lent.includes(name)) continue;
      copyFileSync(join(source, name), join(folder, name));
      lent.push(name);
    }
  }
  const known = new Set([...before, ...lent]);
  if (lent.length > 0 && !before.has(IGNORE)) {
    lent.push(IGNORE);
    writeFileSync(join(folder, IGNORE), lent.map((name) => `/${name}\n`).join(''));
  }
  return { folder, lent, known, ownsState: before.has(RUN_STATE) };
}

/**
 * Keeps in `book` the logs that the run wrote and its run state, and takes back what was lent to it. Gives
 * the names of the new logs.
 */
export function keepLogs({ folder, lent, known, ownsState }: Lent, book: string): string[] {
  mkdirSync(book, { recursive: true, mode: 0o700 });
  const there = namesIn(folder);
  const fresh = there.filter((name) => LOG.test(name) && !known.has(name));
  for (const name of there.includes(RUN_STATE) ? [...fresh, RUN_STATE] : fresh) {
    copyFileSync(join(folder, name), join(book, name));
  }
  for (const name of ownsState ? lent : [...lent, RUN_STATE]) {
    rmSync(join(folder, name), { force: true });
  }
  return fresh;
}

/** Removes from the book what no run needs any more. */
export function pruneLogs(book: string, now: number): void {
  for (const name of namesIn(book)) {
    const at = momentOf(name);
    if (at !== null && at < now - 2 * LENT_MS) rmSync(join(book, name), { force: true });
  }
}

/** Logs not older than matters, and the run state. */
function lately(source: string, now: number): string[] {
  return namesIn(source).filter((name) => {
    if (name === RUN_STATE) return true;
    const at = momentOf(name);
    return at !== null && at >= now - LENT_MS && statSync(join(source, name)).isFile();
  });
}

function momentOf(name: string): number | null {
  const stamp = LOG.exec(name)?.[1];
  return stamp === undefined ? null : momentOfStamp(stamp);
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
