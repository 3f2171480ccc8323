import type { Clock } from '../../../base/clock.ts';
import { ok, type Result } from '../../../base/errors.ts';
import type { Home } from '../../../base/home.ts';
import { type RepositoryConfig, readRepositoryConfig } from '../repository/config.ts';
import { readLockRoster } from '../repository/roster.ts';
import type { LockOptions } from './session.ts';

/**
 * What a lock needs to know of a repository: its configuration and its roster. A failure names the file
 * and the key that cannot be understood.
 */
export function lockOptions(around: {
  root: string;
  home: Home;
  clock: Clock;
  env: NodeJS.ProcessEnv;
}): Result<LockOptions & { config: RepositoryConfig }> {
  const config = readRepositoryConfig(around.root, around.env);
  if (!config.ok) return config;
  const roster = readLockRoster(around.root, config.value.lock);
  if (!roster.ok) return roster;
  return ok({
    ...around,
    settings: config.value.lock,
    roster: roster.value,
    paused: config.value.scheduler.paused,
    config: config.value,
  });
}
