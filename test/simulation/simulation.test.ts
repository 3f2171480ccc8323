import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Measured, runSeeds } from './children.ts';
import { misfit, mutationsOf } from './mutations.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PATIENCE = 600_000;

async function runs(days: number, seeds: readonly number[]): Promise<Measured[]> {
  const found: Measured[] = [];
  const problem = await runSeeds(ROOT, days, seeds, { each: (result) => void found.push(result) });
  expect(problem).toBeNull();
  return found;
}

/** What went wrong in words, with the command that makes it again. */
function faultsOf(results: readonly Measured[]): string[] {
  return results.flatMap(({ seed, days, violation }) =>
    violation
      ? [
          `${violation.name}: ${violation.message} (npm run simulate -- --seed ${seed} --days ${days})`,
        ]
      : [],
  );
}

describe('a simulated year', () => {
  it('S1 S2 S5 Q6 what must always hold holds in 8 lives of 10 days', {
    timeout: PATIENCE,
  }, async () => {
    const results = (await Promise.all([runs(10, [1, 3, 5, 7]), runs(10, [2, 4, 6, 8])])).flat();
    expect(faultsOf(results)).toEqual([]);
    expect(results).toHaveLength(8);
    const seen = (what: string) => results.reduce((sum, { tally }) => sum + (tally[what] ?? 0), 0);
    // What is never met is not tested: each of these has to occur.
    for (const what of [
      ...['→queued', '→deferred', 'queued→running', 'running→done', 'running→failed'],
      ...['running→queued', 'running→deferred', 'running→cancelled', 'queued→cancelled'],
      ...['queued→missed', 'deferred→queued', 'done→pruned', 'order', 'load', 'unload', 'hold'],
      ...['dies before', 'dies after', 'dies torn', 'dies inside', 'dies at any moment'],
      ...['order draft applied', 'order draft apply-failed', 'report draft pending'],
    ])
      expect([what, seen(what) > 0]).toEqual([what, true]);
  });

  it('the same seed is the same life, step by step', { timeout: PATIENCE }, async () => {
    const [first] = await runs(2, [11]);
    const [again] = await runs(2, [11]);
    const [other] = await runs(2, [12]);
    expect(again?.digest).toBe(first?.digest);
    expect(again?.steps).toBe(first?.steps);
    expect(other?.digest).not.toBe(first?.digest);
  });
});

describe('the ways in which the engine is broken to see the checks fail', () => {
  const mutations = mutationsOf(ROOT);

  it('are at least 30, and each names its invariant', () => {
    expect(mutations.length).toBeGreaterThanOrEqual(30);
  });

  it('fit the engine as it is', { timeout: PATIENCE }, () => {
    expect(mutations.map((one) => misfit(ROOT, one)).filter((why) => why !== null)).toEqual([]);
  });
});
