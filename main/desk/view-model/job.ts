import type { Tier } from '../../base/config-schema.ts';
import type { JobState } from '../../base/store/job-states.ts';
import type { Expected } from '../../engine/gates/forecast.ts';
import type { Why } from '../../engine/gates/why.ts';
import type { Job } from '../../engine/queue/job.ts';
import type { Progress } from '../../engine/supervisor/handler.ts';
import { manyLines, oneLine } from './text.ts';

const PROMPT_LENGTH = 20_000;
const RESULT_LENGTH = 20_000;

export interface JobRow {
  id: number;
  kind: string;
  title: string;
  tier: Tier;
  state: JobState;
  priority: number;
  attempts: number;
  source: string | null;
  session: string | null;
  subject: string | null;
  reason: string | null;
  coalesced: number;
  progress: Progress | null;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  expiresAt: number | null;
}

export type WaitingRow = JobRow & {
  code: string;
  why: string;
  forecast: string | null;
  expectedAt: number | null;
  spreadMs: number | null;
};

export type RunningRow = JobRow & { leftMs: number | null };

export interface JobDetail extends JobRow {
  prompt: string | null;
  result: string | null;
  error: string | null;
  retryOf: number | null;
  draft: number | null;
  events: Array<{ at: number; kind: string; payload: unknown }>;
}

/** A job in a list. `why` is for one that waits; one that ended says why by itself. */
export function jobRow(
  job: Job,
  { progress = null, why = null }: { progress?: Progress | null; why?: Why | null } = {},
): JobRow {
  return {
    id: job.id,
    kind: oneLine(job.kind, 100),
    title: oneLine(job.title) || 'Untitled',
    tier: job.tier,
    state: job.state,
    priority: job.priority,
    attempts: job.attempts,
    source: shown(job.source),
    session: shown(job.session),
    subject: shown(job.subject),
    reason: shown(reasonOf(job, why), 1000),
    coalesced: job.coalesced,
    progress: job.state === 'running' && progress ? shownProgress(progress) : null,
    createdAt: job.createdAt,
    startedAt: job.startedAt,
    finishedAt: job.finishedAt,
    expiresAt: job.expiresAt,
  };
}

export function waitingRow(job: Job, why: Why, expected: Expected | null): WaitingRow {
  return {
    ...jobRow(job, { why }),
    code: why.code,
    why: oneLine(why.reason, 1000),
    forecast: shown(why.forecast),
    expectedAt: expected?.at ?? null,
    spreadMs: expected?.spreadMs ?? null,
  };
}

/** One job with all that is known of it. `prompt` is what it was asked, where its kind has that. */
export function jobDetail(
  job: Job,
  more: {
    prompt: string | null;
    draft: number | null;
    events: Array<{ at: number; kind: string; payload: unknown }>;
    progress?: Progress | null;
    why?: Why | null;
  },
): JobDetail {
  return {
    ...jobRow(job, more),
    prompt: more.prompt === null ? null : manyLines(more.prompt, PROMPT_LENGTH),
    result: job.result === null ? null : manyLines(job.result, RESULT_LENGTH),
    error: shown(job.error, 1000),
    retryOf: job.retryOf,
    draft: more.draft,
    events: more.events,
  };
}

function reasonOf(job: Job, why: Why | null): string | null {
  if (job.state === 'queued' || job.state === 'deferred') return why?.reason ?? job.reason;
  if (job.state === 'running') return job.cancelAskedAt === null ? null : 'Stops at its next step.';
  return job.error ?? job.reason;
}

function shownProgress({ done, total, unit }: Progress): Progress {
  return { done, total, unit: oneLine(unit, 40) };
}

function shown(text: string | null, most?: number): string | null {
  return text === null ? null : oneLine(text, most) || null;
}
