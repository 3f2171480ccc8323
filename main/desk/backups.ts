import { LullError } from '../base/errors.ts';
import type { Home } from '../base/home.ts';
import { backupFault, makeBackup } from '../base/store/backup.ts';
import { type Backup, backupName, isOwn, listBackups } from '../base/store/backup-folder.ts';
import type { Store } from '../base/store/database.ts';
import { type Exported, exportTo } from '../base/store/export.ts';
import { MIGRATIONS } from '../base/store/migrations.ts';
import { newestGood } from '../base/store/open-sound.ts';
import type { RestorePlan } from '../base/store/restore.ts';
import { restoredText } from './restored.ts';
import { moment } from './view-model/moment.ts';

export interface BackupParts {
  readonly home: Home;
  readonly now: () => number;
  /** The owner's time zone, IANA. */
  readonly zone: string;
  /** The open database; throws where there is none. */
  readonly store: () => Store;
  /** Puts a backup in the place of the database and goes on with that. */
  readonly replace: (wanted: Omit<RestorePlan, 'aside' | 'done'>) => Promise<RestorePlan>;
}

export interface RestoreAnswer {
  outcome: 'asks' | 'restored';
  backup: Backup | null;
  /** What would be done, or what was. */
  text: string;
  /** Where the replaced database is; null while nothing was done. */
  aside: string | null;
}

export type Backups = ReturnType<typeof openBackups>;

/** The backups of a data folder, as the owner and the daily duty use them. */
export function openBackups(parts: BackupParts) {
  const { home, now, zone } = parts;

  async function make(reason: 'daily' | 'asked'): Promise<Backup> {
    return makeBackup(parts.store().db, home.backups, backupName(reason, now()), MIGRATIONS);
  }

  async function choose(name: string | undefined): Promise<Backup> {
    if (name === undefined) {
      const good = await newestGood(home);
      if (good) return good;
      throw new LullError('not_found', 'there is no good backup yet', 'make one with: lull backup');
    }
    const found = listBackups(home.backups).find((one) => one.name === name);
    if (!found) {
      throw new LullError('not_found', `there is no backup ${name}`, 'see: lull backup list');
    }
    const fault = await backupFault(found, MIGRATIONS);
    if (fault !== null) throw new LullError('refused', `${name} cannot be put back: ${fault}`);
    return found;
  }

  return {
    make,
    /** The newest first. */
    list: (): Backup[] => listBackups(home.backups),
    /** When the last one of what is here was made; null where none was. */
    newestAt: (): number | null =>
      listBackups(home.backups).find(({ reason }) => reason === 'daily' || reason === 'asked')
        ?.at ?? null,
    /**
     * The last one of what this folder held, read through: `fault` says in a few words what keeps it from
     * being put back. Null where there is none.
     */
    async newest(): Promise<{ backup: Backup; fault: string | null } | null> {
      const backup = listBackups(home.backups).find(isOwn);
      return backup ? { backup, fault: await backupFault(backup, MIGRATIONS) } : null;
    },
    /** Without `confirm` it says what would be done; without a name it takes the newest good one. */
    async restore(wish: {
      name?: string | undefined;
      empty: boolean;
      confirm: boolean;
    }): Promise<RestoreAnswer> {
      if (wish.empty && wish.name !== undefined) {
        throw new LullError('invalid', 'name: give a backup, or empty, not both');
      }
      const backup = wish.empty ? null : await choose(wish.name);
      if (!wish.confirm) return { outcome: 'asks', backup, text: asks(backup, zone), aside: null };
      const plan = await parts.replace({
        ...{ backup: backup?.name ?? null, madeAt: backup?.at ?? null, at: now(), fault: null },
      });
      return { outcome: 'restored', backup, text: restoredText(plan, zone), aside: plan.aside };
    },
    /** Writes all that the owner made into a file of its own; throws disk_full, and leaves none then. */
    exportAll: (): Promise<Exported> => exportTo(home, now()),
  };
}

function asks(backup: Backup | null, zone: string): string {
  const kept = 'What Lull holds now is set aside, not removed.';
  if (!backup) return `This begins empty. ${kept}`;
  const from = { given: 'the file', imported: 'the import' } as Readonly<Record<string, string>>;
  const what = from[backup.reason] ?? `the backup of ${moment(backup.at, zone)}`;
  const since = backup.reason in from ? '' : ' What changed since then will be missing.';
  return `This puts ${what} in the place of what Lull holds now.${since} ${kept}`;
}
