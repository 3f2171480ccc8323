import { spanInWords } from '../gates/words.ts';
import type { Health } from './health.ts';

/** What the watchdog looks at: one reading of the vitals. Null: not known. */
export interface Reading {
  health: Health;
  loopDelayMs: number | null;
  residentBytes: number;
  logBytes: number;
  /** Free space where the data folder is. */
  diskFreeBytes: number | null;
}

/** Something that has crossed its limit. */
export interface Flag {
  /** `stalled`, `memory` …; `wedged:7` for job 7. */
  id: string;
  /** What was seen and what the limit is, one sentence. */
  text: string;
}

const GB = 1e9;
const MB = 1e6;

interface Limit {
  id: string;
  /** Raised from here on … */
  raised: (reading: Reading) => boolean;
  /** … and over only from here on, so that it does not flutter around its limit. */
  over: (reading: Reading) => boolean;
  text: (reading: Reading) => string;
}

const LIMITS: readonly Limit[] = [
  {
    id: 'stalled',
    raised: ({ health }) => health.stalled !== null,
    over: ({ health }) => health.stalled === null,
    text: ({ health }) =>
      `Work may run, and nothing has moved for ${spanInWords(health.stalled?.forMs ?? 0)}.`,
  },
  {
    id: 'slow-host',
    raised: ({ loopDelayMs }) => (loopDelayMs ?? 0) >= 5000,
    over: ({ loopDelayMs }) => loopDelayMs !== null && loopDelayMs < 200,
    text: ({ loopDelayMs }) =>
      `Lull did not answer for ${Math.round(loopDelayMs ?? 0)} ms at a stretch; the limit is 5000.`,
  },
  {
    id: 'memory',
    raised: ({ residentBytes }) => residentBytes >= 1.5 * GB,
    over: ({ residentBytes }) => residentBytes < GB,
    text: ({ residentBytes }) =>
      `Lull itself uses ${(residentBytes / GB).toFixed(1)} GB of memory; the limit is 1.5.`,
  },
  {
    id: 'log-size',
    raised: ({ logBytes }) => logBytes >= 256 * MB,
    over: ({ logBytes }) => logBytes < 64 * MB,
    text: ({ logBytes }) =>
      `The write-ahead log of the database has ${Math.round(logBytes / MB)} MB; the limit is 256.`,
  },
  {
    id: 'disk',
    raised: ({ diskFreeBytes }) => diskFreeBytes !== null && diskFreeBytes < GB,
    over: ({ diskFreeBytes }) => diskFreeBytes !== null && diskFreeBytes >= 2 * GB,
    text: ({ diskFreeBytes }) =>
      `The disk has ${Math.round((diskFreeBytes ?? 0) / MB)} MB left; the limit is 1000.`,
  },
];

/** The flags that stand after this reading, given those that stood before it. Pure. */
export function flagsOf(reading: Reading, stood: ReadonlySet<string>): Flag[] {
  const fixed = LIMITS.filter((limit) =>
    stood.has(limit.id) ? !limit.over(reading) : limit.raised(reading),
  ).map((limit) => ({ id: limit.id, text: limit.text(reading) }));
  const wedged = reading.health.wedged.map(({ job, title, forMs }) => ({
    id: `wedged:${job}`,
    text: `Job ${job} (${title}) has shown no progress for ${spanInWords(forMs)}.`,
  }));
  return [...fixed, ...wedged];
}
