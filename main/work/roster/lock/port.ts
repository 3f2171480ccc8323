import type { Cadence } from '../repository/cadence.ts';

/**
 * What a lock says, in the form of the command that asks it: exit code 0 done, 1 usage, not in the
 * roster or nothing to complete, 2 the lock cannot be reached, 3 denied or race lost. On standard output
 * `KEY=value` lines, or one line of JSON (check, health); progress and `error_category=…` on standard
 * error.
 */
export interface LockAnswer {
  code: 0 | 1 | 2 | 3;
  stdout: string;
  stderr: string;
}

export interface Claim {
  cadence: Cadence;
  agent: string;
}

/** A claim as it is made: who runs the agent. Null: found out from the environment. */
export interface NewClaim extends Claim {
  platform: string | null;
  model: string | null;
}

export interface Keeping {
  /** Aborted, with a sentence as its reason, when the lock is lost while it is kept. */
  readonly lost: AbortSignal;
  /** Ends the renewals, waiting for the one under way; the lock itself stays as it is. */
  stop(): Promise<void>;
}

/** The lock between the machines (or the processes) that share a roster. Never rejects. */
export interface RosterLock {
  /** Who may not be taken now, as one line of JSON. */
  check(cadence: Cadence): Promise<LockAnswer>;
  acquire(claim: NewClaim): Promise<LockAnswer>;
  /** Marks the agent as done for its window. Only for a lock that this machine acquired. */
  complete(claim: NewClaim): Promise<LockAnswer>;
  /**
   * Gives back a claim that this process made and that this machine's own lock gave: its run was stopped,
   * and is begun anew. Over relays none can be taken back for certain: it ends with its time to live.
   */
  release(claim: Claim): Promise<void>;
  /** Whether the lock can be reached at all, as one line of JSON. */
  health(cadence: Cadence): Promise<LockAnswer>;
  /**
   * Renews a lock that was acquired, before its time to live is over, until stopped. What the owner should
   * read in the log (a renewal that failed, a double that was found) goes to `say`.
   */
  keep(claim: NewClaim, say: (line: string) => void): Keeping;
}
