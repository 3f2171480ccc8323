import { describe, expect, it } from 'vitest';
import { approvalDuty } from '../../main/desk/approval-duty.ts';
import { deskOver, finishedJob, orderDraft, orderFiles } from '../support/desk.ts';
import { temporaryStore } from '../support/store.ts';

describe('D4 an approval whose end could not be stored', () => {
  it('D4 is carried out at the next pass that can store it, and once', async () => {
    const store = await temporaryStore();
    const { desk, drafts, orders } = deskOver(store);
    const id = drafts.insert(orderDraft(finishedJob(store)));
    store.db.exec(`CREATE TEMP TRIGGER full BEFORE UPDATE OF state ON drafts
      WHEN NEW.state = 'applied' BEGIN SELECT RAISE(ABORT, 'no space'); END`);
    const duty = approvalDuty(desk);

    expect(() => desk.approve(id)).toThrow('no space');
    expect(() => duty.runOnce(0)).toThrow('no space');
    expect(drafts.get(id)?.state).toBe('approved');
    const written = orderFiles(orders);

    store.db.exec('DROP TRIGGER full');
    expect(duty.runOnce(0)).toBe(1);
    expect(drafts.get(id)?.state).toBe('applied');
    expect(orderFiles(orders)).toEqual(written);
    expect(duty.runOnce(0)).toBe(0);
  });
});
