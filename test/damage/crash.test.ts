import { spawnSync } from 'node:child_process';
import { readdirSync, truncateSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openHost } from '../../main/host.ts';
import { CLI } from '../support/built.ts';
import { lullHere, rowsIn, type TestHome, testHome } from '../support/host.ts';

async function backedUp(): Promise<TestHome> {
  const home = testHome();
  const stock = home.file('a.csv', 'sku,name,on hand,reorder point,unit cost\nA,Apple,5,3,1.00\n');
  expect(await lullHere(home, ['stock', 'import', stock])).toMatchObject({ code: 0 });
  expect(await lullHere(home, ['backup'])).toMatchObject({ code: 0 });
  return home;
}

describe('a host that is killed while a backup is put back', () => {
  it.each(['restore.planned', 'restore.copied', 'restore.aside', 'restore.placed'])(
    'D13 Q6 at %s: the next one carries it to its end, and tells it once',
    async (point) => {
      const home = await backedUp();
      truncateSync(home.database, 8192);
      const killed = run(home, ['start', '--no-open', '--facts', home.factsFile], point);
      expect(killed).toMatchObject({ signal: 'SIGKILL', stderr: `failpoint ${point}\n` });
      const facts = home.factsFile;
      const next = await openHost({ home, facts, offline: true });
      expect(rowsIn(home, 'SELECT sku FROM products')).toEqual([{ sku: 'A' }]);
      expect(rowsIn(home, 'SELECT cause, count FROM notices')).toEqual([
        { cause: 'restored', count: 1 },
      ]);
      await next.stop();
      expect(readdirSync(home.dir)).not.toContain('restore.json');
      expect(readdirSync(home.setAside).length).toBeGreaterThan(0);
    },
  );

  it.each(['backup.copied', 'backup.sealed'])(
    'D13 at %s of a backup: nothing counts as one, and the next is whole',
    async (point) => {
      const home = await backedUp();
      const before = readdirSync(home.backups).filter((name) => name.endsWith('.sqlite'));
      const killed = run(home, ['backup'], point);
      expect(killed).toMatchObject({ signal: 'SIGKILL', stderr: `failpoint ${point}\n` });
      const after = readdirSync(home.backups).filter((name) => /^[a-z].*\.sqlite$/.test(name));
      expect(after).toEqual(before);
      expect(run(home, ['backup'])).toMatchObject({ status: 0, stderr: '' });
    },
  );
});

function run(home: TestHome, line: string[], point = '') {
  return spawnSync(process.execPath, [CLI, '--home', home.dir, ...line], {
    encoding: 'utf8',
    env: { ...process.env, LULL_FAILPOINT: point },
  });
}
