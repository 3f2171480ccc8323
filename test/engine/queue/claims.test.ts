import { describe, expect, it } from 'vitest';
import type { Claim, Waiver } from '../../../main/engine/queue/job.ts';
import type { Queue } from '../../../main/engine/queue/queue.ts';
import { testQueue } from './test-queue.ts';

const waiver: Waiver = { presence: true, hours: true, heavyPause: true, battery: false, at: 1 };

describe('a claim', () => {
  it('Q3 makes the row running: attempt, claim number, run, and no lease without a budget', async () => {
    const { queue, add, claim, clock } = await testQueue();
    const { id } = add();
    const held = claim({ runId: 7 });
    expect(held).toMatchObject({ id, claimNo: 1 });
    expect(held?.job).toEqual(queue.get(id));
    expect(held?.job).toMatchObject({
      state: 'running',
      attempts: 1,
      startedAt: clock.now(),
      claimedByRun: 7,
      leaseExpiresAt: null,
    });
    expect(claim()).toBeNull();
  });

  it('Q3 background work that has waited long goes before newer interactive work, never before an alarm', async () => {
    const { add, clock, take } = await testQueue();
    const old = add({ priority: 100 });
    clock.jump(9 * 900_000);
    const fresh = add({ priority: 10 });
    const alarm = add({ priority: 0 });
    expect([take().id, take().id, take().id]).toEqual([alarm.id, old.id, fresh.id]);
  });

  it('Q3 the wait counts in whole steps: a moment before the ninth, interactive work still leads', async () => {
    const { add, clock, take } = await testQueue();
    const old = add({ priority: 100 });
    clock.jump(9 * 900_000 - 1);
    const fresh = add({ priority: 10 });
    expect([take().id, take().id]).toEqual([fresh.id, old.id]);
  });

  it('Q3 a job whose model is resident goes first inside the top band, and only there', async () => {
    const { add, take } = await testQueue();
    const urgent = add({ tier: 'routine', priority: 10 });
    const first = add({ tier: 'synthesis', numCtx: 32_768 });
    const resident = add({ tier: 'routine', numCtx: 16_384 });
    const loaded = [{ tier: 'routine', numCtx: 16_384 } as const];
    expect([take({ loaded }).id, take({ loaded }).id, take({ loaded }).id]).toEqual([
      urgent.id,
      resident.id,
      first.id,
    ]);
  });

  it('Q3 a job in a blocked tier stays queued; a waived one passes when its waiver covers the gate', async () => {
    const { add, claim, queue } = await testQueue();
    const heavy = add({ tier: 'synthesis' });
    const other = add({ tier: 'synthesis' });
    const blockedTiers = new Set(['synthesis', 'stretch'] as const);
    expect(claim({ blockedTiers })).toBeNull();
    expect(queue.waive(other.id, waiver)).toBe(true);
    expect(claim({ blockedTiers })).toBeNull();
    expect(claim({ blockedTiers, waived: () => false })).toBeNull();
    const asked: number[] = [];
    const passed = claim({ blockedTiers, waived: (job) => asked.push(job.id) > 0 });
    expect(passed?.id).toBe(other.id);
    expect(passed?.job.waiver).toEqual(waiver);
    expect(asked).toEqual([other.id]);
    expect(queue.get(heavy.id)?.state).toBe('queued');
  });

  it('Q3 one job of a session runs at a time; others of it are passed over', async () => {
    const { add, take, queue, claim } = await testQueue();
    add({ session: 'shop' });
    const held = take();
    const second = add({ session: 'shop', priority: 0 });
    const elsewhere = add({ session: 'home', priority: 100 });
    expect(take().id).toBe(elsewhere.id);
    expect(claim()).toBeNull();
    queue.complete(held, null);
    expect(take().id).toBe(second.id);
  });

  it('P3 a job whose time is over is closed as missed by the claim, and the next one taken', async () => {
    const { add, take, queue, clock, events } = await testQueue();
    const late = add({ expiresAt: clock.now() + 1000, priority: 0 });
    const next = add();
    clock.jump(1000);
    expect(take().id).toBe(next.id);
    expect(queue.get(late.id)).toMatchObject({ state: 'missed', finishedAt: clock.now() });
    expect(events.forJob(late.id)).toMatchObject([{ kind: 'job.missed' }]);
  });

  it('Q5 the lease is the budget of the kind from the moment of the claim, anew with each checkpoint', async () => {
    const { add, take, queue, clock, config } = await testQueue();
    config.jobBudgetsSeconds = { brief: 60 };
    add();
    add({ kind: 'constructor' });
    const held = take();
    expect(held.job.leaseExpiresAt).toBe(clock.now() + 60_000);
    clock.jump(50_000);
    queue.saveCheckpoint(held, { step: 1 });
    expect(queue.get(held.id)).toMatchObject({
      state: 'running',
      checkpoint: { step: 1 },
      leaseExpiresAt: clock.now() + 60_000,
    });
    expect(queue.nextTimes().leaseEnd).toBe(clock.now() + 60_000);
    expect(take().job.leaseExpiresAt).toBeNull();
    clock.jump(1_000_000);
    expect(queue.complete(held, 'late, and nobody minds')).toBe(true);
  });
});

