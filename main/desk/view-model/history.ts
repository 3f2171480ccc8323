import type { Interval } from '../../base/store/intervals.ts';
import type { Stint } from '../../base/store/stints.ts';
import { spanInWords } from '../../engine/gates/words.ts';
import type { Job } from '../../engine/queue/job.ts';
import { clipped, lengthOf, merged, type Span } from '../../engine/vitals/spans.ts';
import { type JobRow, jobRow } from './job.ts';

/** A job as History shows it: what it waited for, when it gave way, and what it took. */
export interface HistoryRow extends JobRow {
  /** Why it waited longest, in words; null where it hardly waited or nothing is recorded. */
  waitedBecause: string | null;
  waitedMs: number;
  yields: Yield[];
  /** All its stints together. */
  ranMs: number;
  /** Models that were loaded for it. */
  loads: number;
}

export interface Yield {
  at: number;
  cause: string;
  /** `you came back`. */
  text: string;
  /** From the asking until nothing ran for it; null where nobody asked. */
  tookMs: number | null;
  /** From the asking until its model had left memory; null where none was seen to leave. */
  freeMs: number | null;
}

export interface HistoryInput {
  job: Job;
  /** Oldest first. */
  stints: readonly Stint[];
  /** What held heavy work back in the job's life. */
  holds: readonly Interval[];
  loads: number;
  /** When a model was first seen to leave after this moment, and soon; null where none was. */
  freedAfter: (at: number) => number | null;
  now: number;
}

const WAITED_FOR: Readonly<Record<string, string>> = {
  presence: 'you were here',
  'power/floor': 'the battery was low',
  'power/thermal': 'the machine was hot',
  'power/low-power': 'Low Power Mode was on',
  power: 'the machine was on battery',
  memory: 'memory was nearly used up',
  hours: 'it was outside your hours',
  apps: 'a program had the machine to itself',
  'pause/paused': 'everything was paused',
  pause: 'heavy work was paused',
  open: 'other work went first',
};

const YIELDED: Readonly<Record<string, string>> = {
  returned: 'you came back',
  battery: 'mains went away',
  floor: 'the battery ran low',
  'low-power': 'Low Power Mode was turned on',
  heat: 'the machine got hot',
  memory: 'memory was nearly used up',
  hours: 'your hours for heavy work were over',
  'exclusive-app': 'a program got the machine to itself',
  paused: 'you paused',
  quitting: 'Lull was quit',
  cancelled: 'you cancelled it',
  'light-waiting': 'light work was waiting',
};

/** Holds that keep light work waiting too. */
const HOLDS_ALL: ReadonlySet<string> = new Set(['pause/paused', 'power/floor']);
/** A shorter wait needs no reason. */
const LEAST_MS = 60_000;
const MOST_CAUSES = 2;

export function historyRow(input: HistoryInput): HistoryRow {
  const { job, stints } = input;
  const waits = waitsOf(input);
  return {
    ...jobRow(job),
    waitedBecause: waitedBecause(input, waits),
    waitedMs: lengthOf(waits),
    yields: stints.filter(({ outcome }) => outcome === 'yielded').map((one) => yielded(one, input)),
    ranMs: stints.reduce((sum, { from, until }) => sum + until - from, 0),
    loads: input.loads,
  };
}

/** From its birth to its end, less the time it was out. */
function waitsOf({ job, stints, now }: HistoryInput): Span[] {
  const ends = [...stints.map(({ from }) => from), job.finishedAt ?? now];
  const begins = [job.createdAt, ...stints.map(({ until }) => until)];
  return merged(begins.map((from, index) => ({ from, until: ends[index] ?? from })));
}

function waitedBecause({ job, stints, holds }: HistoryInput, waits: Span[]): string | null {
  const time = new Map<string, number>();
  const add = (cause: string, spans: Span[]) => {
    const ms = lengthOf(spans);
    if (ms > 0) time.set(cause, (time.get(cause) ?? 0) + ms);
  };
  const asked = job.notBefore === null ? job.createdAt : Math.max(job.notBefore, job.createdAt);
  add('its time had not come', clipped(waits, job.createdAt, asked));
  const deferred = stints.filter(({ outcome }) => outcome === 'deferred' || outcome === 'retry');
  const putOff = merged(
    deferred.map(({ until }) => ({
      from: until,
      until: stints.find((one) => one.from >= until)?.from ?? job.finishedAt ?? until,
    })),
  );
  for (const span of putOff)
    add('it was put off until conditions changed', clipped(waits, span.from, span.until));
  const rest = waits.flatMap((wait) => without(clipped([wait], asked, wait.until), putOff));
  for (const hold of holds) {
    if (job.class !== 'heavy' && !HOLDS_ALL.has(hold.state)) continue;
    add(labelOf(hold.state), clipped(rest, hold.from, hold.until));
  }
  const causes = [...time].filter(([, ms]) => ms >= LEAST_MS).sort((a, b) => b[1] - a[1]);
  const told = causes.slice(0, MOST_CAUSES).map(([cause, ms]) => `${cause} (${spanInWords(ms)})`);
  return told.join(', ') || null;
}

function labelOf(hold: string): string {
  return WAITED_FOR[hold] ?? WAITED_FOR[hold.split('/')[0] ?? ''] ?? hold;
}

/** What of `spans` lies in none of `holes`; both merged. */
function without(spans: readonly Span[], holes: readonly Span[]): Span[] {
  return spans.flatMap(({ from, until }) => {
    const out: Span[] = [];
    let begin = from;
    for (const hole of holes) {
      if (hole.until <= begin || hole.from >= until) continue;
      if (hole.from > begin) out.push({ from: begin, until: hole.from });
      begin = Math.max(begin, hole.until);
    }
    if (begin < until) out.push({ from: begin, until });
    return out;
  });
}

function yielded({ until, cause, askedAt }: Stint, { freedAfter }: HistoryInput): Yield {
  const freed = askedAt === null ? null : freedAfter(askedAt);
  return {
    at: until,
    cause: cause ?? '',
    text: YIELDED[cause ?? ''] ?? cause ?? '',
    tookMs: askedAt === null ? null : Math.max(0, until - askedAt),
    freeMs: freed === null || askedAt === null ? null : freed - askedAt,
  };
}
