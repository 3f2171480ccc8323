import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveHome } from '../../main/base/home.ts';
import { listBackups } from '../../main/base/store/backup-folder.ts';
import { dumpOf, lullHere, type TestHome, testHome } from '../support/host.ts';
import { type SmallDisk, smallDisk } from '../support/small-disk.ts';

/** Kilobytes left on the disk: from none to more than any of the commands takes. */
const ROOM = [0, 8, 40, 100, 200, 300, 400, 600, 800, 1100, 1500];

/** A data folder on the small disk with a stock, a schedule, a job, and a backup from before the last change. */
async function furnished(disk: SmallDisk): Promise<TestHome> {
  const home = { ...testHome(), ...resolveHome(join(disk.dir, 'data')) };
  const rows = [...Array(400).keys()].map((n) => `SKU-${n},Product number ${n},${n},12,1.25`);
  const stock = home.file(
    's.csv',
    ['sku,name,on hand,reorder point,unit cost', ...rows].join('\n'),
  );
  for (const line of [
    ['stock', 'import', stock],
    ['add', 'Wait.', '--not-before', '2099-01-01'],
    ['backup'],
    ['schedule', 'add', 's', '--prompt', 'Look.', '--every', '1d'],
  ])
    expect(await lullHere(home, line)).toMatchObject({ code: 0 });
  return home;
}

/** Every file of a data folder but the logs, with its size; the database's own log comes and goes. */
function filesOf(home: TestHome): Record<string, number> {
  const names = readdirSync(home.dir, { recursive: true, encoding: 'utf8' });
  const kept = names.filter((name) => !/^logs|-(wal|shm)$/.test(name));
  return Object.fromEntries(
    kept
      .map((name) => [name, statSync(join(home.dir, name))] as const)
      .filter(([, stat]) => stat.isFile())
      .map(([name, stat]) => [name, stat.size]),
  );
}

/**
 * Gives a command with less and with more room on the disk: it does all of its work, or says in one
 * line that the disk is full, exits 3 and leaves everything as it was.
 */
async function withLittleRoom(
  line: readonly string[],
  check: (home: TestHome, disk: SmallDisk) => void,
  prepare: (home: TestHome, disk: SmallDisk) => Promise<void> = async () => {},
): Promise<{ refused: number; done: number } | null> {
  const seen = { refused: 0, done: 0 };
  for (const left of ROOM) {
    const disk = smallDisk();
    if (!disk) return null;
    const home = await furnished(disk);
    await prepare(home, disk);
    const [rows, files] = [dumpOf(home), filesOf(home)];
    const words = line.map((word) => word.replace('DISK', disk.dir));
    disk.fill(left * 1000);
    const ended = await lullHere(home, words);
    disk.free();
    if (ended.code === 0) {
      seen.done += 1;
      check(home, disk);
      continue;
    }
    seen.refused += 1;
    expect([left, ended.code, ended.out]).toEqual([left, 3, '']);
    expect(ended.err).toMatch(/^lull: [^\n]*disk is (too )?full[^\n]*\n$/);
    expect([left, dumpOf(home)]).toEqual([left, rows]);
    expect([left, filesOf(home)]).toEqual([left, files]);
    expect(await lullHere(home, words)).toMatchObject({ code: 0 });
    check(home, disk);
  }
  return seen;
}

const SCHEDULES = (home: TestHome) => dumpOf(home)?.schedules?.length;

describe('a disk that is nearly full', () => {
  it('D13 a backup is made whole, or not at all', async (test) => {
    const seen = await withLittleRoom(['backup'], (home) => {
      expect(listBackups(home.backups)).toHaveLength(2);
    });
    if (!seen) return test.skip('this needs the right to mount a small disk');
    expect([seen.refused > 1, seen.done > 1]).toEqual([true, true]);
  });

  it('D13 a restore puts the backup in place, or leaves what there is', async (test) => {
    const seen = await withLittleRoom(['restore', '--yes'], (home) => {
      expect(SCHEDULES(home)).toBe(0);
      expect(existsSync(home.restorePlan)).toBe(false);
    });
    if (!seen) return test.skip('this needs the right to mount a small disk');
    expect([seen.refused > 1, seen.done > 1]).toEqual([true, true]);
  });

  it('D13 an export is written whole, or not at all', async (test) => {
    const seen = await withLittleRoom(['export', 'DISK/all.jsonl'], (_home, disk) => {
      const lines = readFileSync(join(disk.dir, 'all.jsonl'), 'utf8').trimEnd().split('\n');
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ end: true });
    });
    if (!seen) return test.skip('this needs the right to mount a small disk');
    expect([seen.refused > 1, seen.done > 1]).toEqual([true, true]);
  });

  it('D13 an export to another disk that is full says where it is kept', async (test) => {
    const disk = smallDisk();
    if (!disk) return test.skip('this needs the right to mount a small disk');
    const home = testHome();
    expect(await lullHere(home, ['add', 'Wait.', '--not-before', '2099-01-01'])).toMatchObject({
      code: 0,
    });
    disk.fill();
    const target = join(disk.dir, 'all.jsonl');
    const ended = await lullHere(home, ['export', target]);
    expect(ended).toMatchObject({ code: 3, out: '' });
    expect(ended.err).toMatch(/cannot be written: its disk is full - the export is here: /);
    expect(existsSync(target)).toBe(false);
    const kept = /is here: (\S+)/.exec(ended.err)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toMatch(/"end":true/);
  });

  it('D13 an import is taken over whole, or leaves what there is', async (test) => {
    const seen = await withLittleRoom(
      ['import', '--replace', 'DISK/all.jsonl'],
      (home) => {
        expect(SCHEDULES(home)).toBe(1);
        expect(existsSync(home.restorePlan)).toBe(false);
      },
      async (home, disk) => {
        expect(await lullHere(home, ['export', join(disk.dir, 'all.jsonl')])).toMatchObject({
          code: 0,
        });
      },
    );
    if (!seen) return test.skip('this needs the right to mount a small disk');
    expect([seen.refused > 1, seen.done > 1]).toEqual([true, true]);
  });
});
