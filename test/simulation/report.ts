import { replayOf, type Shrunk } from './shrink.ts';
import type { RunResult } from './simulate.ts';
import { stamp } from './trace.ts';

/** One line about a run. */
export function line(result: RunResult, seconds: number): string {
  const { seed, hours, steps, crashes, violation } = result;
  const speed = Math.round((hours / seconds) * 60).toLocaleString('en-US');
  const end = violation ? `BROKEN: ${violation.name}` : 'holds';
  return `seed ${seed}: ${Math.round(hours)} h, ${steps} steps, ${crashes} crashes, ${speed} h a minute of one core: ${end}`;
}

/** What a run has found, the steps that led to it, and how to make it again. */
export function story({ options, result }: Shrunk): string {
  const { violation, last } = result;
  if (!violation) return '';
  return [
    ...last,
    `BROKEN: ${violation.name}`,
    `  ${violation.message}`,
    `  at step ${violation.step}, day ${stamp(violation.at)}: the shortest run that was found`,
    `  again: ${replayOf(options)}`,
  ].join('\n');
}
