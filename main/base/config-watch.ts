import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from './clock.ts';
import { readConfig } from './config.ts';
import type { Config } from './config-schema.ts';
import type { Failure } from './errors.ts';

export interface LiveConfig {
  current(): Config;
  /** What is wrong with the file now; null while it is in force. */
  problem(): Failure | null;
  /** Reads the file again at once; returns whether the settings in force changed. */
  reload(): boolean;
  stop(): void;
}

/** Editors write in several steps: a change is read once it has been quiet for this long. */
const SETTLE_MS = 150;

/**
 * The configuration in force: reloaded when config.json changes, the last valid one kept while the
 * file is not. Throws nothing; `first` is what was valid at the start.
 */
export function liveConfig(
  file: string,
  first: Config,
  clock: Clock,
  onChange: (config: Config, problem: Failure | null) => void,
): LiveConfig {
  let current = first;
  let problem: Failure | null = null;
  let cancel = () => {};

  function reload(): boolean {
    const before = JSON.stringify(current);
    const told = problem?.message;
    const read = readConfig(file);
    if (read.ok) current = read.value;
    problem = read.ok ? null : read;
    const changed = JSON.stringify(current) !== before;
    if (changed || told !== problem?.message) onChange(current, problem);
    return changed;
  }

  // The folder, not the file: a file that is replaced would be lost from sight.
  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name !== basename(file)) return;
      cancel();
      cancel = clock.timer(SETTLE_MS, reload);
    });
    watcher.on('error', () => watcher?.close());
  } catch {
    // No watching here (too many watchers): `reload` is still called by the owner's own commands.
  }

  return {
    current: () => current,
    problem: () => problem,
    reload,
    stop() {
      cancel();
      watcher?.close();
    },
  };
}
