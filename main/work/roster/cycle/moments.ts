import type { Cadence } from '../repository/cadence.ts';

/** `2026-02-20T07-00-00Z`: a moment (epoch milliseconds) as it may stand in a file name. */
export function stampOf(at: number): string {
  return new Date(at)
    .toISOString()
    .replace(/\.\d{3}Z$/, 'Z')
    .replaceAll(':', '-');
}

/** The moment a stamp stands for, or null when it stands for none. */
export function momentOfStamp(stamp: string): number | null {
  const at = Date.parse(stamp.replace(/T(\d{2})-(\d{2})-(\d{2})Z$/, 'T$1:$2:$3Z'));
  return Number.isNaN(at) ? null : at;
}

/** The UTC day of a moment, `2026-02-20`. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;

/** How long an agent that ran stays out of its cadence's turn, whatever the lock says. */
export function windowOf(cadence: Cadence): { ms: number; name: string } {
  return cadence === 'daily' ? { ms: DAY_MS, name: '24-hour' } : { ms: 7 * DAY_MS, name: '7-day' };
}
