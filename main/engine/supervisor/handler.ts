import type { Clock } from '../../base/clock.ts';
import type { NewDraft } from '../../base/store/drafts.ts';
import type { NewTranscript } from '../../base/store/transcripts.ts';
import type { ChatRequest, ChatTurn } from '../models/server.ts';
import type { Job } from '../queue/job.ts';

/** Why a running job is asked to stop at its next step. */
export type YieldCause =
  | 'cancelled'
  | 'paused'
  | 'quitting'
  | 'returned' // the owner came back
  | 'battery'
  | 'floor'
  | 'low-power'
  | 'heat'
  | 'memory'
  | 'hours' // the owner's hours for heavy work are over
  | 'exclusive-app'
  | 'light-waiting';

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
  /** Estimated by rule A1 unless the server says. */
  chat(
    request: Omit<ChatRequest, 'model' | 'numCtx' | 'keepAliveMinutes' | 'token'>,
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
  /** Commits the resume token of a finished step, fenced by the claim. Throws when the claim is void. */
  checkpoint(token: unknown): void;
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

/** What the supervisor knows of a kind of work. */
export interface Kind {
  readonly name: string;
  readonly run: Handler;
  /** May be queued again after an unclean exit; others are finished failed with a report. */
  readonly idempotent: boolean;
  /** Needs no model: nothing is loaded for it and `model` must not be used. */
  readonly modelFree?: boolean;
}
