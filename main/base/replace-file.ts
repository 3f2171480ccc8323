import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Failure, failure } from './errors.ts';

/**
 * Puts a text in the place of a file at once: written beside it, readable by the owner only (0600),
 * flushed, and renamed over it. A reader sees the old or the new, never a part. Returns what went wrong.
 */
export function replaceFile(file: string, text: string): Failure | null {
  const temporary = `${file}.${process.pid}.tmp`;
  const name = basename(file);
  try {
    rmSync(temporary, { force: true }); // one that a crash left may be open to others
    const handle = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
    return null;
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC') {
      return failure('disk_full', `the disk is full, so ${name} was not changed`);
    }
    return failure('refused', `${name} cannot be written: ${message}`);
  }
}
