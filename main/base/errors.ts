/**
 * Why something did not happen, in a closed set. An expected refusal travels as a value (`Failure`);
 * `LullError` is the same thing thrown, for places where the caller cannot go on.
 */
export const ERROR_CODES = [
  'invalid', // the input is wrong: nothing was stored
  'not_found',
  'conflict', // the identity is taken by something else
  'refused', // allowed in general, not now
  'queue_full',
  'host_running', // another host holds this data folder
  'host_silent', // the lock is held but nobody answers
  'database_newer',
  'database_damaged',
  'database_read_only',
  'disk_full',
  'failed', // an unexpected fault while running
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface Failure {
  ok: false;
  code: ErrorCode;
  /** One line: what is wrong, and where. */
  message: string;
  /** One line: how to mend it. */
  hint?: string | undefined;
}

export type Result<T> = { ok: true; value: T } | Failure;

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failure(code: ErrorCode, message: string, hint?: string): Failure {
  return hint === undefined ? { ok: false, code, message } : { ok: false, code, message, hint };
}

export class LullError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LullError';
    this.code = code;
    this.hint = hint;
  }

  toFailure(): Failure {
    return failure(this.code, this.message, this.hint);
  }
}

/** Exit code of the command line for a failure (0 done, 1 usage or input, 2 failed, 3 refused). */
export function exitCodeOf(code: ErrorCode): 1 | 2 | 3 {
  switch (code) {
    case 'invalid':
    case 'not_found':
    case 'conflict':
    case 'database_newer':
    case 'database_damaged':
    case 'database_read_only':
      return 1;
    case 'refused':
    case 'queue_full':
    case 'host_running':
    case 'host_silent':
    case 'disk_full':
      return 3;
    case 'failed':
      return 2;
  }
}

/** SQLite's own error codes that have an owner's sentence. */
const SQLITE: ReadonlyArray<readonly [RegExp, ErrorCode, string, string]> = [
  [
    /^SQLITE_FULL/,
    'disk_full',
    'the disk is full, so nothing was stored',
    'free some space and try again',
  ],
  [
    /^SQLITE_READONLY|^SQLITE_CANTOPEN|^SQLITE_PERM/,
    'database_read_only',
    'the database cannot be written',
    'check the permissions of the data folder',
  ],
  [
    /^SQLITE_CORRUPT|^SQLITE_NOTADB/,
    'database_damaged',
    'the database is damaged',
    'put a backup in its place with: lull restore',
  ],
  [
    /^SQLITE_BUSY/,
    'host_running',
    'the database is in use by another program',
    'close it, or use the running Lull',
  ],
];

/** Turns anything thrown into a Failure; the one place where that is done. */
export function toFailure(error: unknown): Failure {
  if (error instanceof LullError) return error.toFailure();
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') {
    const known = SQLITE.find(([pattern]) => pattern.test(code));
    if (known) return failure(known[1], known[2], known[3]);
    if (code === 'ENOSPC')
      return failure('disk_full', 'the disk is full', 'free some space and try again');
  }
  return failure('failed', error instanceof Error ? error.message : String(error));
}
