import type { TideView } from '../../main/surfaces/contract.ts';

/** Heights of the picture, in points from its top. */
export const TOP = 8;
export const BASE = 42;
export const BAND = 16;
export const HEIGHT = BASE + BAND + 20;

/** How steeply presence rises and falls. */
const SLOPE = 9;
const APART = 12;
const MOST_WAITING = 8;
/** What lasted a moment is seen all the same. */
const LEAST_WIDTH = 2;

export interface TideDrawing {
  /** Where presence is raised: closed paths. */
  present: string[];
  lulls: { x: number; width: number }[];
  /** Where the next lull is to be expected. */
  next: { x: number; width: number } | null;
  ran: { x1: number; x2: number; heavy: boolean }[];
  waiting: number[];
  /** Null where it is another day. */
  now: number | null;
  hours: { x: number; name: string }[];
}

/** A day as lines and places, `width` points wide. Pure. `now` is epoch ms. */
export function drawTide(tide: TideView, width: number, now: number): TideDrawing {
  const x = (at: number) => {
    const share = (at - tide.from) / (tide.to - tide.from);
    return Math.round(Math.min(1, Math.max(0, share)) * width * 10) / 10;
  };
  const stretch = (one: { from: number; to: number }) => {
    const left = x(one.from);
    return { x: left, width: Math.max(LEAST_WIDTH, x(one.to) - left) };
  };
  const isToday = now >= tide.from && now < tide.to;
  const next = tide.next && tide.next.from < tide.to ? x(tide.next.from) : null;
  return {
    present: tide.present.map(stretch).map(hill),
    lulls: tide.lulls.map(stretch),
    next: next === null ? null : { x: next, width: Math.max(0, width - next) },
    ran: tide.ran.map((one) => ({ x1: x(one.from), x2: x(one.to), heavy: one.heavy })),
    waiting: isToday ? places(next ?? x(now), tide.waiting, width) : [],
    now: isToday ? x(now) : null,
    hours: [0, 6, 12, 18, 24].map((hour) => ({
      x: x(new Date(tide.from).setHours(hour, 0, 0, 0)),
      name: String(hour).padStart(2, '0'),
    })),
  };
}

function hill({ x, width }: { x: number; width: number }): string {
  const end = x + width;
  const slope = Math.min(SLOPE, width / 2);
  const [up, down] = [x + slope, end - slope];
  const half = slope / 2;
  return `M${x} ${BASE}C${x + half} ${BASE} ${up - half} ${TOP} ${up} ${TOP}L${down} ${TOP}C${down + half} ${TOP} ${end - half} ${BASE} ${end} ${BASE}Z`;
}

/** Where what waits is drawn: from the coming lull on, moved back where the day ends too soon. */
function places(from: number, count: number, width: number): number[] {
  const shown = Math.min(count, MOST_WAITING);
  const first = Math.min(from + APART, width - shown * APART + APART / 2);
  return Array.from({ length: shown }, (_, index) => first + index * APART);
}
