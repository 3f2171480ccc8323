import type { Cadence } from '../repository/cadence.ts';

/**
 * What a lock says, in the form of the command that asks it: exit code 0 done, 2 its backend cannot be
 * reached, 3 denied or race lost, any other a failure of its own; a line of JSON on standard output (check,
 * health) and `error_category=…` on standard error.
 */
export interface CycleAnswer {
  code: number;
  stdout: string;
  stderr: string;
}

/** The last answer of a lock that was asked, perhaps several times. */
export interface LockTries {
  answer: CycleAnswer;
  attempts: number;
  /** The pauses between the attempts. */
  pausesMs: number[];
}

/** Which agent's turn is taken, and by what. */
export interface CycleClaim {
  cadence: Cadence;
  agent: string;
  platform: string;
  model: string | null;
}

/** By what one attempt to take a lock is known again in the logs of its backend. */
export interface Attempt {
  id: number;
  correlationId: string;
  idempotencyKey: string | null;
}

/** A lock that is renewed until `stop`. */
export interface Kept {
  /** Aborted, with a sentence as its reason, when the lock is lost meanwhile. */
  readonly lost: AbortSignal;
  stop(): Promise<void>;
}

/** The lock as a cycle asks it: a built-in one, or the scripts of a repository (`scriptedLock`). */
export interface CycleLock {
  check(cadence: Cadence): Promise<CycleAnswer>;
  acquire(claim: CycleClaim, attempt: Attempt): Promise<CycleAnswer>;
  complete(claim: CycleClaim): Promise<CycleAnswer>;
  health(cadence: Cadence): Promise<CycleAnswer>;
  keep(claim: CycleClaim, say: (line: string) => void): Kept;
}
