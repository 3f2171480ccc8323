import { ACTORS } from './actors/all.ts';
import { type RunOptions, type RunResult, simulate } from './simulate.ts';
import { DAY } from './timeline.ts';

/** A run that breaks the same invariant, as early and with as few actors as was found. */
export interface Shrunk {
  readonly options: RunOptions;
  readonly result: RunResult;
}

/**
 * Looks for a shorter run of one that failed: actors are left out one by one, and each run that still
 * breaks the same invariant, no later, takes the place of the one before. What it breaks off at is the
 * prefix: nothing that comes after it matters.
 */
export async function shrink(options: RunOptions, failed: RunResult): Promise<Shrunk> {
  let best: Shrunk = { options, result: failed };
  for (const { name } of ACTORS) {
    const without = [...(best.options.without ?? []), name];
    const tried = { ...best.options, without, days: daysOf(best.result) };
    const result = await simulate(tried);
    const { violation } = result;
    const same = violation?.name === failed.violation?.name;
    if (same && result.steps <= best.result.steps) best = { options: tried, result };
  }
  return { ...best, options: { ...best.options, days: daysOf(best.result) } };
}

/** Whole days that the run needs; a fault of the end phase needs all of its own. */
function daysOf({ days, violation }: RunResult): number {
  return violation ? Math.min(days, Math.floor(violation.at / DAY) + 1) : days;
}

/** The command that makes this run again. */
export function replayOf({ seed, days, without = [] }: RunOptions): string {
  const left = without.map((name) => ` --without ${name}`).join('');
  return `npm run simulate -- --seed ${seed} --days ${days}${left}`;
}
