import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * The beginning of a regular file as text, at most `most` bytes; null when there is none that can be
 * read. Never waits: a pipe in a file's place is not read.
 */
export function readHead(path: string, most: number): string | null {
  let handle: number | null = null;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(handle).isFile()) return null;
    const buffer = Buffer.alloc(most);
    const length = readSync(handle, buffer, 0, most, 0);
    return buffer.toString('utf8', 0, length);
  } catch {
    return null;
  } finally {
    if (handle !== null) closeSync(handle);
  }
}
