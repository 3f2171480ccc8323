import type { Keeping, NewClaim } from '../lock/port.ts';
import type { Cadence } from '../repository/cadence.ts';

/** What a lock says, as of its port; but a repository's own scripts may end with any exit code. */
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

/** By what one attempt to take a lock is known again in the logs of its backend. */
export interface Attempt {
  id: number;
  correlationId: string;
  idempotencyKey: string;
}

/** The lock as a cycle asks it: any `RosterLock`, or the scripts of a repository (`scriptedLock`). */
export interface CycleLock {
  check(cadence: Cadence): Promise<CycleAnswer>;
  acquire(claim: NewClaim, attempt: Attempt): Promise<CycleAnswer>;
  complete(claim: NewClaim): Promise<CycleAnswer>;
  health(cadence: Cadence): Promise<CycleAnswer>;
  keep(claim: NewClaim, say: (line: string) => void): Keeping;
}
