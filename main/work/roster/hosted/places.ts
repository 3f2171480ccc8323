import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { randomToken } from '../../../base/ids.ts';
import { CADENCES, type Cadence } from '../repository/cadence.ts';

/** Where Lull keeps what belongs to cycles, and by which names it knows them. */

/** A short name of a repository, by its path. */
export function repositoryKey(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}

/** Cycles of one repository never run at once: they share a session. */
export function sessionOf(path: string): string {
  return `cycle-${repositoryKey(path)}`;
}

/** The schedule that a cadence of a repository becomes. */
export function scheduleId(path: string, cadence: Cadence): string {
  return `cycle-${repositoryKey(path)}-${cadence}`;
}

const SCHEDULE = new RegExp(`^cycle-[0-9a-f]{12}-(?:${CADENCES.join('|')})$`);

/** Whether a schedule stands for a cadence, of a repository that is listed now or was once. */
export function isCadenceSchedule(id: string): boolean {
  return SCHEDULE.test(id);
}

/** The folder of a repository's logs of one cadence, kept from run to run. */
export function logBook(cycles: string, path: string, cadence: Cadence): string {
  return join(cycles, 'logs', repositoryKey(path), cadence);
}

/**
 * A new run's place and branch, never used before. The folder is called as the repository is, for tools
 * that go by its name.
 */
export function newPlace(
  cycles: string,
  root: string,
  cadence: Cadence,
  now: number,
): { worktree: string; branch: string } {
  const stamp = new Date(now).toISOString().slice(0, 16).replace(/[-:]/g, '').replace('T', '-');
  const unique = `${stamp}-${randomToken(4).replace(/[^A-Za-z0-9]/g, 'x')}`;
  return {
    worktree: join(cycles, 'work', unique, basename(root) || 'repository'),
    branch: `lull/${cadence}/${unique}`,
  };
}