describe('the fence', () => {
  const now = 1_780_000_000_000;
  const ends: [string, (queue: Queue, claim: Claim) => boolean][] = [
    ['complete', (queue, claim) => queue.complete(claim, 'stale')],
    ['fail', (queue, claim) => queue.fail(claim, 'stale')],
    ['retryLater', (queue, claim) => queue.retryLater(claim, 'stale', now)],
    ['defer', (queue, claim) => queue.defer(claim, 'stale', 'stale', null)],
    ['yieldBack', (queue, claim) => queue.yieldBack(claim, 'paused')],
    ['yieldBack as cancelled', (queue, claim) => queue.yieldBack(claim, 'cancelled')],
    ['saveCheckpoint', (queue, claim) => queue.saveCheckpoint(claim, 'stale')],
  ];

  it.each(ends)('Q4 %s of a void claim changes nothing', async (_, end) => {
    const { add, take, queue, events } = await testQueue();
    const { id } = add({ maxAttempts: 5 });
    const stale = take();
    queue.yieldBack(stale, 'returned');
    const waiting = queue.get(id);
    expect(end(queue, stale)).toBe(false);
    expect(queue.get(id)).toEqual(waiting);
    take();
    const taken = queue.get(id);
    expect(end(queue, stale)).toBe(false);
    expect(queue.get(id)).toEqual(taken);
    expect(events.forJob(id)).toHaveLength(1);
  });

  it.each(ends)('Q4 %s of a finished job changes nothing', async (_, end) => {
    const { add, take, queue } = await testQueue();
    const { id } = add();
    const held = take();
    queue.complete(held, 'ok');
    const done = queue.get(id);
    expect(end(queue, held)).toBe(false);
    expect(queue.get(id)).toEqual(done);
  });

  it('Q3 every claim has a number of its own, higher than any before', async () => {
    const { add, take, queue } = await testQueue();
    add();
    const numbers: number[] = [];
    for (let i = 0; i < 4; i++) {
      const held = take();
      numbers.push(held.claimNo);
      queue.yieldBack(held, 'paused');
    }
    expect(numbers).toEqual([1, 2, 3, 4]);
  });
});

