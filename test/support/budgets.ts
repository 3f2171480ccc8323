/** Files that vitest runs at once: much of the time passes in waiting for real processes. */
export const FILES_AT_ONCE = 3;

/**
 * Seconds each suite (a folder of test/) may take, summed over its files while as many run beside each
 * other, on two cores that do nothing else. Published in CONTRIBUTING.md; what does not fit here belongs to a command of its own.
 */
export const BUDGETS: Readonly<Record<string, number>> = {
  app: 165,
  architecture: 20,
  base: 20,
  conformance: 10,
  damage: 60,
  desk: 50,
  engine: 160,
  flow: 200,
  fuzz: 50,
  kills: 110,
  native: 45,
  panel: 245,
  renderer: 10,
  simulation: 225,
  surfaces: 110,
  work: 310,
};

export interface FileTime {
  /** Path below the repository. */
  readonly file: string;
  readonly seconds: number;
}

export interface SuiteTime {
  readonly suite: string;
  readonly seconds: number;
  /** Null: no budget is published for it. */
  readonly budget: number | null;
}

/** Sums by suite, the longest first. */
export function suiteTimes(files: readonly FileTime[]): SuiteTime[] {
  const sums = new Map<string, number>();
  for (const { file, seconds } of files) {
    const suite = file.split('/')[1] ?? file;
    sums.set(suite, (sums.get(suite) ?? 0) + seconds);
  }
  return [...sums]
    .map(([suite, seconds]) => ({ suite, seconds, budget: BUDGETS[suite] ?? null }))
    .sort((a, b) => b.seconds - a.seconds);
}

/** One line for all suites, and one more for each that took more than it may or has no budget. */
export function timeReport(times: readonly SuiteTime[]): string[] {
  const shown = times.map(({ suite, seconds, budget }) => {
    return `${suite} ${Math.round(seconds)}/${budget ?? '?'}`;
  });
  const notes = times.flatMap(({ suite, seconds, budget }) => {
    if (budget === null) return [`${suite}: no budget is published for this suite`];
    if (seconds <= budget) return [];
    return [`${suite}: ${Math.round(seconds)} s is over its budget of ${budget} s`];
  });
  return [`seconds by suite, of its budget: ${shown.join(', ')}`, ...notes];
}
