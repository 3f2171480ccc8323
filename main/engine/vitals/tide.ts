import type { Interval } from '../../base/store/intervals.ts';
import { clocksAround, DAY_MS, instantsOf, wallAt } from '../../base/zone.ts';
import type { Usual } from '../gates/forecast.ts';
import { usualInWords } from '../gates/forecast.ts';
import { countOf, spanInWords } from '../gates/words.ts';
import { lullsOf, spansOf } from './lulls.ts';
import { clipped, lengthOf, type Span } from './spans.ts';

/** A piece of work in the tide. */
export interface Ran extends Span {
  job: number;
  heavy: boolean;
}

export interface TideInput {
  day: Span;
  now: number;
  presence: readonly Interval[];
  power: readonly Interval[];
  shedOnBattery: boolean;
  /** Work that ran, or runs. */
  ran: readonly Ran[];
  /** Heavy jobs that wait now. */
  waiting: number;
  usual: Usual;
}

/** One local day as it was: the owner's presence, the lulls, and the work in them. Epoch ms. */
export interface Tide {
  from: number;
  to: number;
  present: { from: number; to: number }[];
  lulls: { from: number; to: number }[];
  ran: { job: number; from: number; to: number; heavy: boolean }[];
  /** Heavy jobs that wait now; 0 for a day that is over. */
  waiting: number;
  /** Where the next lull is to be expected; null where nothing is known, or the day is over. */
  next: { from: number; spreadMs: number } | null;
  /** The same in words. */
  text: string;
}

/** Work beyond this is left out of the picture, the oldest first. */
const MOST_RAN = 100;
const MINUTE_MS = 60_000;

/** Pure. What lasts is drawn up to the last whole minute, so that a picture stays the same for it. */
export function tideOf(input: TideInput): Tide {
  const { day, now, usual } = input;
  const end = Math.min(day.until, Math.floor(now / MINUTE_MS) * MINUTE_MS);
  const today = now < day.until;
  const within = (spans: readonly Span[]) => clipped(spans, day.from, Math.max(day.from, end));
  const present = within(spansOf(input.presence, 'here'));
  const lulls = within(lullsOf(input.presence, input.power, input));
  const ran = input.ran
    .filter(({ from, until }) => from < day.until && until > day.from)
    .slice(-MOST_RAN)
    .map(({ job, heavy, from, until }) => {
      const begin = Math.max(from, day.from);
      return { job, heavy, from: begin, to: Math.max(begin, Math.min(until, day.until)) };
    });
  const waiting = today ? input.waiting : 0;
  return {
    from: day.from,
    to: day.until,
    present: present.map(drawn),
    lulls: lulls.map(drawn),
    ran,
    waiting,
    next: today && usual.kind === 'usual' ? { from: usual.at, spreadMs: usual.spreadMs } : null,
    text: inWords({ present, lulls, ran: input.ran.length, waiting, today, usual, now }),
  };
}

function drawn({ from, until }: Span): { from: number; to: number } {
  return { from, to: until };
}

function inWords(said: {
  present: Span[];
  lulls: Span[];
  ran: number;
  waiting: number;
  today: boolean;
  usual: Usual;
  now: number;
}): string {
  const { present, lulls, ran, waiting, today, usual, now } = said;
  const parts = [
    present.length + lulls.length === 0 ? 'nothing is recorded' : null,
    present.length > 0 ? `you were here ${spanInWords(lengthOf(present))}` : null,
    lulls.length > 0 ? `lulls ${spanInWords(lengthOf(lulls))}` : null,
    ran > 0 ? `${countOf(ran, 'piece')} of work ran` : 'no work ran',
    waiting > 0 ? `${countOf(waiting, 'heavy job')} ${waiting === 1 ? 'waits' : 'wait'}` : null,
    today && usual.kind === 'usual' ? `the next lull is ${usualInWords(usual, now)}` : null,
    today && usual.kind === 'no-history' ? 'no history yet of when you leave' : null,
  ];
  const line = parts.filter((part) => part !== null).join('; ');
  return `${today ? 'Today' : 'That day'}: ${line}.`;
}

/** The local day that holds an instant: from its midnight to the next, 23 to 25 hours. */
export function dayAround(zone: string, at: number): Span {
  return dayNumbered(zone, Math.floor(wallAt(zone, at) / DAY_MS));
}

/** The local day of a date such as 2026-05-01; null where there is no such date. */
export function dayOf(zone: string, date: string): Span | null {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  if (!Number.isFinite(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date)
    return null;
  return dayNumbered(zone, midnight / DAY_MS);
}

function dayNumbered(zone: string, day: number): Span {
  return { from: midnight(zone, day), until: midnight(zone, day + 1) };
}

function midnight(zone: string, day: number): number {
  const shown = instantsOf(clocksAround(zone, day), day * DAY_MS);
  return shown.kind === 'twice' ? shown.first : shown.at;
}
