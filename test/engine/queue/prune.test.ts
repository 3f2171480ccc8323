import { describe, expect, it } from 'vitest';
import { eventsTable } from '../../../main/base/store/events.ts';
import { type TestQueue, testQueue } from './test-queue.ts';

const DAY = 86_400_000;

function finish(run: TestQueue, many: number): number[] {
  return Array.from({ length: many }, () => {
    run.add();
    const held = run.take({ blockedTiers: new Set(['stretch']) });
    run.queue.complete(held, null);
    return held.id;
  });
}

function draft({ store, clock }: TestQueue, job: number, state: string): void {
  const at = clock.now();
  const { lastInsertRowid: id } = store.db
    .prepare(
      `INSERT INTO drafts (job, kind, title, body, created_at) VALUES (?, 'order', 't', '{}', ?)`,
    )
    .run(job, at);
  const move = (to: string, more = '') =>
    store.db
      .prepare(`UPDATE drafts SET state = ?, decided_at = ${at} ${more} WHERE id = ?`)
      .run(to, id);
  if (state === 'pending') return;
  if (state === 'dismissed' || state === 'superseded') move(state);
  else move('approved');
  if (state === 'applied') move('applied', `, applied_at = ${at}`);
  if (state === 'apply-failed') move('apply-failed', ", error = 'no disk'");
}

const kept = (run: TestQueue) =>
  run.queue
    .list({ limit: 5000 })
    .map((job) => job.id)
    .reverse();

describe('pruning', () => {
  it('Q8 removes what finished longer ago than is kept, and nothing that waits', async () => {
    const run = await testQueue();
    const waiting = run.add({ tier: 'stretch' }).id;
    const old = finish(run, 3);
    run.clock.jump(90 * DAY);
    const young = finish(run, 2);
    expect(run.queue.prune(run.clock.now(), 1000)).toBe(0);
    run.clock.jump(1);
    expect(run.queue.prune(run.clock.now(), 1000)).toBe(old.length);
    expect(kept(run)).toEqual([waiting, ...young]);
  });

  it('Q8 removes at most as many as asked, oldest first, and goes on where it stopped', async () => {
    const run = await testQueue();
    finish(run, 5);
    run.clock.jump(91 * DAY);
    const [last] = finish(run, 1);
    expect(run.queue.prune(run.clock.now(), 2)).toBe(2);
    expect(kept(run)).toEqual([3, 4, 5, last]);
    expect(run.queue.prune(run.clock.now(), 2)).toBe(2);
    expect(run.queue.prune(run.clock.now(), 2)).toBe(1);
    expect(kept(run)).toEqual([last]);
  });

  it('Q8 keeps no more finished jobs than the configured count', async () => {
    const run = await testQueue();
    run.config.queue.keepFinishedCount = 100;
    finish(run, 130);
    expect(run.queue.prune(run.clock.now(), 1000)).toBe(30);
    expect(kept(run)).toHaveLength(100);
    expect(kept(run)[0]).toBe(31);
  });

  it('Q8 finds its way past thousands of rows that stay', async () => {
    const run = await testQueue();
    const like = { kind: 'dream', tier: 'stretch', numCtx: 1, title: 'waits' } as const;
    run.queue.enqueueAll(
      like,
      Array.from({ length: 2500 }, () => ({})),
    );
    const blockedTiers = new Set(['stretch'] as const);
    run.add();
    run.queue.complete(run.take({ blockedTiers }), null);
    run.clock.jump(91 * DAY);
    run.add();
    const removed = [1, 2, 3, 4].map(() => run.queue.prune(run.clock.now(), 1000));
    expect(removed).toEqual([0, 0, 1, 0]);
    expect(run.queue.depth()).toBe(2501);
  });

  it('Q8 a job whose draft still matters stays; a decided draft goes with its job', async () => {
    const run = await testQueue();
    const states = ['pending', 'approved', 'apply-failed', 'applied', 'dismissed', 'superseded'];
    const ids = finish(run, states.length);
    for (const [index, state] of states.entries()) draft(run, ids[index] as number, state);
    run.clock.jump(91 * DAY);
    finish(run, 1);
    expect(run.queue.prune(run.clock.now(), 1000)).toBe(3);
    expect(kept(run)).toEqual([...ids.slice(0, 3), 7]);
    expect(run.store.db.prepare('SELECT job FROM drafts').pluck().all()).toEqual(ids.slice(0, 3));
  });

  it('Q8 an order applied in the last week keeps its job, however short the history', async () => {
    const run = await testQueue();
    run.config.queue.keepFinishedDays = 1;
    const [id] = finish(run, 1);
    draft(run, id as number, 'applied');
    run.clock.jump(7 * DAY - 1);
    finish(run, 1);
    expect(run.queue.prune(run.clock.now(), 1000)).toBe(0);
    run.clock.jump(1);
    expect(run.queue.prune(run.clock.now(), 1000)).toBe(1);
  });

  it('Q8 the newest job stays, so that its id is never given again', async () => {
    const run = await testQueue();
    const [id] = finish(run, 1);
    run.clock.jump(400 * DAY);
    expect(run.queue.prune(run.clock.now(), 1000)).toBe(0);
    expect(run.add().id).toBeGreaterThan(id as number);
    expect(run.queue.prune(run.clock.now(), 1000)).toBe(1);
  });

  it('Q8 plain work leaves no events behind', async () => {
    const run = await testQueue();
    finish(run, 10);
    expect(eventsTable(run.store.db).latest(10)).toEqual([]);
  });

  it('Q8 events go by age too, those of a job that has not ended excepted, and some at a time', async () => {
    const run = await testQueue();
    const { queue, clock, events } = run;
    const [ended] = finish(run, 1) as [number];
    const open = run.add();
    events.record(clock.now(), 'job.deferred', open.id, {});
    for (let n = 0; n < 5; n++) events.record(clock.now(), 'watchdog.over', null, { flag: 'disk' });
    events.record(clock.now(), 'job.yielded', ended, {});
    await clock.advance(89 * DAY);
    expect(queue.prune(clock.now(), 1000)).toBe(0);
    events.record(clock.now(), 'watchdog.over', null, { flag: 'disk' });
    await clock.advance(2 * DAY);
    expect(queue.prune(clock.now(), 3)).toBe(3);
    queue.prune(clock.now(), 1000);
    expect(events.latest(20).map(({ kind, job }) => [kind, job])).toEqual([
      ['watchdog.over', null],
      ['job.deferred', open.id],
    ]);
  });
});
