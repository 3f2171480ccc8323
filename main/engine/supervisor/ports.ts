import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config-schema.ts';
import type { ChatRequest, ChatTurn } from '../models/server.ts';
import type { Claim, LoadKey } from '../queue/job.ts';
import type { Landing } from './handler.ts';

/** A duty that repeats: a bounded pass, and the next moment the clock gives it something to do. */
export interface Duty {
  readonly name: string;
  /** One bounded pass; returns how many jobs it created. */
  runOnce(now: number): number;
  nextDueAt(): number | null;
}

/** What the supervisor needs of the loader. */
export interface ModelPort {
  /** Makes the key resident; refuses before loading what would not fit. Never throws a refusal. */
  ensure(key: LoadKey, signal: AbortSignal): Promise<Readied>;
  /** What is resident by our doing: jobs with these keys need no swap. */
  loadedKeys(): LoadKey[];
  /** Whether a load or an unload was seen since the last call. */
  takeChange(): boolean;
  /** Unloads the worker model that Lull loaded, verified. */
  releaseWorker(cause: string): Promise<void>;
}

export type Readied =
  | {
      ok: true;
      label: string;
      model: string;
      chat(
        request: Omit<ChatRequest, 'model' | 'numCtx' | 'keepAliveMinutes'>,
        signal: AbortSignal,
      ): Promise<ChatTurn>;
    }
  /** `never`: waiting cannot help, the job fails; otherwise it is deferred. */
  | { ok: false; never: boolean; code: string; reason: string; reviveAt: number | null };

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
