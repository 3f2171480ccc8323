import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { failpoint } from '../failpoint.ts';
import type { Home } from '../home.ts';
import { flush, place, writePlaced } from './flush.ts';

/**
 * One database put in the place of another. It is written down before anything is moved, so that a
 * crash in the middle is carried to its end by the next start, and removed once the owner was told.
 */
const plan = z.strictObject({
  /** The name of a backup; null: begin empty. */
  backup: z.string().nullable(),
  /** When that backup was made, epoch ms. */
  madeAt: z.int().nullable(),
  /** When it was put back. */
  at: z.int(),
  /** What was found to be wrong; null where the owner asked. */
  fault: z.string().nullable(),
  /** Where the replaced database is. */
  aside: z.string(),
  done: z.boolean(),
});
export type RestorePlan = z.infer<typeof plan>;

const PARTS = ['', '-wal', '-shm'] as const;

/**
 * Puts a backup in the place of the database, which is set aside whole and never removed. To be called
 * by the holder of the lock while nobody has the database open. Throws what the disk throws; the old
 * database is then still in its place, or the next `finishRestore` goes on.
 */
export function restore(home: Home, wanted: Omit<RestorePlan, 'aside' | 'done'>): RestorePlan {
  const aside = join(home.setAside, `lull-${wanted.at}.sqlite`);
  const begun: RestorePlan = { ...wanted, aside, done: false };
  writePlan(home, begun);
  failpoint('restore.planned');
  return carryOut(home, begun);
}

/** Carries a restore that a crash broke off to its end. The plan that still has to be told, or null. */
export function finishRestore(home: Home): RestorePlan | null {
  const found = readPlan(home);
  return found && (found.done ? found : carryOut(home, found));
}

/** The owner knows. */
export function forgetRestore(home: Home): void {
  rmSync(home.restorePlan, { force: true });
}

function carryOut(home: Home, begun: RestorePlan): RestorePlan {
  const copy = `${home.database}.restoring`;
  try {
    rmSync(copy, { force: true });
    if (begun.backup !== null) {
      copyFileSync(join(home.backups, begun.backup), copy);
      flush(copy);
    }
    failpoint('restore.copied');
  } catch (error) {
    rmSync(copy, { force: true });
    // Nothing was moved yet: what is there stays, and the restore may be asked for again.
    if (existsSync(home.database)) forgetRestore(home);
    throw error;
  }
  setAside(home.database, begun.aside, home.setAside);
  failpoint('restore.aside');
  if (begun.backup !== null) place(copy, home.database);
  failpoint('restore.placed');
  const done = { ...begun, done: true };
  writePlan(home, done);
  return done;
}

/** Moves a database with its log away. A log that stayed behind would be taken into the next one. */
function setAside(database: string, aside: string, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const part of PARTS) {
    if (!existsSync(database + part)) continue;
    // A second try after a crash: what was moved before stays as it is.
    const name = existsSync(aside + part) ? `${aside}.again` : aside;
    renameSync(database + part, name + part);
  }
  flush(folder);
}

function writePlan(home: Home, value: RestorePlan): void {
  writePlaced(home.restorePlan, `${JSON.stringify(value)}\n`);
}

function readPlan(home: Home): RestorePlan | null {
  try {
    return plan.parse(JSON.parse(readFileSync(home.restorePlan, 'utf8')));
  } catch {
    return null; // none, or none that we wrote
  }
}
