import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure } from '../../main/base/errors.ts';
import { interruptedReport } from '../../main/desk/interrupted.ts';
import {
  deskOver,
  finishedJob,
  good,
  MORNING,
  needOf,
  orderDraft,
  orderFiles,
  STRAWBERRY,
  textDraft,
  VANILLA,
} from '../support/desk.ts';
import { temporaryStore } from '../support/store.ts';
import { aJob } from './a-job.ts';

const DAY = 86_400_000;

async function withOrder() {
  const store = await temporaryStore();
  const set = deskOver(store);
  const id = set.drafts.insert(orderDraft(finishedJob(store), [STRAWBERRY, VANILLA]));
  return { ...set, store, id };
}

describe('approving an order', () => {
  it('D4 writes one CSV and one Markdown file and says which', async () => {
    const { desk, id, orders } = await withOrder();
    expect(desk.approve(id)).toEqual({
      ok: true,
      value: { outcome: 'applied', files: ['orders/1.csv', 'orders/1.md'] },
    });
    expect(orderFiles(orders)['1.csv']).toBe(
      'sku,name,quantity,unit,unit_cost,total,currency\r\n' +
        'SKU-STRAWBERRY,Strawberry,4,tubs,2.75,11.00,USD\r\n' +
        'SKU-VANILLA,Vanilla,6,tubs,2.50,15.00,USD\r\n',
    );
    expect(orderFiles(orders)['1.md']).toContain('| **Total** |  |  |  | **$26.00** |');
    const shown = good(desk.show(id));
    expect([shown.state, shown.decidedAt, shown.appliedAt]).toEqual(['applied', MORNING, MORNING]);
  });

  it('D4 approving twice leaves the same files and the same moment', async () => {
    const { desk, id, orders, time, drafts } = await withOrder();
    const first = desk.approve(id);
    const before = orderFiles(orders);
    const draft = drafts.get(id);
    time.now += 5000;
    expect(desk.approve(id)).toEqual(first);
    expect(orderFiles(orders)).toEqual(before);
    expect(drafts.get(id)).toEqual(draft);
  });

  it('D4 approvals that arrive together have one effect', async () => {
    const { desk, id, orders } = await withOrder();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => good(desk.approve(id)).outcome),
    );
    expect(new Set(answers)).toEqual(new Set(['applied']));
    expect(readdirSync(orders).sort()).toEqual(['1.csv', '1.md']);
  });

  it('D4 an applied order whose file the owner changed is left as it is', async () => {
    const { desk, id, orders } = await withOrder();
    good(desk.approve(id));
    writeFileSync(join(orders, '1.csv'), 'mine now');
    expect(good(desk.approve(id)).outcome).toBe('applied');
    expect(orderFiles(orders)['1.csv']).toBe('mine now');
  });

  it('D4 a changed need asks again, writes nothing, and is applied as drafted on the word of the owner', async () => {
    const { desk, id, orders, shop, drafts } = await withOrder();
    shop.set(VANILLA.sku, { ...needOf(VANILLA), needed: 4 });
    const asked = good(desk.approve(id));
    if (asked.outcome !== 'changed') throw new Error(`not asked: ${asked.outcome}`);
    expect(asked.changes).toEqual([
      'Vanilla (SKU-VANILLA): 4 tubs are needed now; the draft orders 6 tubs',
    ]);
    expect(drafts.get(id)?.state).toBe('pending');
    expect(orderFiles(orders)).toEqual({});
    expect(good(desk.approve(id, 'some other token')).outcome).toBe('changed');
    expect(good(desk.approve(id, asked.confirm)).outcome).toBe('applied');
    expect(orderFiles(orders)['1.csv']).toContain('Vanilla,6,tubs');
  });

  it('D4 a word given for other observations is asked for again', async () => {
    const { desk, id, shop } = await withOrder();
    shop.set(VANILLA.sku, { ...needOf(VANILLA), needed: 4 });
    const first = good(desk.approve(id));
    shop.set(VANILLA.sku, { ...needOf(VANILLA), needed: 3 });
    const second = good(desk.approve(id, first.outcome === 'changed' ? first.confirm : ''));
    expect(second).toMatchObject({ outcome: 'changed' });
    expect(second).not.toEqual(first);
  });

  it('D4 an applied order of the last seven days for the same product is named', async () => {
    const { desk, id, drafts, store, time } = await withOrder();
    good(desk.approve(id));
    const next = drafts.insert(orderDraft(finishedJob(store), [VANILLA]));
    time.now += 7 * DAY;
    expect(good(desk.approve(next))).toMatchObject({
      outcome: 'changed',
      changes: ['Vanilla (SKU-VANILLA): order 1 of 3 Dec already covers 6 tubs'],
    });
    time.now += 1;
    expect(good(desk.approve(next)).outcome).toBe('applied');
  });

  it('D4 a folder that cannot be written fails with the reason, and approving again mends it', async () => {
    const { desk, id, orders, drafts, notices } = await withOrder();
    rmSync(orders, { recursive: true });
    writeFileSync(orders, '');
    const failed = good(desk.approve(id));
    expect(failed.outcome === 'failed' && failed.error).toMatch(/something else is in its place/);
    expect(drafts.get(id)).toMatchObject({ state: 'apply-failed', error: expect.any(String) });
    expect(notices.open()).toMatchObject([{ cause: 'order-failed:1', draft: 1, count: 1 }]);
    expect(good(desk.approve(id)).outcome).toBe('failed');
    expect(notices.open()).toMatchObject([{ count: 2 }]);
    rmSync(orders);
    expect(good(desk.approve(id)).outcome).toBe('applied');
    expect(drafts.get(id)).toMatchObject({ state: 'applied', error: null });
    expect(notices.open()).toEqual([]);
    expect(readdirSync(orders).sort()).toEqual(['1.csv', '1.md']);
  });

  it('D4 an order that failed can be dismissed, and its notice goes with it', async () => {
    const { desk, id, orders, notices } = await withOrder();
    rmSync(orders, { recursive: true });
    writeFileSync(orders, '');
    expect(good(desk.approve(id)).outcome).toBe('failed');
    expect(good(desk.dismiss(id)).state).toBe('dismissed');
    expect(notices.open()).toEqual([]);
    expect(good(desk.show(id)).error).toBeNull();
  });

  it.skipIf(process.getuid?.() === 0)(
    'D4 a folder without permission is named as that',
    async () => {
      const { desk, id, orders } = await withOrder();
      chmodSync(orders, 0o500);
      const failed = good(desk.approve(id));
      expect(failed.outcome === 'failed' && failed.error).toMatch(
        /no permission to write .*1\.csv;/,
      );
      chmodSync(orders, 0o700);
      expect(good(desk.approve(id)).outcome).toBe('applied');
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'D4 a full disk is named as that, and leaves nothing',
    async () => {
      const { desk, id, orders } = await withOrder();
      symlinkSync('/dev/full', join(orders, '.1.md.tmp'));
      const failed = good(desk.approve(id));
      expect(failed.outcome === 'failed' && failed.error).toMatch(
        /the disk is full, so .*1\.md was not written; free some space and approve again/,
      );
      expect(readdirSync(orders)).toEqual([]);
      expect(good(desk.approve(id)).outcome).toBe('applied');
    },
  );

  it('D4 a file of another order is never overwritten, and half a pair is not left behind', async () => {
    const { desk, id, orders, drafts } = await withOrder();
    writeFileSync(join(orders, '1.md'), 'an order of an older database');
    const failed = good(desk.approve(id));
    expect(failed.outcome === 'failed' && failed.error).toMatch(
      /1\.md is there already and holds something else; move it away and approve again/,
    );
    expect(orderFiles(orders)).toEqual({ '1.md': 'an order of an older database' });
    expect(drafts.get(id)?.state).toBe('apply-failed');
    rmSync(join(orders, '1.md'));
    expect(good(desk.approve(id)).outcome).toBe('applied');
  });

  it('D4 a failure after the first file takes that file back', async () => {
    const { desk, id, orders } = await withOrder();
    mkdirSync(join(orders, '.1.md.tmp'));
    expect(good(desk.approve(id)).outcome).toBe('failed');
    expect(readdirSync(orders)).toEqual(['.1.md.tmp']);
    rmSync(join(orders, '.1.md.tmp'), { recursive: true });
    expect(good(desk.approve(id)).outcome).toBe('applied');
    expect(readdirSync(orders).sort()).toEqual(['1.csv', '1.md']);
  });

  it('D4 a retry asks again when the need has changed meanwhile', async () => {
    const { desk, id, orders, shop } = await withOrder();
    rmSync(orders, { recursive: true });
    writeFileSync(orders, '');
    expect(good(desk.approve(id)).outcome).toBe('failed');
    rmSync(orders);
    shop.delete(VANILLA.sku);
    expect(good(desk.approve(id))).toMatchObject({
      outcome: 'changed',
      changes: ['Vanilla (SKU-VANILLA): it is not among the products any more'],
    });
  });

  it('D4 what does not wait is refused in one line', async () => {
    const { desk, id, drafts, store } = await withOrder();
    expect(desk.approve(99)).toMatchObject({ ok: false, message: 'there is no draft 99' });
    good(desk.dismiss(id));
    expect(desk.approve(id)).toMatchObject({
      ok: false,
      code: 'refused',
      message: 'draft 1 cannot be approved: it was dismissed',
    });
    const old = drafts.insert(orderDraft(finishedJob(store), [VANILLA], { topic: 't' }));
    const newer = drafts.insert(orderDraft(finishedJob(store), [VANILLA], { topic: 't' }));
    expect(desk.approve(old)).toMatchObject({
      ok: false,
      message: `draft ${old} cannot be approved: draft ${newer} has taken its place`,
    });
  });

  it('D4 a draft that cannot be read is refused and stays as it is', async () => {
    const { desk, drafts, store, orders } = await withOrder();
    const body = { lines: [{ ...VANILLA, quantity: -6 }], provenance: '', notes: '' };
    const id = drafts.insert(orderDraft(finishedJob(store), [VANILLA], { body }));
    const line = `what draft ${id} says cannot be read`;
    expect(desk.approve(id)).toMatchObject({ ok: false, message: line });
    expect(desk.show(id)).toMatchObject({ ok: false, message: line });
    expect(drafts.get(id)?.state).toBe('pending');
    expect(orderFiles(orders)).toEqual({});
    expect(good(desk.dismiss(id)).state).toBe('dismissed');
  });
});

