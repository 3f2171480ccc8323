/** How often a publication is tried. */
export const PUBLISH_ATTEMPTS = 4;

const FIRST_MS = 500;
const LONGEST_MS = 8000;

/**
 * The pause after the n-th attempt (from 1) that failed, ms, with full jitter: anything up to a bound
 * that doubles, so that machines which failed together do not come back together.
 */
export function pauseAfter(attempt: number, random: number): number {
  return Math.floor(random * Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1)));
}
