import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { failure, ok, type Result } from '../base/errors.ts';
import { failpoint } from '../base/failpoint.ts';

export interface OrderFile {
  path: string;
  content: Buffer;
}

/**
 * Puts the files of one order in place, whole or not at all: each is written under a temporary name
 * and flushed, then renamed, then the folder is flushed. Doing it again changes nothing. A file that
 * is there already and says something else is another order's: it is left alone and nothing is written.
 */
export function writeOrderFiles(files: readonly OrderFile[]): Result<true> {
  let current = files[0]?.path ?? '';
  const placed: OrderFile[] = [];
  try {
    for (const file of files) {
      current = file.path;
      mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
      const there = readIfThere(file.path);
      if (there && !there.equals(file.content)) {
        clear(files, placed);
        return taken(file.path);
      }
      if (there) placed.push(file);
    }
    for (const file of files) {
      current = file.path;
      writeFlushed(temporary(file.path), file.content);
    }
    for (const file of files) {
      current = file.path;
      failpoint('order.file');
      renameSync(temporary(file.path), file.path);
      placed.push(file);
    }
    for (const folder of new Set(files.map((file) => dirname(file.path)))) flushFolder(folder);
    return ok(true);
  } catch (error) {
    clear(files, placed);
    return refusal(error, current);
  }
}

/** Half an order must not look like one: what carries our bytes goes, and is written anew later. */
function clear(files: readonly OrderFile[], placed: readonly OrderFile[]): void {
  for (const file of files) remove(temporary(file.path));
  for (const file of placed) remove(file.path);
}

/** Always the same name, so that what a crash leaves behind is overwritten, not collected. */
function temporary(path: string): string {
  return join(dirname(path), `.${basename(path)}.tmp`);
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function writeFlushed(path: string, content: Buffer): void {
  const file = openSync(path, 'w', 0o600);
  try {
    for (let from = 0; from < content.length; ) from += writeSync(file, content, from);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function flushFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It could not be written either; the reason for that is what is reported.
  }
}

function taken(path: string): Result<never> {
  return failure(
    'conflict',
    `${path} is there already and holds something else`,
    'move it away and approve again',
  );
}

function refusal(error: unknown, path: string): Result<never> {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return failure(
      'disk_full',
      `the disk is full, so ${path} was not written`,
      'free some space and approve again',
    );
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return failure(
      'failed',
      `there is no permission to write ${path}`,
      'check the permissions of the orders folder and approve again',
    );
  }
  if (code === 'ENOTDIR' || code === 'EEXIST' || code === 'EISDIR') {
    return failure(
      'failed',
      `${path} cannot be written: something else is in its place`,
      'move it away and approve again',
    );
  }
  return failure('failed', `${path} was not written: ${message}`, 'approve again');
}
