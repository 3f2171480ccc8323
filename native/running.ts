import { runningPrograms } from './darwin/processes.ts';
import { type ProcessNames, processNames } from './linux/processes.ts';
import { attempt, known, type Reading, unknown } from './reading.ts';

/** Where each platform lists its programs. */
const LISTS: Partial<Record<NodeJS.Platform, { source: string; open(): ProcessNames }>> = {
  linux: { source: '/proc', open: () => processNames('/proc') },
  darwin: { source: 'libproc', open: () => runningPrograms() },
};

let processes: ProcessNames | null = null;

/**
 * Which of these programs runs, by process name: the first of them, or an empty text for none. Costs
 * nothing where none is named. `now` is wall time, epoch ms. Never throws.
 */
export function runningOf(names: readonly string[], now: number): Reading<string> {
  if (names.length === 0) return unknown('settings', 'exclusiveApps lists no program');
  const list = LISTS[process.platform];
  if (!list) {
    return unknown(process.platform, `Lull does not list programs on ${process.platform} yet`);
  }
  return attempt(list.source, () => {
    processes ??= list.open();
    return known(list.source, processes.find(names, now));
  });
}
