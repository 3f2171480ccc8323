import {
  clocksAround,
  DAY_MS,
  instantsOf,
  MINUTE_MS,
  wallAt,
  wallDate,
} from '../../../base/zone.ts';
import { type CronLine, cronLine } from './cron.ts';

/**
 * A cron line in a zone, by the calendar on the wall. A local time that the clocks skip runs once, at
 * the first instant after the gap; one that comes twice runs the first time only, unless the hour
 * field is a wildcard, then both; a day that the zone left out is dropped, and counted as such.
 */
export interface Calendar {
  /** The first occurrence strictly after an instant (epoch ms), or null when there is none. */
  nextAfter(instant: number): number | null;
  /** How many occurrences lie in (after, until]. */
  count(after: number, until: number): number;
  /** The newest occurrences in (after, until], `atMost` of them, oldest first. */
  newest(after: number, until: number, atMost: number): number[];
  /** The days with occurrences that the zone left out, at an instant in (after, until]. */
  dropped(after: number, until: number): DroppedDay[];
}

/** A local day that never was, as when a zone crosses the date line. */
export interface DroppedDay {
  /** For example 2011-12-30. */
  date: string;
  /** The instant at which it was left out. */
  at: number;
  /** How many occurrences it would have had. */
  count: number;
}

/** What one local day holds. */
interface DayPlan {
  /** Instants of its occurrences, ascending, each once. */
  at: number[];
  /** The clocks change near this day, so its instants may mix with those of its neighbours. */
  mixed: boolean;
  /** Set where the day itself was left out. */
  dropped: DroppedDay | null;
}

export function calendar(expression: string, zone: string): Calendar {
  const line = cronLine(expression);

  /** The matching days that can hold an instant in [from, to]; one more on either side. */
  function* days(from: number, to: number): Generator<DayPlan> {
    const last = dayOf(zone, to) + 1;
    let day = line.nextDay(dayOf(zone, from) - 2);
    for (; day !== null && day <= last; day = line.nextDay(day)) yield planDay(line, zone, day);
  }

  return {
    nextAfter(instant) {
      let best: number | null = null;
      let lastDay = Number.POSITIVE_INFINITY;
      let day = line.nextDay(dayOf(zone, instant) - 2);
      for (; day !== null && day <= lastDay; day = line.nextDay(day)) {
        const found = planDay(line, zone, day).at.find((at) => at > instant);
        if (found === undefined || (best !== null && found >= best)) continue;
        best = found;
        // A neighbour of the day found may hold an earlier one, where clocks change at midnight.
        lastDay = Math.min(lastDay, day + 1);
      }
      return best;
    },
    count(after, until) {
      let count = 0;
      const mixed = new Set<number>();
      for (const day of days(after, until)) {
        const inside = within(day.at, after, until);
        if (!day.mixed) count += inside.length;
        else for (const at of inside) mixed.add(at);
      }
      return count + mixed.size;
    },
    newest(after, until, atMost) {
      const plans = [...days(after, until)];
      const found = new Set<number>();
      // Two days further than needed: instants of neighbours may be mixed.
      for (let spare = 2; plans.length > 0 && spare > 0; ) {
        for (const at of within((plans.pop() as DayPlan).at, after, until)) found.add(at);
        if (found.size >= atMost) spare -= 1;
      }
      return [...found].sort((a, b) => a - b).slice(-atMost);
    },
    dropped(after, until) {
      return [...days(after, until)]
        .map((day) => day.dropped)
        .filter((day) => day !== null)
        .filter(({ at }) => at > after && at <= until);
    },
  };
}

function dayOf(zone: string, instant: number): number {
  return Math.floor(wallAt(zone, instant) / DAY_MS);
}

function within(at: number[], after: number, until: number): number[] {
  if (at.length === 0 || (at[0] as number) > until || (at.at(-1) as number) <= after) return [];
  if ((at[0] as number) > after && (at.at(-1) as number) <= until) return at;
  return at.filter((instant) => instant > after && instant <= until);
}

function planDay(line: CronLine, zone: string, day: number): DayPlan {
  const midnight = day * DAY_MS;
  const clocks = clocksAround(zone, day);
  if (clocks.before === clocks.after) {
    const start = midnight - clocks.before;
    const at = line.minutes.map((minute) => start + minute * MINUTE_MS);
    return { at, mixed: false, dropped: null };
  }
  const at = new Set<number>();
  let dropped: DayPlan['dropped'] = null;
  for (const minute of line.minutes) {
    const shown = instantsOf(clocks, midnight + minute * MINUTE_MS);
    if (shown.kind === 'once') at.add(shown.at);
    else if (shown.kind === 'twice') {
      at.add(shown.first);
      if (line.everyHour) at.add(shown.second);
    } else if (shown.from <= midnight && shown.to >= midnight + DAY_MS) {
      dropped = { date: wallDate(midnight), at: shown.at, count: line.minutes.length };
    } else at.add(shown.at);
  }
  return { at: [...at].sort((a, b) => a - b), mixed: true, dropped };
}
