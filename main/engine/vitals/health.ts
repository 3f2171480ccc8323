import { spanInWords } from '../gates/words.ts';

/** A job in flight, as far as its health is concerned. */
export interface Pulse {
  job: number;
  title: string;
  /** Milliseconds since it last did something that lasts or shows: a checkpoint, landed rows, words. */
  silentMs: number;
}

export interface HealthInput {
  /** For how long work has been waiting that no gate holds, ms; null where none waits. */
  runnableMs: number | null;
  /** Since anything last began, ended or showed progress, ms. */
  stillMs: number;
  flights: readonly Pulse[];
}

export interface HealthLimits {
  stalledAfterMs: number;
  wedgedAfterMs: number;
}

export interface Health {
  /** Work may run and nothing moves: for how long, ms. */
  stalled: { forMs: number } | null;
  /** Jobs that run and show no progress. */
  wedged: { job: number; title: string; forMs: number }[];
}

export const HEALTHY: Health = { stalled: null, wedged: [] };

/**
 * Whether the host does what it could. A job whose rows keep landing is not wedged, however long it
 * takes, and while one makes progress nothing is stalled though nothing finishes. Pure.
 */
export function healthOf(input: HealthInput, limits: HealthLimits): Health {
  const { runnableMs, stillMs, flights } = input;
  const still = Math.min(runnableMs ?? 0, stillMs);
  return {
    stalled: still >= limits.stalledAfterMs ? { forMs: still } : null,
    wedged: flights
      .filter(({ silentMs }) => silentMs >= limits.wedgedAfterMs)
      .map(({ job, title, silentMs }) => ({ job, title, forMs: silentMs })),
  };
}

/** The one line of a host that is not well; null for one that is. */
export function healthLine({ stalled, wedged }: Health): string | null {
  const [first, ...more] = wedged;
  if (first) {
    const others = more.length > 0 ? `, and ${more.length} more` : '';
    return `No progress for ${minutes(first.forMs)}: ${first.title}${others}`;
  }
  if (!stalled) return null;
  return `Stalled: work may run, and nothing has moved for ${minutes(stalled.forMs)}`;
}

/** Whole minutes: a line that changed each second would be pushed each second. */
function minutes(ms: number): string {
  return spanInWords(Math.floor(ms / 60_000) * 60_000);
}
