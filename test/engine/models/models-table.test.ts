import { expect, it, describe as room } from 'vitest';
import { modelsTable } from '../../../main/base/store/models.ts';
import { temporaryStore } from '../../support/store.ts';

room('S3 what is kept of models', () => {
  it('S3 learned memory is exact for its window, an upper bound for smaller ones, and replaced', async () => {
    const table = modelsTable((await temporaryStore()).db);
    table.learn('d', 8192, 5, 1);
    table.learn('d', 32_768, 9, 1);
    expect(table.memory('d', 8192)).toBe(5);
    expect(table.memory('d', 4096)).toBeNull();
    expect(table.memoryOfLarger('d', 4096)).toBe(5);
    expect(table.memoryOfLarger('d', 8192)).toBe(9);
    expect(table.memoryOfLarger('d', 32_768)).toBeNull();
    table.learn('d', 8192, 4, 2);
    expect(table.memory('d', 8192)).toBe(4);
  });

  it('S3 a model is ours from the asking until it is seen gone; what failed or stuck changes nothing', async () => {
    const table = modelsTable((await temporaryStore()).db);
    const row = { at: 1, server: 's', model: 'm', numCtx: 8192 };
    table.record({ ...row, action: 'loading' });
    expect(table.owned()).toEqual([
      { server: 's', model: 'm', numCtx: 8192, effectiveCtx: null, at: 1 },
    ]);
    table.record({ ...row, action: 'failed' });
    expect(table.owned()).toHaveLength(1);
    table.record({ ...row, action: 'load', effectiveCtx: 4096 });
    table.record({ ...row, action: 'stuck' });
    table.record({ ...row, action: 'refused' });
    expect(table.owned()).toMatchObject([{ effectiveCtx: 4096 }]);
    table.record({ ...row, server: 't', action: 'load', effectiveCtx: 1 });
    table.record({ at: 2, server: 's', model: 'm', action: 'gone' });
    expect(table.owned()).toMatchObject([{ server: 't' }]);
  });

  it('S3 the ledger of loads is counted by time and never edited', async () => {
    const { db } = await temporaryStore();
    const table = modelsTable(db);
    const row = { server: 's', model: 'm' };
    table.record({ ...row, at: 1, action: 'load' });
    table.record({ ...row, at: 5, action: 'load', swapped: true, tier: 'routine', millis: 7 });
    table.record({ ...row, at: 6, action: 'refused', detail: 'why' });
    expect(table.tally(0)).toEqual({ loads: 2, swaps: 1, refusals: 1 });
    expect(table.tally(2)).toEqual({ loads: 1, swaps: 1, refusals: 1 });
    expect(table.recent(2).map((one) => one.action)).toEqual(['refused', 'load']);
    expect(table.recent(2)[1]).toMatchObject({ swapped: true, tier: 'routine', millis: 7 });
    expect(() => db.exec("UPDATE model_loads SET detail = 'x'")).toThrow('append-only');
    expect(() => table.record({ ...row, at: 1, action: 'x' as 'load' })).toThrow('CHECK');
  });
});
