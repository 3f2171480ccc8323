import type { Command } from 'commander';
import { LullError } from '../../base/errors.ts';
import type { BackupRow } from '../contract.ts';
import type { Act, Context } from './act.ts';
import { formatMoment } from './moment.ts';
import { table } from './table.ts';

/** `lull backup`, `backup list` and `restore`. */
export function addBackupCommands(program: Command, act: Act): void {
  const backup = program.command('backup').description('copy what Lull holds, now; or list copies');
  act(backup, async ({ call }) => {
    const value = await call('backup.make', {});
    return { value, lines: [`${value.path} (${size(value.bytes)}), with its SHA-256 beside it.`] };
  });
  act(
    backup.command('list').description('the copies, the newest first'),
    async ({ call, now, width }) => {
      const value = await call('backup.list', {});
      return { value, lines: value.length ? rows(value, now, width) : ['There is no backup yet.'] };
    },
  );
  act<{ empty?: boolean; yes?: boolean }>(
    program
      .command('restore')
      .description('put a backup in the place of what Lull holds; says what, and asks for --yes')
      .argument('[file]', 'a name from the list, or a file (default: the newest good one)')
      .option('--empty', 'begin empty instead')
      .option('--yes', 'do it'),
    async (context, file: string | undefined) => {
      const { options, call } = context;
      const name = file === undefined ? undefined : await nameOf(file, context);
      const value = await call('backup.restore', {
        ...{ empty: options.empty ?? false, confirm: options.yes ?? false },
        ...(name !== undefined && { name }),
      });
      if (value.outcome === 'restored') return { value, lines: [value.text] };
      return {
        ...{ value, lines: [value.text] },
        refusal: new LullError('refused', 'nothing was done yet', 'say --yes to do it'),
      };
    },
  );
}

/** The name of a backup; a file from elsewhere becomes one. */
async function nameOf(file: string, { home, now, path }: Context<unknown>): Promise<string> {
  const { isBackupName } = await import('../../base/store/backup-folder.ts');
  if (isBackupName(file)) return file;
  const { bringBackup } = await import('../../base/store/bring.ts');
  return bringBackup(path(file), home.backups, now);
}

const REASONS: Readonly<Record<BackupRow['reason'], string>> = {
  daily: 'daily',
  asked: 'asked for',
  before: 'before a migration',
  given: 'given',
  imported: 'made of an export',
};

function rows(backups: BackupRow[], now: number, width: number | null): string[] {
  return table<BackupRow>(
    [
      { head: 'NAME', cell: (row) => row.name },
      { head: 'MADE', cell: (row) => formatMoment(row.at, now) },
      { head: 'WHY', cell: (row) => REASONS[row.reason], yields: true },
      { head: 'SIZE', cell: (row) => size(row.bytes), right: true },
    ],
    backups,
    width,
  );
}

export function size(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
