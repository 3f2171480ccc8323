import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, known, type Reading } from '../reading.ts';

/**
 * Shares of the last ten seconds, in percent, in which every task (`full`) or at least one (`some`)
 * stood still for want of memory. The bounds are ours: at `critical` the machine is felt to stutter.
 */
const CRITICAL_FULL = 10;
const WARN_SOME = 10;

/** What the kernel could give to programs without swapping, decimal GB. `proc` is `/proc`. */
export function readAvailable(proc: string): Reading<number> {
  const file = join(proc, 'meminfo');
  return attempt(file, () => {
    const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1];
    if (kibibytes === undefined) throw new Error(`${file} does not name MemAvailable`);
    return known(file, (Number(kibibytes) * 1024) / 1e9);
  });
}

/** Memory pressure by stall time (kernel PSI, since 4.20). */
export function readPressure(proc: string): Reading<'normal' | 'warn' | 'critical'> {
  const file = join(proc, 'pressure', 'memory');
  return attempt(file, () => {
    const text = readFileSync(file, 'utf8');
    const share = (kind: string): number => {
      const found = new RegExp(`^${kind} avg10=([\\d.]+) `, 'm').exec(text)?.[1];
      if (found === undefined) throw new Error(`${file} does not name ${kind} avg10`);
      return Number(found);
    };
    if (share('full') >= CRITICAL_FULL) return known(file, 'critical');
    return known(file, share('some') >= WARN_SOME ? 'warn' : 'normal');
  });
}
