import { DAYS, type WeeklyHours } from '../../base/hours-schema.ts';
import { clocksAround, DAY_MS, instantsOf, localZone, wallAt } from '../../base/zone.ts';
import { type GateInput, opened, type Verdict } from './gate.ts';
import { momentInWords } from './words.ts';

/** Whether hours hold at a moment, and when the clock alone changes that (null: never). */
export interface Standing {
  open: boolean;
  /** Epoch ms. */
  changesAt: number | null;
}

/** The owner's hours for heavy work. */
export function hoursGate({ config, now }: GateInput): Verdict {
  const { heavy } = config.hours;
  if (heavy === null) return opened('hours', 'no-hours', 'Heavy work may run at any hour.');
  const { open, changesAt } = standing(heavy, now);
  const moment = changesAt === null ? null : momentInWords(changesAt, now);
  if (open) {
    const until = moment === null ? '' : `, until ${moment}`;
    return opened('hours', 'within-hours', `Within your hours for heavy work${until}.`, changesAt);
  }
  const begin = moment === null ? 'there are none ahead' : `they begin at ${moment}`;
  return {
    id: 'hours',
    open: false,
    blocks: 'heavy',
    code: 'outside-hours',
    reason: `Outside your hours for heavy work: ${begin}.`,
    waitsFor: 'your hours for heavy work',
    waivedBy: 'hours',
    changesAt,
  };
}

/** How far ahead is looked: over a week, and over a day that a zone leaves out. */
const DAYS_AHEAD = 9;

/**
 * Where `now` stands in hours that are given by the wall clock. Each span begins on its own day; a time
 * that the clocks skip is the first instant after the gap, one that comes twice is the first of the
 * two, as with schedules. Spans that touch are one.
 */
export function standing(hours: readonly WeeklyHours[], now: number, ownZone?: string): Standing {
  let last = Number.NEGATIVE_INFINITY;
  let seenTo = Number.POSITIVE_INFINITY;
  let begun = false;
  const spans: { from: number; to: number }[] = [];
  for (const one of hours) {
    const zone = one.zone ?? ownZone ?? localZone();
    const today = Math.floor(wallAt(zone, now) / DAY_MS);
    seenTo = Math.min(seenTo, instant(zone, (today + DAYS_AHEAD) * DAY_MS));
    for (let day = today - 2; day < today + DAYS_AHEAD; day++) {
      if (one.days.includes(dayOfWeek(day))) spans.push(spanOf(one, zone, day));
    }
  }
  for (const { from, to } of spans.sort((a, b) => a.from - b.from)) {
    if (to <= from) continue;
    if (begun && from > last) return { open: true, changesAt: last };
    if (from > now && !begun) return { open: false, changesAt: from };
    if (to > now) begun = true;
    last = Math.max(last, to);
  }
  if (!begun) return { open: false, changesAt: null };
  return { open: true, changesAt: last >= seenTo ? null : last };
}

function spanOf(
  { from, to }: WeeklyHours,
  zone: string,
  day: number,
): { from: number; to: number } {
  const begin = minutesOf(from);
  const end = minutesOf(to);
  const wall = (minutes: number) => day * DAY_MS + minutes * 60_000;
  return {
    from: instant(zone, wall(begin)),
    to: instant(zone, wall(end > begin ? end : end + 1440)),
  };
}

/** The first instant that shows a wall time, or the first after the gap that skips it. */
function instant(zone: string, wall: number): number {
  const shown = instantsOf(clocksAround(zone, Math.floor(wall / DAY_MS)), wall);
  return shown.kind === 'twice' ? shown.first : shown.at;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** Of a day counted from 1970-01-01, which was a Thursday. */
function dayOfWeek(day: number): (typeof DAYS)[number] {
  return DAYS[(((day + 4) % 7) + 7) % 7] as (typeof DAYS)[number];
}
