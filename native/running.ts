import { type ProcessNames, processNames } from './linux/processes.ts';
import { attempt, known, type Reading, unknown } from './reading.ts';

let processes: ProcessNames | null = null;

/**
 * Which of these programs runs, by process name: the first of them, or an empty text for none. Costs
 * nothing where none is named. `now` is wall time, epoch ms. Never throws.
 */
export function runningOf(names: readonly string[], now: number): Reading<string> {
  if (names.length === 0) return unknown('settings', 'exclusiveApps lists no program');
  if (process.platform !== 'linux') {
    return unknown(process.platform, `Lull does not list programs on ${process.platform} yet`);
  }
  return attempt('/proc', () => {
    processes ??= processNames('/proc');
    return known('/proc', processes.find(names, now));
  });
}
