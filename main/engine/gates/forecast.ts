import type { Verdict } from './gate.ts';
import { momentInWords, spanInWords } from './words.ts';

/** Verdicts whose end depends on the owner's habits: only a record of past days could tell. */
const NEEDS_HISTORY: ReadonlySet<string> = new Set([
  'said-here',
  'remote',
  'call',
  'display-kept-on',
]);

/** Verdicts that end after a while without input, not at a set time. */
const ENDS_BY_IDLING: ReadonlySet<string> = new Set(['active', 'just-woken']);

/**
 * When all these closed verdicts may be open, in words; null when nothing is known. It is a bound,
 * not a promise: the latest of the moments the clock alone can bring.
 */
export function forecast(closed: readonly Verdict[], now: number): string | null {
  const latest = closed
    .filter((verdict) => verdict.changesAt !== null)
    .reduce<Verdict | null>(
      (last, one) => (last && (last.changesAt ?? 0) >= (one.changesAt ?? 0) ? last : one),
      null,
    );
  if (latest?.changesAt == null) {
    const habits = closed.length > 0 && closed.every((verdict) => NEEDS_HISTORY.has(verdict.code));
    return habits ? 'no history yet' : null;
  }
  const byClockAlone = closed.every((verdict) => verdict.changesAt !== null);
  if (ENDS_BY_IDLING.has(latest.code)) {
    const span = spanInWords(latest.changesAt - now);
    return byClockAlone ? `earliest in ${span}, if you stay away` : `not for another ${span}`;
  }
  const moment = momentInWords(latest.changesAt, now);
  const event = latest.id === 'pause' ? 'when the pause ends' : 'when your word ends';
  const absence = closed.some((verdict) => ENDS_BY_IDLING.has(verdict.code));
  if (!byClockAlone) return `not before ${moment}, ${event}`;
  return `earliest at ${moment}, ${event}${absence ? ', if you are away then' : ''}`;
}
