import type { Verdict } from './gate.ts';
import { momentInWords, spanInWords } from './words.ts';

/**
 * When a lull usually begins, by the record of past days. `no-history`: the record is younger than a
 * week; `no-habit`: it is not, and the days tell too little or differ too much.
 */
export type Usual =
  | { kind: 'no-history' }
  | { kind: 'no-habit' }
  /** Epoch ms, and how far past days lay from it, ms. */
  | { kind: 'usual'; at: number; spreadMs: number };

/** Verdicts whose end depends on the owner's habits: only a record of past days could tell. */
const BY_HABIT: ReadonlySet<string> = new Set([
  'said-here',
  'remote',
  'call',
  'display-kept-on',
  'battery',
]);

/** Verdicts that end after a while without input, not at a set time. */
const ENDS_BY_IDLING: ReadonlySet<string> = new Set(['active', 'just-woken']);

/** What happens at the moment at which the clock opens a gate. */
const EVENTS: Readonly<Record<string, string>> = {
  pause: 'when the pause ends',
  hours: 'when your hours begin',
};

/**
 * When all these closed verdicts may be open, in words; null when nothing is known. What the clock
 * says is a bound, not a promise: the latest of the moments it alone can bring. Where the owner's
 * coming and going decides, past days say what is usual.
 */
export function forecast(closed: readonly Verdict[], now: number, usual: Usual): string | null {
  if (closed.length === 0) return null;
  const bound = byClock(closed, now);
  if (!isByHabit(closed) || usual.kind === 'no-habit') return bound;
  if (usual.kind === 'no-history') return bound ?? 'no history yet';
  const habit = usualInWords(usual, now);
  return bound === null ? habit : `${habit}; ${bound}`;
}

/** A moment that can be named, and how far from it it may be, ms; 0: the clock alone decides. */
export interface Expected {
  at: number;
  spreadMs: number;
}

/**
 * When all these closed verdicts should be open, as a moment; null where there is none to name. What
 * ends by idling ends when the owner lets it: only past days speak of that.
 */
export function expected(closed: readonly Verdict[], now: number, usual: Usual): Expected | null {
  if (closed.length === 0) return null;
  if (isByHabit(closed)) {
    return usual.kind === 'usual' ? { at: usual.at, spreadMs: usual.spreadMs } : null;
  }
  const ends = closed.map(({ changesAt }) => changesAt);
  if (ends.some((at) => at === null) || closed.some(({ code }) => ENDS_BY_IDLING.has(code))) {
    return null;
  }
  const at = Math.max(...(ends as number[]));
  return at > now ? { at, spreadMs: 0 } : null;
}

function isByHabit(closed: readonly Verdict[]): boolean {
  return closed.every(
    ({ code, changesAt }) => ENDS_BY_IDLING.has(code) || (changesAt === null && BY_HABIT.has(code)),
  );
}

/** `usually from 22:40, ± 25 min`. */
export function usualInWords(
  { at, spreadMs }: Extract<Usual, { kind: 'usual' }>,
  now: number,
): string {
  const begin =
    at - now <= spreadMs / 2 ? 'usually about now' : `usually from ${momentInWords(at, now)}`;
  return `${begin}, ± ${spanInWords(spreadMs)}`;
}

function byClock(closed: readonly Verdict[], now: number): string | null {
  const latest = closed
    .filter((verdict) => verdict.changesAt !== null)
    .reduce<Verdict | null>(
      (last, one) => (last && (last.changesAt ?? 0) >= (one.changesAt ?? 0) ? last : one),
      null,
    );
  if (latest?.changesAt == null) return null;
  const byClockAlone = closed.every((verdict) => verdict.changesAt !== null);
  if (ENDS_BY_IDLING.has(latest.code)) {
    const span = spanInWords(latest.changesAt - now);
    return byClockAlone ? `earliest in ${span}, if you stay away` : `not for another ${span}`;
  }
  const moment = momentInWords(latest.changesAt, now);
  const event = EVENTS[latest.id] ?? 'when your word ends';
  const absence = closed.some((verdict) => ENDS_BY_IDLING.has(verdict.code));
  if (!byClockAlone) return `not before ${moment}, ${event}`;
  return `earliest at ${moment}, ${event}${absence ? ', if you are away then' : ''}`;
}
