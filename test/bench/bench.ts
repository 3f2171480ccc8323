/** One line of the table. `ratio` is ours ÷ reference; `holds` is null where no goal is set. */
export interface Row {
  name: string;
  unit: string;
  ours: number;
  reference: number;
  ratio: number;
  goal: string;
  holds: boolean | null;
}

export interface BenchOptions {
  /** Smaller sizes and fewer rounds: to see that a bench works, not how fast anything is. */
  quick: boolean;
}

/** A group of lines that are measured together, ours and the reference by turns. */
export interface Bench {
  /** What `--only` is matched against, for example `queue`. */
  name: string;
  run(options: BenchOptions): Promise<Row[]>;
}

export interface Goal {
  text: string;
  holds(ratio: number, ours: number): boolean;
}

export const ratioAtLeast = (least: number, of: string): Goal => ({
  text: `≥ ${least} of ${of}`,
  holds: (ratio) => ratio >= least,
});

export const ratioAtMost = (most: number, of: string): Goal => ({
  text: `≤ ${most} × ${of}`,
  holds: (ratio) => ratio <= most,
});

export const atMost = (most: number, unit: string): Goal => ({
  text: `≤ ${most} ${unit}`,
  holds: (_, ours) => ours <= most,
});

export function row(
  name: string,
  unit: string,
  ours: number,
  reference: number,
  goal: Goal | null,
): Row {
  const ratio = ours / reference;
  return {
    name,
    unit,
    ours,
    reference,
    ratio,
    goal: goal?.text ?? '',
    holds: goal ? goal.holds(ratio, ours) : null,
  };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that a share `q` of the values does not exceed. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1));
  return sorted[at] ?? Number.NaN;
}

/** The mean of the middle half: what is rare in either direction does not count. */
export function midmean(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 4);
  const middle = sorted.slice(cut, sorted.length - cut);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/**
 * Runs every contestant once a round, after one round that does not count, and starts each round with
 * another of them, so that what the machine does meanwhile hits all alike. One entry a round.
 */
export async function alternating<K extends string, T>(
  rounds: number,
  contestants: Readonly<Record<K, () => T | Promise<T>>>,
): Promise<Record<K, T[]>> {
  const names = Object.keys(contestants) as K[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, T[]>;
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + Math.max(0, round)) % names.length] as K;
      const result = await contestants[name]();
      if (round >= 0) results[name].push(result);
    }
  }
  return results;
}

/** Milliseconds that `work` takes. */
export function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
