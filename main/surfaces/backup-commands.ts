import type { Backups } from '../desk/backups.ts';
import type { Handlers } from './dispatch.ts';

/**
 * The commands on backups. They stand apart because they are answered where the others cannot be: over
 * a database that is damaged.
 */
export function backupHandlers(
  backups: Backups,
): Pick<
  Handlers,
  'backup.list' | 'backup.newest' | 'backup.make' | 'backup.restore' | 'export.make'
> {
  return {
    'backup.list': () => backups.list(),
    'backup.newest': () => backups.newest(),
    'backup.make': () => backups.make('asked'),
    'backup.restore': (wish) => backups.restore(wish),
    'export.make': () => backups.exportAll(),
  };
}
