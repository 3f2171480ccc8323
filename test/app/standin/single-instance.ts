import { existsSync, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The lock of one app per user data: a file with the holder's pid, and a folder in which a second
 * start leaves its arguments. Synchronous, as Electron's is. True: this process holds it.
 */
export function holdSingleInstance(
  userData: string,
  onSecond: (argv: string[], folder: string) => void,
): boolean {
  const drop = join(userData, 'second');
  const lock = join(userData, 'SingletonLock');
  mkdirSync(drop, { recursive: true });
  const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
  if (holder !== 0 && isAlive(holder)) {
    const words = JSON.stringify({ argv: process.argv, folder: process.cwd() });
    writeFileSync(join(drop, `${process.pid}.json`), words);
    return false;
  }
  writeFileSync(lock, String(process.pid));
  process.on('exit', () => rmSync(lock, { force: true }));
  watch(drop, (_change, file) => {
    const path = join(drop, file ?? '');
    setTimeout(() => take(path), 20).unref(); // it may still be written
  }).unref();
  return true;

  function take(path: string): void {
    let words: { argv: string[]; folder: string };
    try {
      words = JSON.parse(readFileSync(path, 'utf8'));
      rmSync(path);
    } catch {
      return; // taken already
    }
    onSecond(words.argv, words.folder);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
