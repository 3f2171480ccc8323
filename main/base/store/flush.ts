import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes what was written to a file, or to the list of names in a folder, outlast a loss of power. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Puts a flushed file in place under its name, at once and for good. */
export function place(temporary: string, path: string): void {
  renameSync(temporary, path);
  flush(dirname(path));
}

/** Writes a small file whole or not at all. */
export function writePlaced(path: string, text: string): void {
  const temporary = `${path}.partial`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flush: true });
    place(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
