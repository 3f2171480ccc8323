import { nearest } from './suggest.ts';

export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;

/**
 * A wall time: what a clock on the wall of a zone shows, as the milliseconds of that date and time
 * read as if they were UTC. An instant (epoch ms) and a wall time are never compared.
 */
export type Wall = number;

/** Which instants show a wall time: one, two on the night clocks go back, none when they skip it. */
export type Shown =
  | { kind: 'once'; at: number }
  | { kind: 'twice'; first: number; second: number }
  /** `at` is the first instant after the gap; the wall times from `from` up to `to` are skipped. */
  | { kind: 'never'; at: number; from: Wall; to: Wall };

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formats.set(zone, format);
  }
  return format;
}

/** Milliseconds that the zone's clocks are ahead of UTC at an instant. */
export function offsetAt(zone: string, instant: number): number {
  const text = formatOf(zone).format(instant);
  const found = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  if (!found) throw new Error(`no offset of ${zone} in "${text}"`);
  const [, sign, hours, minutes, seconds] = found;
  if (!sign) return 0;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0);
  return (sign === '-' ? -size : size) * 1000;
}

/** The wall time a zone's clocks show at an instant. */
export function wallAt(zone: string, instant: number): Wall {
  return instant + offsetAt(zone, instant);
}

/** The clocks of a zone around one local day: one offset, or two and the instant of the change. */
export interface DayClocks {
  /** Offset in ms until `at`, and from then on; the same where nothing changes. */
  before: number;
  after: number;
  /** The first instant of the second offset; infinite where nothing changes. */
  at: number;
}

const clocks = new Map<string, DayClocks>();
const KEPT_CLOCKS = 2_000;

/**
 * The zone's clocks around a local day (days since 1970-01-01), from a day before it to a day after,
 * so that any instant of that day is covered. Zones change their offset once in that time at most.
 */
export function clocksAround(zone: string, day: number): DayClocks {
  const key = `${zone} ${day}`;
  const known = clocks.get(key);
  if (known) return known;
  const from = (day - 1) * DAY_MS;
  const to = (day + 2) * DAY_MS;
  const before = offsetAt(zone, from);
  const after = offsetAt(zone, to);
  const at = before === after ? Number.POSITIVE_INFINITY : changeBetween(zone, from, to);
  const found = { before, after, at };
  if (clocks.size >= KEPT_CLOCKS) clocks.clear();
  clocks.set(key, found);
  return found;
}

/** Finds the instants that show a wall time of the day that `clocks` are around. */
export function instantsOf(clocks: DayClocks, wall: Wall): Shown {
  const { before, after, at } = clocks;
  const first = wall - before;
  const second = wall - after;
  if (first < at)
    return second < at ? { kind: 'once', at: first } : { kind: 'twice', first, second };
  if (second >= at) return { kind: 'once', at: second };
  return { kind: 'never', at, from: at + before, to: at + after };
}

/** The first instant after `from` at which its offset no longer holds; it must not hold at `to`. */
function changeBetween(zone: string, from: number, to: number): number {
  const offset = offsetAt(zone, from);
  let low = from;
  let high = to;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}

/** Whether this is the name of a time zone, as in the IANA database; a bare offset is none. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** The zone that was probably meant: by its city ("berlin"), or by the nearest spelling; or null. */
export function nearestZone(zone: string): string | null {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = zone.trim().replaceAll(' ', '_').toLowerCase();
  const byCity = zones.find((name) => name.toLowerCase().split('/').at(-1) === city);
  return byCity ?? nearest(zone, zones);
}

/** The zone of this machine. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `2025-03-09` of a wall time. */
export function wallDate(wall: Wall): string {
  return new Date(wall).toISOString().slice(0, 10);
}

/** `03:00`, or `03:00:10` where there are seconds. */
export function wallTime(wall: Wall): string {
  const text = new Date(wall).toISOString().slice(11, 19);
  return text.endsWith(':00') ? text.slice(0, 5) : text;
}
