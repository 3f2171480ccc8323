import { type Calendar, calendar, type DroppedDay } from './calendar.ts';

/** When a schedule falls due. */
export type Rule =
  /** Every so many seconds, anchored at `first` (epoch ms): late passes never shift it. */
  | { kind: 'interval'; everySeconds: number; first: number }
  /** Five cron fields on the wall clock of an IANA zone. */
  | { kind: 'cron'; expression: string; zone: string };

/** The last instant a date can hold; no occurrence lies after it. */
export const LAST_INSTANT = 8_640_000_000_000_000;

/** The first occurrence strictly after an instant (epoch ms), or null when there is none. */
export function nextAfter(rule: Rule, instant: number): number | null {
  const next = timesOf(rule).nextAfter(instant);
  if (next !== null && next <= instant) {
    throw new Error(`the occurrence after ${instant} came out as ${next}`);
  }
  return next;
}

/** How many occurrences lie in (after, until]; costs the same for one as for a billion. */
export function countBetween(rule: Rule, after: number, until: number): number {
  return after < until ? timesOf(rule).count(after, until) : 0;
}

/** The newest occurrences in (after, until], `atMost` of them, oldest first. */
export function occurrencesBetween(
  rule: Rule,
  after: number,
  until: number,
  atMost: number,
): number[] {
  return after < until ? timesOf(rule).newest(after, until, atMost) : [];
}

/** Days with occurrences that the rule's zone left out in (after, until]: those never were. */
export function droppedBetween(rule: Rule, after: number, until: number): DroppedDay[] {
  return after < until ? timesOf(rule).dropped(after, until) : [];
}

function timesOf(rule: Rule): Calendar {
  return rule.kind === 'interval'
    ? interval(rule.everySeconds * 1000, rule.first)
    : calendar(rule.expression, rule.zone);
}

/** The n-th occurrence is first + n·step, n from 0. */
function interval(step: number, first: number): Calendar {
  const last = (instant: number) => Math.max(-1, Math.floor((instant - first) / step));
  return {
    nextAfter(instant) {
      const next = first + (last(instant) + 1) * step;
      return next <= LAST_INSTANT ? next : null;
    },
    count: (after, until) => last(until) - last(after),
    newest(after, until, atMost) {
      const count = Math.min(atMost, last(until) - last(after));
      return Array.from({ length: count }, (_, i) => first + (last(until) - count + 1 + i) * step);
    },
    dropped: () => [],
  };
}
