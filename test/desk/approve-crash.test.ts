import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../main/base/store/database.ts';
import { deskOver, finishedJob, orderDraft, orderFiles, VANILLA } from '../support/desk.ts';
import { temporaryFolder } from '../support/store.ts';

const SCRIPT = join(import.meta.dirname, '../support/approve.ts');

async function open(path: string) {
  const store = await openStore(path, { backups: dirname(path), now: 0 });
  return { store, ...deskOver(store) };
}

/** A database with one pending order; returns where it is. */
async function prepared(): Promise<string> {
  const path = join(temporaryFolder(), 'lull.sqlite');
  const { store, drafts } = await open(path);
  drafts.insert(orderDraft(finishedJob(store), [VANILLA]));
  store.close();
  return path;
}

function approveInAnotherProcess(path: string, failpoint: string) {
  const env = { ...process.env, LULL_FAILPOINT: failpoint };
  return spawnSync(process.execPath, [SCRIPT, path, '1'], { env, encoding: 'utf8' });
}

describe('a crash while an order is approved', () => {
  it.each([
    ['order.approved', 0],
    ['order.file', 2],
    ['order.file:2', 2],
    ['order.written', 2],
  ])(
    'D4 killed at %s, the next start finishes it: one pair, the same bytes',
    async (failpoint, files) => {
      const untouched = await prepared();
      const whole = approveInAnotherProcess(untouched, '');
      expect(JSON.parse(whole.stdout)).toMatchObject({ ok: true, value: { outcome: 'applied' } });

      const path = await prepared();
      const killed = approveInAnotherProcess(path, failpoint);
      expect(killed.signal).toBe('SIGKILL');
      const { store, desk, drafts, orders, time } = await open(path);
      expect(drafts.get(1)?.state).toBe('approved');
      expect(Object.keys(orderFiles(orders))).toHaveLength(files);

      time.now += 60_000;
      expect(desk.resumeApproved()).toEqual([
        { id: 1, approval: { outcome: 'applied', files: ['orders/1.csv', 'orders/1.md'] } },
      ]);
      const whatItShouldBe = orderFiles(join(dirname(untouched), 'orders'));
      expect(orderFiles(orders)).toEqual(whatItShouldBe);
      expect(Object.keys(whatItShouldBe)).toEqual(['1.csv', '1.md']);
      expect(drafts.get(1)?.state).toBe('applied');
      expect(desk.resumeApproved()).toEqual([]);
      store.close();
    },
  );

  it('D4 approving again finishes it too, without asking about what changed since', async () => {
    const path = await prepared();
    approveInAnotherProcess(path, 'order.file:2');
    const { store, desk, drafts, shop, orders } = await open(path);
    shop.clear();
    expect(desk.approve(1)).toMatchObject({ ok: true, value: { outcome: 'applied' } });
    expect(drafts.get(1)?.state).toBe('applied');
    expect(Object.keys(orderFiles(orders))).toEqual(['1.csv', '1.md']);
    store.close();
  });

  it('D4 when it cannot be finished, the half that was written is taken back', async () => {
    const path = await prepared();
    approveInAnotherProcess(path, 'order.file:2');
    const { store, desk, drafts, orders, notices } = await open(path);
    writeFileSync(join(orders, '1.md'), 'of somebody else');
    expect(desk.resumeApproved()).toMatchObject([{ id: 1, approval: { outcome: 'failed' } }]);
    expect(orderFiles(orders)).toEqual({ '1.md': 'of somebody else' });
    expect(drafts.get(1)?.state).toBe('apply-failed');
    expect(notices.open()).toMatchObject([{ cause: 'order-failed:1' }]);
    store.close();
  });
});
