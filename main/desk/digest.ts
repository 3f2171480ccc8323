import type { Interval } from '../base/store/intervals.ts';
import type { Stint } from '../base/store/stints.ts';
import { countOf, momentInWords, percentInWords, spanInWords } from '../engine/gates/words.ts';
import { oneLine } from './view-model/text.ts';

export interface DigestInput {
  /** The absence that has just ended, epoch ms. */
  from: number;
  until: number;
  /** Everything that was out in that time. */
  stints: readonly Stint[];
  /** Work that is still out: it stops, or goes on. */
  running: number;
  /** Models loaded in that time. */
  loads: number;
  /** Drafts made in that time that wait for a decision. */
  drafts: number;
  /** Presence and power of that time, and what begins with the return. */
  presence: readonly Interval[];
  power: readonly Interval[];
}

const NIGHT_MS = 20 * 3_600_000;

/**
 * "While you were away": what ran, what it cost, and what lies ready, in one line; null where there is
 * nothing to tell. Pure.
 */
export function digest(input: DigestInput): string | null {
  const { from, until, stints, running, loads, drafts } = input;
  if (stints.length + running + drafts === 0) return null;
  const jobs = new Set(stints.map(({ job }) => job)).size;
  const ms = stints.reduce(
    (sum, one) => sum + Math.max(0, Math.min(one.until, until) - Math.max(one.from, from)),
    0,
  );
  const failed = [...new Set(stints.filter(hasFailed).map(({ title }) => title))];
  const gaveWay = stints.filter(({ cause }) => cause === 'returned').length;
  const parts = [
    jobs > 0 && `${countOf(jobs, 'job')} ran for ${spanInWords(ms)}`,
    loads > 0 && countOf(loads, 'model load'),
    battery(input),
    drafts > 0 && `${countOf(drafts, 'draft')} ${drafts === 1 ? 'is' : 'are'} ready`,
    gaveWay > 0 && `${countOf(gaveWay, 'job')} gave way when you came back`,
    failed.length === 1 && `"${oneLine(failed[0] ?? '', 60)}" failed`,
    failed.length > 1 && `${failed.length} jobs failed`,
    running > 0 && `${countOf(running, 'job')} still at work`,
  ].filter((part) => typeof part === 'string');
  // A night needs no date.
  const begin = momentInWords(from, until - from < NIGHT_MS ? from : until);
  const when = `${begin} to ${momentInWords(until, until)}`;
  return `While you were away (${when}): ${parts.join('; ')}.`;
}

function hasFailed({ outcome }: Stint): boolean {
  return outcome === 'failed' || outcome === 'crash';
}

/** What it took from the battery; nothing is said where the machine was on mains throughout. */
function battery({ from, until, presence, power }: DigestInput): string | null {
  const discharged = power.some(
    (one) => one.state === 'battery' && one.from < until && one.until > from,
  );
  if (!discharged) return null;
  const away = presence.find((one) => one.state !== 'here' && one.until > from);
  const begin = away?.percentFrom ?? null;
  const end = presence.findLast((one) => one.from <= until)?.percentFrom ?? null;
  if (begin === null || end === null) return 'partly on battery';
  return `battery ${percentInWords(begin)} → ${percentInWords(end)}`;
}
