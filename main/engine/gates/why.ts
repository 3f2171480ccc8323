import type { Job } from '../queue/job.ts';
import { type Expected, expected, forecast, type Usual } from './forecast.ts';
import { type GateInput, holds, type Verdict } from './gate.ts';
import { countOf, listed, momentInWords } from './words.ts';

/** Why a job waits: a stable code, one plain sentence, and when it may run (null: nothing is known). */
export interface Why {
  code: string;
  reason: string;
  forecast: string | null;
}

/** What the gates said about one snapshot. */
export interface Look {
  input: GateInput;
  verdicts: readonly Verdict[];
  /** When a lull usually begins. */
  usual: Usual;
}

/** Where a waiting job stands among the others. */
export interface Place {
  /** Jobs that would be started before it, were it their turn now. */
  ahead: number;
  /** A running job of the same session, which must finish first; null when there is none. */
  sessionBusyWith: string | null;
  /** The title of the job that runs where this one would; null when that place is free. */
  running: string | null;
}

/**
 * Explains every waiting job. `waiting` is in the order in which the queue would give them out, and
 * `running` is what runs now; only jobs that could start count as being ahead of others.
 */
export function explainWaiting(
  waiting: readonly Job[],
  running: readonly Job[],
  look: Look,
): Array<Why & { job: number }> {
  const ahead = { pinned: 0, worker: 0 };
  return waiting.map((job) => {
    const lane = laneOf(job);
    const busy = running.find((one) => one.session !== null && one.session === job.session);
    const place: Place = {
      ahead: ahead[lane],
      sessionBusyWith: busy?.title ?? null,
      running: running.find((one) => laneOf(one) === lane)?.title ?? null,
    };
    if (job.state === 'queued' && !busy && heldBy(job, look).length === 0) ahead[lane] += 1;
    return { job: job.id, ...why(job, place, look) };
  });
}

/** Explains one waiting job. Pure: the same snapshot and place give the same words. */
export function why(job: Job, place: Place, look: Look): Why {
  const { now } = look.input;
  const held = heldBy(job, look);
  if (job.state === 'deferred' && job.notBefore !== null && job.notBefore > now) {
    const moment = momentInWords(job.notBefore, now);
    return withEnd(job, now, {
      code: 'not-before',
      reason: `You asked for it not before ${moment}.`,
      forecast: `earliest at ${moment}`,
    });
  }
  if (job.state === 'deferred') return withEnd(job, now, deferral(job, now));
  const [first, ...others] = held;
  if (first) {
    const also = others.map((verdict) => verdict.waitsFor).filter((words) => words !== null);
    return withEnd(job, now, {
      code: first.code,
      reason: also.length > 0 ? `${first.reason} Also waits for ${listed(also)}.` : first.reason,
      forecast: forecast(held, now, look.usual),
    });
  }
  return withEnd(job, now, { ...inLine(job, place, look), forecast: null });
}

/** When a waiting job should start, as a moment; null where there is none to name. Pure. */
export function expectedStart(job: Job, look: Look): Expected | null {
  const { now } = look.input;
  if (job.state !== 'deferred') return expected(heldBy(job, look), now, look.usual);
  const at = Math.max(job.notBefore ?? 0, job.reviveAt ?? 0);
  return at > now ? { at, spreadMs: 0 } : null;
}

function deferral(job: Job, now: number): Why {
  return {
    code: job.reasonCode ?? 'deferred',
    reason: job.reason ?? 'Put off until conditions change.',
    forecast:
      job.reviveAt !== null && job.reviveAt > now
        ? `tried again at ${momentInWords(job.reviveAt, now)}`
        : null,
  };
}

function inLine(job: Job, place: Place, look: Look): { code: string; reason: string } {
  const { ahead, sessionBusyWith, running } = place;
  if (sessionBusyWith !== null) {
    return {
      code: 'session-busy',
      reason: `"${sessionBusyWith}" of the same session has to finish first.`,
    };
  }
  if (ahead > 0) return { code: 'behind', reason: `After ${countOf(ahead, 'other')}.` };
  const model = look.verdicts.find((one) => one.id === 'model');
  if (model && holds(model, job, look.input.inFlight)) {
    return { code: model.code, reason: `${model.reason} This one is next in line.` };
  }
  return {
    code: 'next',
    reason: running === null ? 'Next in line.' : `Next in line, after "${running}".`,
  };
}

/** The gates that keep a job waiting; what runs now is a matter of its place in the line. */
function heldBy(job: Job, { input, verdicts }: Look): Verdict[] {
  return verdicts.filter(
    (verdict) => verdict.id !== 'model' && holds(verdict, job, input.inFlight),
  );
}

/** The lanes are told apart because the pinned model answers while the worker model is busy. */
function laneOf(job: Job): 'pinned' | 'worker' {
  return job.tier === 'pinned' ? 'pinned' : 'worker';
}

function withEnd(job: Job, now: number, said: Why): Why {
  if (job.expiresAt === null) return said;
  const end = `missed if it has not started by ${momentInWords(job.expiresAt, now)}`;
  return { ...said, forecast: said.forecast === null ? end : `${said.forecast}; ${end}` };
}
