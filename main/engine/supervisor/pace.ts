import type { Progress } from './handler.ts';

/** A run's first word on how far it is, and its latest; times are epoch ms. */
export interface Pace {
  readonly first: { readonly done: number; readonly at: number };
  readonly latest: { readonly done: number; readonly total: number | null; readonly at: number };
}

/** The pace with one more word; what was done before this run began does not count for its speed. */
export function paceAfter(before: Pace | null, { done, total }: Progress, at: number): Pace {
  return { first: before?.first ?? { done, at }, latest: { done, total, at } };
}

/** Milliseconds that are left at this pace, as of its latest word; null where nobody can tell. Pure. */
export function timeLeft({ first, latest }: Pace): number | null {
  const { total } = latest;
  const steps = latest.done - first.done;
  if (total === null || steps <= 0 || latest.at <= first.at) return null;
  return Math.round((Math.max(0, total - latest.done) * (latest.at - first.at)) / steps);
}
