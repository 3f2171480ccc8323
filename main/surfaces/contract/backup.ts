import { z } from 'zod';
import { isBackupName } from '../../base/store/backup-folder.ts';
import { at, command } from './fields.ts';

/** Copies of what Lull holds: made, listed, put back, written out. Paths never come in, only names. */

export const backupRow = z.object({
  name: z.string(),
  path: z.string(),
  reason: z.enum(['daily', 'asked', 'before', 'given', 'imported']),
  at,
  bytes: z.int(),
});

const name = z.string().max(100).refine(isBackupName, 'must be a name as in the list of backups');

export const backupCommands = {
  'backup.list': command(true, z.strictObject({}), z.array(backupRow)),
  /** The last one, read through; `fault` is what keeps it from being put back. Null: there is none. */
  'backup.newest': command(
    true,
    z.strictObject({}),
    z.object({ backup: backupRow, fault: z.string().nullable() }).nullable(),
  ),
  'backup.make': command(false, z.strictObject({}), backupRow),
  /** Without `confirm` it says what would be done. No name: the newest good one. */
  'backup.restore': command(
    false,
    z.strictObject({
      name: name.optional(),
      empty: z.boolean().default(false),
      confirm: z.boolean().default(false),
    }),
    z.object({
      outcome: z.enum(['asks', 'restored']),
      backup: backupRow.nullable(),
      text: z.string(),
      aside: z.string().nullable(),
    }),
  ),
  /** Writes everything the owner made into a new file of the exports folder. */
  'export.make': command(
    true,
    z.strictObject({}),
    z.object({ path: z.string(), bytes: z.int(), rows: z.int() }),
  ),
} as const;
