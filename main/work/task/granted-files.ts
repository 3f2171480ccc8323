import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { failure, ok, type Result } from '../../base/errors.ts';

/** A file that a job may read. The model knows it by `name` alone; the path is ours. */
export interface GrantedFile {
  name: string;
  /** Absolute, symbolic links resolved. */
  path: string;
  bytes: number;
}

export interface Granted {
  files: GrantedFile[];
  /** What was given but cannot be read, one line each. */
  problems: string[];
}

const MOST_FILES = 200;
/** Folders looked into, so that a deep tree without files ends too. */
const MOST_FOLDERS = 1000;

/**
 * The files that admitted paths stand for now: a file itself; of a folder its regular files, nearest
 * first, up to 200 in all. Links and hidden entries inside a folder are left out: to read a hidden
 * file, the owner names it. A path that has become a link since its admission is not followed, and
 * the data folder is never entered: one read of a live database file would drop its locks.
 */
export async function listGranted(paths: readonly string[], home: string): Promise<Granted> {
  const own = await realpath(home);
  const files: GrantedFile[] = [];
  const problems: string[] = [];
  const names = new Set<string>();
  function add(name: string, path: string, bytes: number): void {
    let unique = name;
    for (let n = 2; names.has(unique); n++) unique = `${name} (${n})`;
    names.add(unique);
    files.push({ name: unique, path, bytes });
  }

  for (const path of paths) {
    try {
      if ((await realpath(path)) !== path) throw new Error('is now a link to something else');
      if (path === own || path.startsWith(own + sep)) throw new Error('is in Lull’s own folder');
      const found = await lstat(path);
      if (found.isFile()) {
        add(basename(path), path, found.size);
      } else if (found.isDirectory()) {
        const room = MOST_FILES - files.length;
        const { inside, more } = await walk(path, own, room);
        for (const file of inside) {
          add(join(basename(path), relative(path, file.path)), file.path, file.bytes);
        }
        if (more) problems.push(`${basename(path)}: only the first ${room} files are given`);
      }
    } catch (error) {
      problems.push(`${basename(path)} ${whyOf(error)}`);
    }
  }
  return { files, problems };
}

async function walk(root: string, own: string, room: number) {
  const inside: { path: string; bytes: number }[] = [];
  const folders = [root];
  for (let i = 0; i < folders.length && i < MOST_FOLDERS; i++) {
    const folder = folders[i] as string;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.')) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && path !== own) folders.push(path);
      if (!entry.isFile()) continue;
      if (inside.length === room) return { inside, more: true };
      const size = await lstat(path).then(
        (found) => found.size,
        () => 0,
      );
      inside.push({ path, bytes: size });
    }
  }
  return { inside, more: folders.length > MOST_FOLDERS };
}

/**
 * Reads at most `most` bytes from `offset`. The path must still be what was granted: a regular file,
 * reached without a link.
 */
export async function readBytes(
  file: GrantedFile,
  offset: number,
  most: number,
): Promise<Result<{ bytes: Uint8Array; total: number }>> {
  let handle: FileHandle | undefined;
  try {
    const reached = await realpath(file.path);
    if (reached !== file.path) return failure('refused', `${file.name} is no longer that file`);
    // Non-blocking, for a pipe put in a file's place would never answer.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    handle = await open(file.path, flags);
    const opened = await handle.stat();
    const there = await lstat(await realpath(file.path));
    const moved = there.ino !== opened.ino || there.dev !== opened.dev;
    if (!opened.isFile() || moved) return failure('refused', `${file.name} is no longer that file`);
    const length = Math.min(most, opened.size - offset);
    if (length <= 0) return ok({ bytes: new Uint8Array(), total: opened.size });
    const buffer = new Uint8Array(length);
    const { bytesRead } = await handle.read(buffer, 0, length, offset);
    return ok({ bytes: buffer.subarray(0, bytesRead), total: opened.size });
  } catch (error) {
    return failure('refused', `${file.name} ${whyOf(error)}`);
  } finally {
    await handle?.close();
  }
}

function whyOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'may not be read';
    case 'ELOOP':
      return 'is now a link to something else';
    case undefined:
      return error instanceof Error ? error.message : 'cannot be read';
    default:
      return 'cannot be read';
  }
}
