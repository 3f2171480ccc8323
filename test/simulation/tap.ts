import type Database from 'better-sqlite3';

/** Stands between the engine and the statements that write to one connection. */
export interface Watcher {
  /** Something was written in the open transaction. */
  dirty: boolean;
  /** A transaction is about to begin. May throw. */
  begins(): void;
  /** A statement is about to write. May throw. */
  writes(): void;
  /** Carries a commit out; `changed` says afterwards whether it stored anything. */
  commits<T>(go: () => T, changed: (result: T) => boolean): T;
  /** Anything else that is not a reading. May throw. */
  passes(): void;
}

type Kind = 'read' | 'begin' | 'commit' | 'write' | 'other';
type Method = 'run' | 'get' | 'all';
type Statement = Database.Statement & { [KIND]?: Kind };

const KIND = Symbol('kind');
const watchers = new WeakMap<Database.Database, Watcher>();
let original: Record<Method, (...args: unknown[]) => unknown> | null = null;

/**
 * Lets a watcher see every write and every commit of a connection, whoever prepared the statement and
 * whenever: it is put in at the prototype of all statements. Connections without one are left alone.
 */
export function tap(db: Database.Database, watcher: Watcher): void {
  watchers.set(db, watcher);
  if (original) return;
  const prototype = Object.getPrototypeOf(db.prepare('SELECT 1'));
  original = { run: prototype.run, get: prototype.get, all: prototype.all };
  for (const method of ['run', 'get', 'all'] as const) {
    const plain = original[method];
    prototype[method] = function (this: Statement, ...args: unknown[]) {
      const mine = watchers.get(this.database);
      if (!mine) return plain.apply(this, args);
      const kind = this[KIND] ?? classify(this);
      return kind === 'read' ? plain.apply(this, args) : around(mine, kind, this, plain, args);
    };
  }
}

/** A statement of the watchers themselves. */
export function unwatched<T extends Database.Statement>(statement: T): T {
  (statement as unknown as Statement)[KIND] = 'read';
  return statement;
}

function around(
  watcher: Watcher,
  kind: Kind,
  statement: Statement,
  plain: (...args: unknown[]) => unknown,
  args: unknown[],
): unknown {
  const go = () => plain.apply(statement, args);
  switch (kind) {
    case 'begin':
      watcher.begins();
      watcher.dirty = false;
      return go();
    case 'commit': {
      if (!watcher.dirty) return go();
      return watcher.commits(go, () => true);
    }
    case 'write': {
      watcher.writes();
      if (!statement.database.inTransaction) return watcher.commits(go, changedBy);
      const result = go();
      watcher.dirty ||= changedBy(result);
      return result;
    }
    default:
      watcher.passes();
      return go();
  }
}

function classify(statement: Statement): Kind {
  const { source } = statement;
  const word = /^\s*([a-z]+)/i.exec(source)?.[1]?.toLowerCase() ?? '';
  const kind: Kind =
    word === 'begin'
      ? 'begin'
      : word === 'commit'
        ? 'commit'
        : word === 'rollback' || word === 'savepoint' || word === 'release'
          ? 'other'
          : word === 'pragma' || statement.readonly
            ? 'read'
            : 'write';
  statement[KIND] = kind;
  return kind;
}

/** What `run` tells, or the rows of a statement with RETURNING. */
function changedBy(result: unknown): boolean {
  if (result === undefined) return false;
  if (Array.isArray(result)) return result.length > 0;
  const { changes } = result as { changes?: number };
  return changes === undefined || changes > 0;
}
