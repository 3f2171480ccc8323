import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { Random } from './random.ts';
import type { Watcher } from './tap.ts';

/**
 * Where a host is ended: at the n-th commit from now (before it, after it, or half written), or at the
 * n-th statement that writes, in the middle of its transaction.
 */
export interface CrashPlan {
  readonly when: 'before' | 'after' | 'torn' | 'inside';
  readonly visit: number;
}

/** What is wrong with the disk for a while. */
export type DiskFault = 'full' | 'nearly-full' | 'busy';

/** Bytes of a log that are compared at once. */
const STEP = 4096;

/** Thrown through a host that has just died; whatever it does about it no longer counts. */
export class Dead extends Error {
  constructor() {
    super('this host is dead');
  }
}

/** The disk under one connection of one host: faults, and the moments at which the host may end. */
export class Disk implements Watcher {
  dirty = false;
  dead = false;
  plan: CrashPlan | null = null;
  #fault: DiskFault | null = null;
  readonly #db: Database.Database;
  readonly #random: Random;
  readonly #on: { commit: () => void; crash: (copy: (path: string) => void) => void };

  constructor(
    db: Database.Database,
    random: Random,
    on: { commit: () => void; crash: (copy: (path: string) => void) => void },
  ) {
    this.#db = db;
    this.#random = random;
    this.#on = on;
  }

  get fault(): DiskFault | null {
    return this.#fault;
  }

  /** `nearly-full` is SQLite's own refusal to grow the file; the other two are put on. */
  setFault(fault: DiskFault | null): void {
    if (this.#fault === 'nearly-full') this.#db.pragma('max_page_count = 4294967294');
    this.#fault = fault;
    if (fault !== 'nearly-full') return;
    const pages = this.#db.pragma('page_count', { simple: true }) as number;
    this.#db.pragma(`max_page_count = ${pages}`);
  }

  begins(): void {
    this.passes();
    if (this.#fault === 'busy' && this.#random.chance(0.3)) throw sqliteError('SQLITE_BUSY');
  }

  writes(): void {
    this.passes();
    if (this.#fault === 'full') throw sqliteError('SQLITE_FULL');
    if (this.#endsInside()) this.#crash(() => {});
  }

  commits<T>(go: () => T, changed: (result: T) => boolean): T {
    this.passes();
    this.dirty = false;
    if (!this.plan || this.plan.when === 'inside') {
      const result = go();
      if (changed(result)) this.#on.commit();
      return result;
    }
    if (this.#db.inTransaction) return this.#commit(this.plan, go);
    // A statement that is a transaction of its own may change nothing: then it is no commit.
    this.#db.exec('BEGIN');
    let result: T;
    try {
      result = go();
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
    const commit = () => {
      this.#db.exec('COMMIT');
      return result;
    };
    return changed(result) ? this.#commit(this.plan, commit) : commit();
  }

  #commit<T>(plan: CrashPlan, go: () => T): T {
    if (plan.visit <= 1) return this.#end(plan.when, go);
    this.plan = next(plan);
    const result = go();
    this.#on.commit();
    return result;
  }

  passes(): void {
    if (this.dead) throw new Dead();
  }

  /** Ends the host where it stands, between two statements. */
  crash(): void {
    if (this.dead) return;
    this.dead = true;
    this.#on.crash((path) => copyDatabase(this.#db.name, path));
  }

  /** Whether this statement is the one in whose transaction the host ends. */
  #endsInside(): boolean {
    if (this.plan?.when !== 'inside') return false;
    if (this.plan.visit <= 1) return true;
    this.plan = next(this.plan);
    return false;
  }

  #end<T>(when: CrashPlan['when'], go: () => T): T {
    if (when === 'before') return this.#crash(() => {});
    if (when === 'after') {
      go();
      this.#on.commit();
      return this.#crash(() => {});
    }
    const log = `${this.#db.name}-wal`;
    const before = existsSync(log) ? readFileSync(log) : Buffer.alloc(0);
    const main = readFileSync(this.#db.name);
    go();
    return this.#crash((path) => {
      // The commit is void: the file as it was before, and the log as far as it got.
      writeFileSync(path, main);
      writeFileSync(`${path}-wal`, torn(before, readFileSync(log), this.#random));
    });
  }

  #crash(mend: (path: string) => void): never {
    this.dead = true;
    this.#on.crash((path) => {
      copyDatabase(this.#db.name, path);
      mend(path);
    });
    throw new Dead();
  }
}

function next(plan: CrashPlan): CrashPlan {
  return { ...plan, visit: plan.visit - 1 };
}

/** What was committed, as it lies in the files: a transaction under way is not in them. */
function copyDatabase(from: string, to: string): void {
  copyFileSync(from, to);
  if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`);
}

/** The new log cut off within the bytes that the last commit wrote, with garbage at times. */
function torn(before: Buffer, after: Buffer, random: Random): Buffer {
  const length = Math.max(before.length, after.length);
  const [first, last] = changedPart(before, after);
  const cut = random.whole(first, Math.max(first, last));
  const mixed = Buffer.alloc(length);
  before.copy(mixed);
  after.copy(mixed, 0, 0, Math.min(cut, after.length));
  if (random.chance(0.5)) {
    const end = Math.min(length, cut + random.whole(1, 512));
    for (let at = cut; at < end && at < last; at++) mixed[at] = random.whole(0, 255);
  }
  return before.length < after.length && random.chance(0.5)
    ? mixed.subarray(0, Math.max(cut, before.length))
    : mixed;
}

/** The first and the last byte in which two logs differ; what one does not have counts as zeros. */
function changedPart(before: Buffer, after: Buffer): [number, number] {
  const shared = Math.min(before.length, after.length);
  const length = Math.max(before.length, after.length);
  let first = 0;
  // In large steps, for a log is long and a commit short.
  while (
    first + STEP <= shared &&
    before.compare(after, first, first + STEP, first, first + STEP) === 0
  )
    first += STEP;
  const at = (buffer: Buffer, index: number) => buffer[index] ?? 0;
  while (first < length && at(before, first) === at(after, first)) first++;
  let last = length - 1;
  while (last > first && at(before, last) === at(after, last)) last--;
  return [first, last];
}

function sqliteError(code: string): Error {
  return Object.assign(new Error(`${code.toLowerCase()} (simulated)`), { code });
}
