import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config-schema.ts';
import type { Claim } from '../queue/job.ts';
import type { Landing } from './handler.ts';

/** A duty that repeats: a bounded pass, and the next moment the clock gives it something to do. */
export interface Duty {
  readonly name: string;
  /** One bounded pass; returns how many things a view shows have moved. */
  runOnce(now: number): number;
  nextDueAt(): number | null;
}

/** Lands a finished run in one transaction; false when the claim is void. */
export type Land = (claim: Claim, landing: Landing, failed: string | null, now: number) => boolean;

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Surroundings {
  readonly clock: Clock;
  readonly config: () => Config;
  readonly log: Log;
}
