import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lostCommits } from '../../../main/base/store/wal-scan.ts';
import { temporaryFolder, temporaryStore } from '../../support/store.ts';

const HEADER = 32;
const FRAME = 24 + 4096;

/** A log of ten commits, as a killed host leaves it; `earlier` commits lie behind, of a generation before. */
async function logOf(earlier = 0): Promise<string> {
  const store = await temporaryStore();
  const commit = (n: number) =>
    store.db.exec(`INSERT INTO pauses (scope, since, until)
    VALUES ('all', 1, ${n + 2}) ON CONFLICT (scope) DO UPDATE SET until = excluded.until`);
  for (let n = 0; n < earlier; n++) commit(n);
  store.db.pragma(earlier > 0 ? 'wal_checkpoint(RESTART)' : 'wal_checkpoint(TRUNCATE)');
  for (let n = 0; n < 10; n++) commit(n);
  const copy = join(temporaryFolder(), 'wal');
  copyFileSync(`${store.path}-wal`, copy);
  return copy;
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
}

describe('a log after an unclean end', () => {
  it('Q6 none, an empty and a whole one have lost nothing, also over the rest of an older one', async () => {
    expect(lostCommits(join(temporaryFolder(), 'none'))).toBe(0);
    expect(lostCommits(await logOf())).toBe(0);
    expect(lostCommits(await logOf(40))).toBe(0);
    const empty = await logOf();
    truncateSync(empty, 0);
    expect(lostCommits(empty)).toBe(0);
  });

  it('Q6 what a loss of power leaves of the last transaction is no damage', async () => {
    const torn = await logOf();
    truncateSync(torn, statSync(torn).size - 700);
    expect(lostCommits(torn)).toBe(0);
    const unwritten = await logOf();
    flip(unwritten, statSync(unwritten).size - 700);
    expect(lostCommits(unwritten)).toBe(0);
  });

  it('Q6 a changed bit before that is: SQLite would drop the rest without a word', async () => {
    for (const at of [24 + 100, 17, 3]) {
      const damaged = await logOf();
      flip(damaged, HEADER + 4 * FRAME + at);
      expect(lostCommits(damaged)).toBeGreaterThanOrEqual(5);
    }
    const headless = await logOf();
    flip(headless, 9);
    expect(lostCommits(headless)).toBeGreaterThan(0);
  });
});
