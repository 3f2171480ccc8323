import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Session } from './entry.ts';

const door = z.object({
  port: z.int().min(1).max(65_535),
  sessions: z.array(z.object({ digest: z.string(), seenAt: z.int() })).max(1000),
});

/** What one host leaves to the next: its port, and the browsers it let in. */
export interface Door {
  port: number;
  sessions: readonly Session[];
}

export interface DoorFile {
  /** Null where nothing, or nothing readable, was left. */
  read(): Door | null;
  /** A folder that cannot be written costs the owner no more than a new link after a restart. */
  write(door: Door): void;
}

/**
 * The panel's door in the data folder, readable by the owner only. It holds digests, which open
 * nothing. A browser keeps to one port, so the sessions of another port are worth nothing.
 */
export function doorFile(path: string): DoorFile {
  return {
    read() {
      try {
        return door.parse(JSON.parse(readFileSync(path, 'utf8')));
      } catch {
        return null;
      }
    },
    write(left) {
      const temporary = `${path}.tmp`;
      try {
        writeFileSync(temporary, JSON.stringify(left), { mode: 0o600 });
        renameSync(temporary, path);
      } catch {
        rmSync(temporary, { force: true });
      }
    },
  };
}
