import {
  clocksAround,
  DAY_MS,
  instantsOf,
  localZone,
  MINUTE_MS,
  offsetAt,
  type Wall,
  wallAt,
  wallDate,
  wallTime,
} from '../../../base/zone.ts';
import { type CronLine, cronLine } from './cron.ts';
import { droppedBetween, nextAfter, type Rule } from './rule.ts';

/** One occurrence to come, for people. */
export interface Occurrence {
  /** Epoch milliseconds. */
  at: number;
  /** Weekday, date and time on the wall of the rule's zone (an interval: of this machine's zone). */
  local: string;
  /** What is unusual about it: clocks change, or a day before it was left out; else null. */
  note: string | null;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The next `count` occurrences after `from` (epoch ms). `zone` is where an interval is shown. */
export function preview(rule: Rule, from: number, count: number, zone = localZone()): Occurrence[] {
  const place = rule.kind === 'cron' ? rule.zone : zone;
  const shown: Occurrence[] = [];
  let previous = from;
  while (shown.length < count) {
    const at = nextAfter(rule, previous);
    if (at === null) break;
    const wall = wallAt(place, at);
    const notes =
      rule.kind === 'cron'
        ? cronNotes(rule, previous, at)
        : shown.length > 0 && offsetAt(place, at) !== offsetAt(place, previous)
          ? ['the clocks change before it; the interval keeps its length']
          : [];
    shown.push({ at, local: wallText(wall), note: notes.length > 0 ? notes.join('; ') : null });
    previous = at;
  }
  return shown;
}

function wallText(wall: Wall): string {
  return `${WEEKDAYS[new Date(wall).getUTCDay()]} ${wallDate(wall)} ${wallTime(wall)}`;
}

function cronNotes(rule: Extract<Rule, { kind: 'cron' }>, previous: number, at: number): string[] {
  const line = cronLine(rule.expression);
  const wall = wallAt(rule.zone, at);
  const notes = droppedBetween(rule, previous, at).map(
    ({ date, count }) =>
      `${date} does not exist in ${rule.zone}: ${count === 1 ? 'one run' : `${count} runs`} dropped`,
  );
  const skipped = skippedBefore(line, rule.zone, at);
  if (skipped.length > 0) {
    const [first, last] = [skipped[0], skipped.at(-1)].map((time) => wallTime(time as Wall));
    const times = first === last ? `${first} does` : `${first} to ${last} do`;
    notes.push(`clocks go forward: ${times} not exist, runs at ${wallTime(wall)}`);
  }
  const shown = instantsOf(clocksAround(rule.zone, Math.floor(wall / DAY_MS)), wall);
  if (shown.kind === 'twice') {
    const which = line.everyHour
      ? `runs both times, this is the ${at === shown.first ? 'first' : 'second'}`
      : 'runs the first time only';
    notes.push(`clocks go back: ${wallTime(wall)} comes twice, ${which}`);
  }
  return notes;
}

/** The rule's own times in a gap that ends at `at`; none where a whole day is left out. */
function skippedBefore(line: CronLine, zone: string, at: number): Wall[] {
  const from = at + offsetAt(zone, at - 1);
  const to = at + offsetAt(zone, at);
  if (to <= from || to - from >= DAY_MS) return [];
  const skipped: Wall[] = [];
  const start = Math.ceil(from / MINUTE_MS) * MINUTE_MS;
  for (let wall = start; wall < to; wall += MINUTE_MS) {
    const day = Math.floor(wall / DAY_MS);
    const minute = (wall - day * DAY_MS) / MINUTE_MS;
    if (line.minutes.includes(minute) && line.nextDay(day - 1) === day) skipped.push(wall);
  }
  return skipped;
}