describe('the end of a claim', () => {
  it('Q4 complete keeps the result, fail the error; both spend the attempt', async () => {
    const { add, take, queue, clock } = await testQueue();
    add();
    add();
    const good = take();
    const bad = take();
    clock.jump(1000);
    queue.complete(good, '2 lines ordered');
    queue.fail(bad, 'no handler');
    expect(queue.get(good.id)).toMatchObject({
      state: 'done',
      result: '2 lines ordered',
      error: null,
      attempts: 1,
      finishedAt: clock.now(),
    });
    expect(queue.get(bad.id)).toMatchObject({ state: 'failed', error: 'no handler', attempts: 1 });
  });

  it('Q4 a yield gives the attempt back, keeps the checkpoint, and says why in the ledger', async () => {
    const { add, take, queue, events } = await testQueue();
    const { id } = add();
    const held = take();
    queue.saveCheckpoint(held, { cluster: 4 });
    expect(queue.yieldBack(held, 'returned')).toBe(true);
    expect(queue.get(id)).toMatchObject({
      state: 'queued',
      attempts: 0,
      checkpoint: { cluster: 4 },
      startedAt: null,
      claimedByRun: null,
      leaseExpiresAt: null,
    });
    expect(events.forJob(id)).toMatchObject([
      { kind: 'job.yielded', payload: { cause: 'returned' } },
    ]);
    expect(take().job.checkpoint).toEqual({ cluster: 4 });
  });

  it('Q4 a refused load gives the attempt back and waits for conditions; the same refusal is told once', async () => {
    const { add, take, queue, events, claim } = await testQueue();
    const { id } = add();
    for (let i = 0; i < 3; i++) {
      queue.defer(take(), 'ceiling', 'would use 29.7 GB > usable budget 24.0 GB', null);
      expect(queue.get(id)).toMatchObject({
        state: 'deferred',
        attempts: 0,
        reasonCode: 'ceiling',
        reason: 'would use 29.7 GB > usable budget 24.0 GB',
      });
      expect(claim()).toBeNull();
      expect(queue.reviveDeferred()).toBe(1);
    }
    expect(queue.get(id)).toMatchObject({ state: 'queued', reasonCode: null, reason: null });
    queue.defer(take(), 'in-use', 'llama is in use by another program', null);
    expect(events.forJob(id).map((event) => event.payload)).toMatchObject([
      { code: 'ceiling' },
      { code: 'in-use' },
    ]);
  });

  it('Q4 a retry waits for its back-off and spends the attempt; without one left it fails', async () => {
    const { add, take, queue, clock, events } = await testQueue();
    const { id } = add({ maxAttempts: 2 });
    const back = clock.now() + 30_000;
    expect(queue.retryLater(take(), 'server away', back)).toBe(true);
    expect(queue.get(id)).toMatchObject({
      state: 'deferred',
      attempts: 1,
      error: 'server away',
      reasonCode: 'retry',
      reviveAt: back,
    });
    expect(queue.reviveDeferred()).toBe(0);
    expect(queue.revive(back)).toMatchObject([{ id, state: 'queued', error: null }]);
    expect(queue.retryLater(take(), 'still away', back)).toBe(true);
    expect(queue.get(id)).toMatchObject({ state: 'failed', error: 'still away', attempts: 2 });
    expect(events.forJob(id).map((event) => event.kind)).toEqual(['job.deferred', 'job.revived']);
  });
});