describe('approving a text or a report', () => {
  it('A5 a text draft is kept and writes nothing', async () => {
    const store = await temporaryStore();
    const { desk, drafts, orders } = deskOver(store);
    const id = drafts.insert(textDraft(finishedJob(store), 'words'));
    expect(good(desk.approve(id))).toEqual({ outcome: 'applied', files: [] });
    expect(good(desk.approve(id))).toEqual({ outcome: 'applied', files: [] });
    expect(drafts.get(id)?.state).toBe('applied');
    expect(orderFiles(orders)).toEqual({});
  });

  it('Q6 approving the report of an interrupted run starts the work again, once', async () => {
    const store = await temporaryStore();
    const { desk, drafts, again } = deskOver(store);
    const job = finishedJob(store);
    const report = interruptedReport(aJob({ id: job }), false, 'UTC');
    const id = drafts.insert({ ...report, createdAt: MORNING });
    good(desk.approve(id));
    good(desk.approve(id));
    expect(again).toEqual([job]);
    expect(drafts.get(id)?.state).toBe('applied');
  });

  it('Q6 a report whose work cannot be started again stays pending and says why', async () => {
    const store = await temporaryStore();
    const { desk, drafts, runAgain } = deskOver(store);
    const report = interruptedReport(aJob({ id: finishedJob(store) }), false, 'UTC');
    const id = drafts.insert({ ...report, createdAt: MORNING });
    runAgain.answer = () => failure('queue_full', 'the queue is full, nothing was started');
    expect(desk.approve(id)).toMatchObject({ ok: false, code: 'queue_full' });
    expect(drafts.get(id)?.state).toBe('pending');
  });
});
