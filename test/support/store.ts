import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openStore, type Store } from '../../main/base/store/database.ts';

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lull-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A fresh, migrated database in its own folder, closed and removed after the test. */
export async function temporaryStore(now = 1_780_000_000_000): Promise<Store> {
  const dir = temporaryFolder();
  const store = await openStore(join(dir, 'lull.sqlite'), { backups: dir, now });
  onTestFinished(() => store.close());
  return store;
}
