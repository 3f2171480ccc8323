import { spawnSync } from 'node:child_process';
import { median } from '../bench/bench.ts';

const ROUNDS = 31;
const TIMES = 10;

/**
 * Median milliseconds of `work` and of the start of an empty program, taken by turns: a machine that
 * does other things as well slows both.
 */
export function medianBesideAStart(work: () => unknown): { work: number; start: number } {
  const works: number[] = [];
  const starts: number[] = [];
  work();
  for (let round = 0; round < ROUNDS; round++) {
    for (let time = 0; time < TIMES; time++) works.push(timed(work));
    starts.push(timed(() => spawnSync('/usr/bin/true', { stdio: 'ignore' })));
  }
  return { work: median(works), start: median(starts) };
}

/** What `work` takes, as a share of what an empty program takes to start (a millisecond and more). */
export function besideAStart(work: () => unknown): number {
  const { work: ours, start } = medianBesideAStart(work);
  return ours / start;
}

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
