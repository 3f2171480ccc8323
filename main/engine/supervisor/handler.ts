import type { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { NewDraft } from '../../base/store/drafts.ts';
import type { NewTranscript } from '../../base/store/transcripts.ts';
import type { ChatRequest, ChatTurn } from '../models/server.ts';
import type { Job } from '../queue/job.ts';
import type { Shelves } from '../workers/shelves.ts';

/** Why a running job is asked to stop at its next step. */
export const YIELD_CAUSES = [
  'cancelled',
  'paused',
  'quitting',
  'returned', // the owner came back
  'battery',
  'floor',
  'low-power',
  'heat',
  'memory',
  'hours', // the owner's hours for heavy work are over
  'exclusive-app',
  'light-waiting',
] as const;
export type YieldCause = (typeof YIELD_CAUSES)[number];

export interface Progress {
  done: number;
  /** Null when the end is not known. */
  total: number | null;
  /** What is counted, for example `files`. */
  unit: string;
}

/** A model as a handler sees it: already loaded; every call carries the job's window. */
export interface ModelHandle {
  /** The server's label and the model's name, as drafts show it. */
  readonly label: string;
  readonly model: string;
  readonly numCtx: number;
  /** One call; it is cut by the end of the run, and by `signal`. Estimated by rule A1 unless the server says. */
  chat(
    request: Omit<ChatRequest, 'model' | 'numCtx' | 'keepAliveMinutes' | 'token'>,
    signal?: AbortSignal,
  ): Promise<ChatTurn>;
}

/** What a handler is given. It holds no store: it returns what is to be landed. */
export interface RunContext {
  readonly job: Job;
  readonly clock: Clock;
  readonly model: ModelHandle;
  /** Aborted when the grace is over; a handler that ignores it is abandoned. */
  readonly signal: AbortSignal;
  /** Asked at each step boundary: null = go on, a cause = return `yielded` now. */
  shouldYield(): YieldCause | null;
  /**
   * Commits the resume token of a finished step, fenced by the claim, and lands the rows of its batch
   * in the same transaction. Throws when the claim is void.
   */
  checkpoint(token: unknown, rows?: readonly unknown[]): void | Promise<void>;
  progress(progress: Progress): void;
}

/** What a finished run leaves, landed with its completion in one transaction. */
export interface Landing {
  /** One line for lists. */
  result: string;
  transcript?: Omit<NewTranscript, 'job' | 'claimNo' | 'at'>;
  draft?: Omit<NewDraft, 'job' | 'createdAt'>;
  /** What the session remembers of this turn. */
  remember?: { prompt: string; result: string };
}

/** The closed set of ways a run can end; throws, exits and time-outs are translated to these in outcome.ts. */
export type Outcome =
  | { kind: 'done'; landing: Landing }
  | { kind: 'failed'; error: string; landing?: Landing }
  | { kind: 'retry'; error: string; afterMs: number }
  | { kind: 'deferred'; code: string; reason: string; reviveAt: number | null }
  | { kind: 'yielded'; cause: YieldCause };

export type Handler = (context: RunContext) => Promise<Outcome>;

/** How the rows of a batch are stored: the half of a kind that has the database. */
export interface Batches {
  readonly row: z.ZodType;
  /** Runs inside the transaction of the step's checkpoint. */
  land(job: Job, rows: readonly unknown[]): void;
}

/** What the supervisor knows of a kind of work. */
export interface Kind {
  readonly name: string;
  readonly run: Handler;
  /** May be queued again after an unclean exit; others are finished failed with a report. */
  readonly idempotent: boolean;
  /** Needs no model: nothing is loaded for it and `model` must not be used. */
  readonly modelFree?: boolean;
  /** For a kind whose steps leave rows. */
  readonly batches?: Batches;
  /** What a finished run may leave, checked where a worker process says it. */
  readonly landing?: z.ZodType;
  /** What one job of this kind may read of the store from a worker process. */
  readonly shelves?: (job: Job) => Shelves;
}
