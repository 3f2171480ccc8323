import { spawnSync } from 'node:child_process';
import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { program } from './needs.ts';
import { temporaryFolder } from './store.ts';

const isRoot = process.getuid?.() === 0;

export interface SmallDisk {
  readonly dir: string;
  /** Fills it, but for so many bytes. */
  fill(left?: number): void;
  /** Takes away what filled it. */
  free(): void;
}

/** A disk of its own in memory, of 4 MB, for the length of a test; null where this may not be done. */
export function smallDisk(): SmallDisk | null {
  const dir = temporaryFolder();
  const [mount, unmount] = [program('mount'), program('umount')];
  if (!isRoot || !mount || !unmount) return null;
  const done = spawnSync(mount, ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', dir]);
  if (done.status !== 0) return null;
  onTestFinished(() => void spawnSync(unmount, ['-l', dir]));
  const ballast = join(dir, 'ballast');
  return {
    dir,
    fill(left = 0) {
      for (const size of [65_536, 4096, 1]) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
        } catch {
          // full, for pieces of this size
        }
      }
      const size = statSync(ballast).size - left;
      if (size < 0) throw new RangeError(`this disk never has ${left} bytes free`);
      truncateSync(ballast, size);
    },
    free: () => rmSync(ballast),
  };
}
