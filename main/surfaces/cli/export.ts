import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { parseConfig } from '../../base/config.ts';
import { LullError, toFailure } from '../../base/errors.ts';
import type { Home } from '../../base/home.ts';
import { flush, writePlaced } from '../../base/store/flush.ts';
import type { Act, Context } from './act.ts';
import { size } from './backup.ts';

/** `lull export FILE` and `lull import FILE`. */
export function addExportCommands(program: Command, act: Act): void {
  act(
    program
      .command('export')
      .description('write all that you made into one file: schedules, stock, drafts, history')
      .argument('<file>', 'a new file'),
    async ({ call, path }, file: string) => {
      const target = path(file);
      if (existsSync(target)) {
        throw new LullError('conflict', `${file} is there already`, 'choose another name');
      }
      const value = await call('export.make', {});
      move(value.path, target, file);
      const lines = [`${file}: ${value.rows} rows, ${size(value.bytes)}.`];
      return { value: { ...value, path: target }, lines };
    },
  );
  act<{ replace?: boolean }>(
    program
      .command('import')
      .description('take an export over into a Lull that is empty')
      .argument('<file>', 'what export wrote')
      .option('--replace', 'also where Lull is not empty: what it holds is set aside'),
    async ({ call, home, now, options, path, roomsOver }, file: string) => {
      if (!options.replace && !(await isEmpty(call))) {
        throw new LullError(
          'refused',
          'this Lull is not empty; nothing was imported',
          'with --replace the import takes the place of what it holds, which is set aside',
        );
      }
      const { importFrom } = await import('../../base/store/import.ts');
      const { createHome } = await import('../../base/home.ts');
      createHome(home);
      const { name, rows, settings } = await importFrom(path(file), home.backups, now);
      await refuseUnshown(join(home.backups, name), file, roomsOver);
      const { aside } = await call('backup.restore', { name, confirm: true });
      const lines = [`Imported ${rows} rows.`, takeSettings(home, settings)];
      if (options.replace) lines.push(`What was here is kept: ${aside}`);
      return { value: { rows, aside }, lines };
    },
  );
}

/** What could not be shown afterwards is not taken over. */
async function refuseUnshown(
  database: string,
  file: string,
  roomsOver: Context<unknown>['roomsOver'],
): Promise<void> {
  const { cannotShow } = await import('./look-over.ts');
  const rooms = await roomsOver(database);
  let fault: string | null;
  try {
    fault = await cannotShow(rooms.dispatch);
  } finally {
    await rooms.close();
  }
  if (fault === null) return;
  const { removeBackup } = await import('../../base/store/backup-folder.ts');
  removeBackup(database);
  throw new LullError(
    'invalid',
    `${basename(file)}: ${fault} could not be shown, so nothing was imported`,
  );
}

type Call = Context<unknown>['call'];

/** Nothing the owner made. What cannot be read is not taken for empty. */
async function isEmpty(call: Call): Promise<boolean> {
  try {
    const found = [
      await call('jobs.list', { limit: 1 }),
      await call('drafts.list', { limit: 1 }),
      await call('stock.list', { limit: 1 }),
      await call('schedule.list', {}),
      await call('watch.list', {}),
    ];
    return found.every((list) => list.length === 0);
  } catch (error) {
    if (error instanceof LullError && error.code === 'not_found') return true; // no database yet
    throw error;
  }
}

/** Settings are taken where there are none: those of another machine should not change this one's. */
function takeSettings(home: Home, settings: unknown): string {
  if (JSON.stringify(settings) === '{}') return 'It brought no settings.';
  if (existsSync(home.config)) return 'Its settings were left out: config.json is there already.';
  const parsed = parseConfig(settings);
  if (!parsed.ok) return `Its settings were left out: ${parsed.message}`;
  try {
    writePlaced(home.config, `${JSON.stringify(settings, null, 2)}\n`);
  } catch (error) {
    return `Its settings were left out: ${toFailure(error).message}`;
  }
  return 'Its settings were taken over.';
}

/** To where it was wanted, which may be another disk. */
function move(from: string, to: string, shown: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw cannot(error, from, shown);
    try {
      copyFileSync(from, to, constants.COPYFILE_EXCL);
      flush(to);
    } catch (failed) {
      rmSync(to, { force: true });
      throw cannot(failed, from, shown);
    }
    rmSync(from);
  }
}

function cannot(error: unknown, kept: string, shown: string): LullError {
  const { code, message } = error as NodeJS.ErrnoException;
  const full = code === 'ENOSPC';
  const why = code === 'ENOENT' ? 'there is no such folder' : full ? 'its disk is full' : message;
  return new LullError(
    full ? 'disk_full' : 'invalid',
    `${shown} cannot be written: ${why}`,
    `the export is here: ${kept}`,
  );
}
