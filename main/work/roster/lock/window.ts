import type { Cadence } from '../repository/cadence.ts';

const DAY_MS = 86_400_000;

/** The UTC date of a moment, `YYYY-MM-DD`. */
export function utcDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The ISO 8601 week of a UTC date, `YYYY-Www`: the one its Thursday lies in. */
export function isoWeek(date: string): string {
  const midnight = midnightOf(date);
  const thursday = midnight + (4 - weekday(midnight)) * DAY_MS;
  const year = utcDate(thursday).slice(0, 4);
  const days = (thursday - midnightOf(`${year}-01-01`)) / DAY_MS;
  return `${year}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`;
}

/** The window an agent runs once in: the UTC day, or the ISO week. */
export function windowOf(cadence: Cadence, date: string): string {
  return cadence === 'daily' ? date : isoWeek(date);
}

/** No look goes further back. */
const MOST_DATES = 15;

/**
 * The dates whose locks decide at a moment: those of the window so far, since a weekly lock carries the
 * date of its day; and the day before the window, for a run may have crossed midnight. With `since`, the
 * date of a claim, those of its window too.
 */
export function datesThatCount(cadence: Cadence, ms: number, since?: string): string[] {
  const today = midnightOf(utcDate(ms));
  const anchor = Math.min(today, since === undefined ? today : midnightOf(since));
  const first = anchor - (cadence === 'daily' ? 1 : weekday(anchor)) * DAY_MS;
  const count = Math.round((today - first) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => utcDate(first + index * DAY_MS)).slice(
    -MOST_DATES,
  );
}

function midnightOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** 1 for Monday to 7 for Sunday. */
function weekday(ms: number): number {
  return new Date(ms).getUTCDay() || 7;
}
