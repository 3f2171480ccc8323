import { createHash } from 'node:crypto';

/** Repeatable chance: the same seed and name give the same numbers, on every machine. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number;
  /** True in this share of the cases. */
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Times between events that have no memory: exponential, never below 1. */
  wait(mean: number): number;
}

/**
 * A stream of its own for each name, so that leaving one actor out does not change what the others
 * do. The generator is sfc32 (Chris Doty-Humphrey, PractRand), seeded by a digest of both.
 */
export function randomStream(seed: number, name: string): Random {
  const digest = createHash('sha256').update(`${seed}/${name}`).digest();
  let a = digest.readInt32LE(0);
  let b = digest.readInt32LE(4);
  let c = digest.readInt32LE(8);
  let d = 1;
  function next(): number {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4_294_967_296;
  }
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    whole,
    chance: (share) => next() < share,
    pick: (list) => list[whole(0, list.length - 1)] as (typeof list)[number],
    wait: (mean) => Math.max(1, Math.round(-Math.log(1 - next()) * mean)),
  };
}
