import { clocksAround, DAY_MS, instantsOf, wallAt } from '../../base/zone.ts';
import type { Usual } from '../gates/forecast.ts';
import { merged, type Span } from './spans.ts';

/** The days that are looked back on, and from how old a record on it speaks of habits. */
const DAYS_BACK = 14;
const FIRST_WEEK_MS = 7 * DAY_MS;
/** A shorter absence is no lull to wait for. */
const LEAST_LULL_MS = 15 * 60_000;
/** Fewer days, or days that differ by more, are no habit. */
const LEAST_DAYS = 3;
const WIDEST_MS = 4 * 3_600_000;
const STEP_MS = 5 * 60_000;
/** The machine may sleep for so long within a day that counts. */
const BRIDGED_MS = 3_600_000;

export interface UsualInput {
  now: number;
  /** The owner's time zone, IANA. */
  zone: string;
  /** When the record begins; null where there is none. */
  recordedFrom: number | null;
  /** Lulls of the last two weeks, merged. */
  lulls: readonly Span[];
  /** When the machine was looked at in that time: what lies outside is unknown. */
  seen: readonly Span[];
}

/**
 * When the next lull usually begins. Each of the last 14 days of the same kind (weekday or weekend)
 * is asked, from the present time of day on, how long it took until a lull began; the median of these
 * is the forecast, and the median of the distances from it the spread ("median absolute deviation"),
 * both to five minutes. A day counts only where the machine was looked at until then, but for short sleeps.
 * Pure.
 */
export function usualLull({ now, zone, recordedFrom, lulls, seen }: UsualInput): Usual {
  if (recordedFrom === null || now - recordedFrom < FIRST_WEEK_MS) return { kind: 'no-history' };
  const wall = wallAt(zone, now);
  const today = Math.floor(wall / DAY_MS);
  const long = lulls.filter(({ from, until }) => until - from >= LEAST_LULL_MS);
  const watched = merged(seen.map(({ from, until }) => ({ from, until: until + BRIDGED_MS })));
  const waits: number[] = [];
  for (let day = today - DAYS_BACK; day < today; day++) {
    if (isWeekend(day) !== isWeekend(today)) continue;
    const wait = waitFrom(instantAt(zone, wall + (day - today) * DAY_MS), long, watched);
    if (wait !== null) waits.push(wait);
  }
  if (waits.length < LEAST_DAYS) return { kind: 'no-habit' };
  const wait = median(waits);
  const spread = median(waits.map((one) => Math.abs(one - wait)));
  if (spread > WIDEST_MS) return { kind: 'no-habit' };
  return {
    kind: 'usual',
    at: Math.round((now + wait) / STEP_MS) * STEP_MS,
    spreadMs: Math.max(STEP_MS, Math.round(spread / STEP_MS) * STEP_MS),
  };
}

/** How long after a moment the next lull began, within a day; null where nobody knows. */
function waitFrom(at: number, lulls: readonly Span[], watched: readonly Span[]): number | null {
  const next = lulls.find(({ until }) => until > at);
  if (!next || next.from - at > DAY_MS) return null;
  const begin = Math.max(at, next.from);
  return watched.some(({ from, until }) => from <= at && until >= begin) ? begin - at : null;
}

function instantAt(zone: string, wall: number): number {
  const shown = instantsOf(clocksAround(zone, Math.floor(wall / DAY_MS)), wall);
  return shown.kind === 'twice' ? shown.first : shown.at;
}

/** Of a day counted from 1970-01-01, which was a Thursday. */
function isWeekend(day: number): boolean {
  const weekday = (day + 4) % 7;
  return weekday === 0 || weekday === 6;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}
