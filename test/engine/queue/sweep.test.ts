import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deadlineLapsed, orphaned } from '../../../main/engine/queue/lease.ts';
import { testQueue } from './test-queue.ts';

const idempotent = (kind: string) => kind === 'vault_sync';

describe('the sweep', () => {
  it('Q6 idempotent and checkpointed work is queued again; a turn is failed and says which run held it', async () => {
    const { add, take, queue, events } = await testQueue();
    const sync = add({ kind: 'vault_sync' });
    const half = add({ kind: 'dream' });
    const turn = add({ kind: 'brief', session: 'shop' });
    take({ runId: 3 });
    queue.saveCheckpoint(take({ runId: 3 }), { cluster: 2 });
    take({ runId: 3 });

    const sweep = queue.sweep(4, idempotent);
    expect(sweep.requeued.map((job) => job.id)).toEqual([sync.id, half.id]);
    expect(sweep.failed.map((job) => job.id)).toEqual([turn.id]);
    expect(queue.get(sync.id)).toMatchObject({
      state: 'queued',
      attempts: 1,
      uncleanExits: 1,
      startedAt: null,
      claimedByRun: null,
    });
    expect(queue.get(half.id)).toMatchObject({ state: 'queued', checkpoint: { cluster: 2 } });
    expect(queue.get(turn.id)).toMatchObject({
      state: 'failed',
      error: 'orphaned by unclean exit of run #3',
      claimedByRun: 3,
    });
    expect(events.byKind('job.swept', 9)).toMatchObject([
      { job: turn.id, payload: { run: 3, fate: 'failed' } },
      { job: half.id, payload: { fate: 'requeued' } },
      { job: sync.id, payload: { fate: 'requeued' } },
    ]);
    expect(queue.sweep(4, idempotent)).toMatchObject({ requeued: [], failed: [], givenUp: [] });
  });

  it('Q6 rows of this run are never touched; a lapsed lease of its own is reported alone', async () => {
    const { add, take, queue, clock, config } = await testQueue();
    config.jobBudgetsSeconds = { brief: 60 };
    add();
    add({ kind: 'other' });
    const mine = take({ runId: 5 });
    take({ runId: 5 });
    const before = queue.running();
    clock.jump(59_999);
    expect(queue.sweep(5, idempotent).leaseExpired).toEqual([]);
    clock.jump(1);
    const sweep = queue.sweep(5, idempotent);
    expect(sweep.leaseExpired.map((job) => job.id)).toEqual([mine.id]);
    expect({ ...sweep, leaseExpired: [] }).toEqual({
      requeued: [],
      failed: [],
      givenUp: [],
      cancelled: [],
      leaseExpired: [],
    });
    expect(queue.running()).toEqual(before);
  });

  it('Q6 at the third unclean exit a job is failed for good and not started again', async () => {
    const { add, take, queue, claim } = await testQueue();
    const { id } = add({ kind: 'vault_sync' });
    for (const run of [1, 2]) {
      take({ runId: run });
      expect(queue.sweep(run + 1, idempotent).requeued).toHaveLength(1);
    }
    take({ runId: 3 });
    const sweep = queue.sweep(4, idempotent);
    expect(sweep.requeued).toEqual([]);
    expect(sweep.givenUp).toMatchObject([{ id, state: 'failed', uncleanExits: 3, attempts: 3 }]);
    expect(queue.get(id)?.error).toBe(
      'found running at 3 unclean exits, the last of run #3; not started again by itself',
    );
    expect(claim()).toBeNull();
  });

  it('Q6 a cancel that the owner asked for before the crash is carried out by the sweep', async () => {
    const { add, take, queue } = await testQueue();
    const { id } = add({ kind: 'vault_sync' });
    take({ runId: 1 });
    queue.cancel(id);
    const sweep = queue.sweep(2, idempotent);
    expect(sweep.cancelled.map((job) => job.id)).toEqual([id]);
    expect(sweep.requeued).toEqual([]);
    expect(queue.get(id)?.state).toBe('cancelled');
  });

  it('Q6 what waits or has ended is never looked at', async () => {
    const { add, take, queue, clock } = await testQueue();
    for (let i = 0; i < 3; i++) add();
    add({ notBefore: clock.now() + 1 });
    queue.complete(take(), null);
    queue.fail(take(), 'no');
    const all = queue.list({ limit: 10 });
    queue.sweep(9, idempotent);
    expect(queue.list({ limit: 10 })).toEqual(all);
  });

  it('Q6 a swept claim is void: its late result changes nothing', async () => {
    const { add, take, queue } = await testQueue();
    const { id } = add({ kind: 'vault_sync' });
    const ghost = take({ runId: 1 });
    queue.sweep(2, idempotent);
    expect(queue.complete(ghost, 'from the grave')).toBe(false);
    take({ runId: 2 });
    expect(queue.complete(ghost, 'from the grave')).toBe(false);
    expect(queue.get(id)).toMatchObject({ state: 'running', result: null });
  });
});

describe('orphanhood', () => {
  it('Q5 is read off the row: running, and held by no living run, or past its lease', async () => {
    const { add, take, queue, clock, config } = await testQueue();
    config.jobBudgetsSeconds = { brief: 60 };
    const { id } = add();
    const waiting = queue.get(id);
    take({ runId: 2 });
    const job = queue.get(id);
    if (!job || !waiting) throw new Error('gone');
    const now = clock.now();
    expect(orphaned(job, now, 2)).toBe(false);
    expect(orphaned(job, now + 59_999, 2)).toBe(false);
    expect(orphaned(job, now + 60_000, 2)).toBe(true);
    expect(orphaned(job, now, 3)).toBe(true);
    expect(orphaned(job, now, null)).toBe(true);
    expect(orphaned(waiting, now, null)).toBe(false);
    expect(orphaned({ ...waiting, leaseExpiresAt: 1 }, now, 2)).toBe(false);
  });

  it('Q5 a deadline has lapsed from its own moment on; none or a broken one never has', () => {
    expect(deadlineLapsed(null, 9)).toBe(false);
    expect(deadlineLapsed(Number.NaN, 9)).toBe(false);
    expect(deadlineLapsed('soon' as unknown as number, 9)).toBe(false);
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (deadline, now) => {
        expect(deadlineLapsed(deadline, now)).toBe(now >= deadline);
      }),
    );
  });
});
