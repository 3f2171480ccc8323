import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../../main/base/store/database.ts';
import { pausesTable } from '../../../main/base/store/pauses.ts';
import { temporaryFolder, temporaryStore } from '../../support/store.ts';

it('G4 each scope has one pause, replaced by the next and cleared by itself', async () => {
  const pauses = pausesTable((await temporaryStore()).db);
  expect(pauses.get()).toEqual({ all: null, heavy: null });
  pauses.set('all', 100, null);
  pauses.set('heavy', 100, 500);
  pauses.set('all', 200, 300);
  expect(pauses.get()).toEqual({
    all: { since: 200, until: 300 },
    heavy: { since: 100, until: 500 },
  });
  expect(pauses.clear('all')).toBe(true);
  expect(pauses.clear('all')).toBe(false);
  expect(pauses.get().heavy).toEqual({ since: 100, until: 500 });
});

it('G4 a pause is removed when its time has come, one without an end never', async () => {
  const pauses = pausesTable((await temporaryStore()).db);
  pauses.set('all', 100, null);
  pauses.set('heavy', 100, 500);
  expect(pauses.clearExpired(499)).toEqual([]);
  expect(pauses.clearExpired(500)).toEqual(['heavy']);
  expect(pauses.clearExpired(Number.MAX_SAFE_INTEGER)).toEqual([]);
  expect(pauses.get().all).toEqual({ since: 100, until: null });
});

it('G4 what a transaction has changed and then undone is not so', async () => {
  const store = await temporaryStore();
  const pauses = pausesTable(store.db);
  pauses.set('heavy', 100, 500);
  const undone = () =>
    store.tx(() => {
      pauses.set('all', 100, null);
      pauses.clear('heavy');
      expect(pauses.get()).toEqual({ all: { since: 100, until: null }, heavy: null });
      throw new Error('undone');
    });
  expect(undone).toThrow('undone');
  expect(pauses.get()).toEqual({ all: null, heavy: { since: 100, until: 500 } });
});

it('G4 the database refuses a pause that ends before it begins', async () => {
  const pauses = pausesTable((await temporaryStore()).db);
  expect(() => pauses.set('all', 500, 500)).toThrow(/CHECK/);
});

it('G4 pauses survive a restart', async () => {
  const dir = temporaryFolder();
  const open = () => openStore(join(dir, 'lull.sqlite'), { backups: dir, now: 1 });
  const first = await open();
  pausesTable(first.db).set('heavy', 100, 500);
  first.close();
  const second = await open();
  expect(pausesTable(second.db).get().heavy).toEqual({ since: 100, until: 500 });
  second.close();
});