describe('the owner', () => {
  it('Q1 cancels what waits at once, asks what runs to stop, and cannot end what has ended', async () => {
    const { add, take, queue, events, clock } = await testQueue();
    const running = add();
    const held = take();
    const waiting = add();
    const later = add({ notBefore: clock.now() + 1000 });
    expect(queue.cancel(waiting.id)).toBe('cancelled');
    expect(queue.cancel(later.id)).toBe('cancelled');
    expect(queue.cancel(waiting.id)).toBe('ended');
    expect(queue.cancel(running.id)).toBe('asked');
    clock.jump(10);
    expect(queue.cancel(running.id)).toBe('asked');
    expect(queue.running()[0]).toMatchObject({ state: 'running', cancelAskedAt: clock.now() - 10 });
    expect(queue.yieldBack(held, 'cancelled')).toBe(true);
    expect(queue.get(running.id)).toMatchObject({ state: 'cancelled', reasonCode: 'cancelled' });
    expect(events.forJob(running.id).map((event) => event.kind)).toEqual([
      'job.cancel-asked',
      'job.cancelled',
    ]);
    expect(() => queue.cancel(99)).toThrow('there is no job 99');
  });

  it('Q1 finds the open jobs of a kind, and what is cancelled for a reason says it', async () => {
    const { add, take, queue, clock } = await testQueue();
    add({ kind: 'cycle' });
    const running = take();
    const ended = add({ kind: 'cycle' });
    const waiting = add({ kind: 'cycle' });
    const later = add({ kind: 'cycle', notBefore: clock.now() + 1000 });
    add({ kind: 'brief' });
    queue.cancel(ended.id);
    expect(queue.openOf('cycle').map(({ id }) => id)).toEqual([running.id, waiting.id, later.id]);
    expect(queue.cancel(waiting.id, 'its repository is gone')).toBe('cancelled');
    expect(queue.get(waiting.id)).toMatchObject({
      ...{ state: 'cancelled', reasonCode: 'cancelled', reason: 'its repository is gone' },
    });
    expect(queue.get(ended.id)?.reason).toBe('cancelled by the owner');
  });

  it.each<[string, (queue: Queue, claim: Claim) => boolean]>([
    ['yields for another cause', (queue, claim) => queue.yieldBack(claim, 'battery')],
    ['is refused its model', (queue, claim) => queue.defer(claim, 'ceiling', 'no', null)],
    ['would be tried again', (queue, claim) => queue.retryLater(claim, 'no', 1)],
  ])('Q1 a job asked to cancel ends cancelled when it %s', async (_, end) => {
    const { add, take, queue } = await testQueue();
    const { id } = add({ maxAttempts: 3 });
    const held = take();
    queue.cancel(id);
    expect(end(queue, held)).toBe(true);
    expect(queue.get(id)?.state).toBe('cancelled');
  });

  it('Q1 a job that finishes before it sees the cancel is done', async () => {
    const { add, take, queue } = await testQueue();
    const { id } = add();
    const held = take();
    queue.cancel(id);
    expect(queue.complete(held, 'ok')).toBe(true);
    expect(queue.get(id)?.state).toBe('done');
  });

  it('Q1 retry makes a new job of the same work, one at a time, and only of what has ended', async () => {
    const { add, take, queue } = await testQueue();
    const first = add({ source: 'manual:1', session: 's', payload: { a: 1 }, maxAttempts: 3 });
    expect(() => queue.retry(first.id)).toThrow(`job ${first.id} has not ended: it is queued`);
    queue.fail(take(), 'no');
    const again = queue.retry(first.id);
    expect(again).toMatchObject({
      retryOf: first.id,
      state: 'queued',
      payload: { a: 1 },
      session: 's',
      source: null,
      attempts: 0,
      maxAttempts: 3,
    });
    expect(queue.retry(first.id).id).toBe(again.id);
    queue.cancel(again.id);
    expect(queue.retry(first.id).id).toBeGreaterThan(again.id);
    expect(queue.get(first.id)?.state).toBe('failed');
    expect(() => queue.retry(99)).toThrow('there is no job 99');
  });

  it('D5 run now lets a waiting job pass and ends its wait for a time; not one that runs or has ended', async () => {
    const { add, take, queue, clock, events } = await testQueue();
    const later = add({ notBefore: clock.now() + 9000 });
    expect(queue.waive(later.id, waiver)).toBe(true);
    expect(queue.get(later.id)).toMatchObject({ state: 'queued', waiver, priority: 10 });
    expect(events.forJob(later.id)).toMatchObject([{ kind: 'job.waived', payload: waiver }]);
    const held = take();
    expect(queue.waive(later.id, waiver)).toBe(false);
    queue.complete(held, null);
    expect(queue.waive(later.id, waiver)).toBe(false);
    expect(queue.waive(99, waiver)).toBe(false);
  });

  it('P3 what waits past its time is closed as missed, deferred work too', async () => {
    const { add, queue, clock, events } = await testQueue();
    const end = clock.now() + 1000;
    const a = add({ expiresAt: end });
    const b = add({ expiresAt: end + 1, notBefore: end + 50 });
    add();
    expect(queue.nextTimes().expiresAt).toBe(end);
    expect(queue.expire(end - 1)).toEqual([]);
    expect(queue.expire(end).map((job) => job.id)).toEqual([a.id]);
    expect(queue.expire(end + 1)).toMatchObject([
      { id: b.id, state: 'missed', reasonCode: 'missed' },
    ]);
    expect(events.byKind('job.missed', 9)).toHaveLength(2);
    expect(queue.counts()).toEqual({ queued: 1, running: 0, deferred: 0 });
  });
});
