import { ok, type Result } from '../../../base/errors.ts';
import type { Home } from '../../../base/home.ts';
import { localLock } from '../lock/local-lock.ts';
import { lockOptions } from '../lock/open-lock.ts';
import { rosterLock } from '../lock/roster-lock.ts';
import type { ChildSurroundings, RunChild } from './child.ts';
import type { CycleLock } from './lock.ts';
import { scriptedLock } from './scripted-lock.ts';

/**
 * The lock that a repository is set up for: its own npm scripts, and where it has none, ours over the
 * relays of its configuration. `local`: the one of this machine, whatever the repository says.
 */
export function repositoryLock(
  around: ChildSurroundings,
  runChild: RunChild,
  home: Home,
  local: boolean,
): Result<CycleLock> {
  const { cwd: root, clock, env, say } = around;
  const options = lockOptions({ root, home, clock, env });
  if (!options.ok) return options;
  if (local) return ok(localLock(options.value));
  return ok(scriptedLock(root, runChild, say, rosterLock(options.value)));
}
