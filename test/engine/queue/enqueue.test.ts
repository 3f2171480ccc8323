import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TIERS } from '../../../main/base/config-schema.ts';
import { IDEMPOTENT_KINDS } from '../../../main/engine/queue/coalesce.ts';
import type { NewJob } from '../../../main/engine/queue/job.ts';
import { testQueue } from './test-queue.ts';

const sync = (more: Partial<NewJob> = {}): Partial<NewJob> => ({
  kind: 'vault_sync',
  tier: 'pinned',
  numCtx: 8192,
  class: 'housekeeping',
  priority: 100,
  payload: { folder: 'notes', deep: { b: 1, a: 2 } },
  ...more,
});

describe('enqueue', () => {
  it('Q1 returns the job as it is stored, with defaults that change nothing', async () => {
    const { queue, add, clock } = await testQueue();
    const job = add({
      payload: { text: 'hello', n: [1, null] },
      session: 'shop',
      subject: 'VAN',
    });
    expect(queue.get(job.id)).toEqual(job);
    expect(job).toMatchObject({
      state: 'queued',
      class: 'light',
      priority: 50,
      payload: { text: 'hello', n: [1, null] },
      route: { channel: 'local', recipient: '' },
      attempts: 0,
      maxAttempts: 1,
      createdAt: clock.now(),
      claimNo: 0,
    });
    const route = { channel: 'local', recipient: '7' };
    expect(queue.get(add({ route }).id)?.route).toEqual(route);
    expect(queue.get(add({ maxAttempts: 2 }).id)?.maxAttempts).toBe(2);
    expect(add({ tier: 'stretch' }).class).toBe('heavy');
    expect(add({ tier: 'stretch', class: 'housekeeping' }).class).toBe('housekeeping');
    expect(queue.get(99)).toBeNull();
  });

  it('Q1 whatever a request says is what the row holds, and what is returned', async () => {
    const { queue, clock } = await testQueue();
    const text = fc.string({ minLength: 1, maxLength: 20 });
    const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
    let next = 0;
    const request = fc.record(
      {
        kind: text,
        tier: fc.constantFrom(...TIERS),
        numCtx: fc.nat(100_000),
        title: fc.string(),
        priority: fc.nat(1000),
        class: fc.constantFrom('light' as const, 'heavy' as const, 'housekeeping' as const),
        payload: fc.jsonValue().filter((value) => value !== null),
        source: orNull(text.map((one) => `${one} ${next++}`)),
        session: orNull(text),
        subject: orNull(text),
        route: fc.record({ channel: fc.constantFrom('local', 'telegram:me'), recipient: text }),
        maxAttempts: fc.integer({ min: 1, max: 9 }),
        notBefore: orNull(fc.integer({ min: 0, max: 9e12 })),
        expiresAt: orNull(fc.integer({ min: 0, max: 9e12 })),
      },
      { requiredKeys: ['kind', 'tier', 'numCtx', 'title'] },
    );
    fc.assert(
      fc.property(request, (asked) => {
        const { job, outcome } = queue.enqueue(asked as NewJob);
        expect(outcome).toBe('created');
        const { class: jobClass, ...said } = asked;
        const kept = JSON.parse(JSON.stringify(job));
        expect(kept).toMatchObject(JSON.parse(JSON.stringify(said)));
        if (jobClass) expect(job.class).toBe(jobClass);
        expect(job.state).toBe((job.notBefore ?? 0) > clock.now() ? 'deferred' : 'queued');
        expect(queue.get(job.id)).toEqual(kept);
      }),
    );
  });

  it('Q1 counts, depth and lists tell what is there, newest first, page by page', async () => {
    const { queue, add, take } = await testQueue();
    const ids = Array.from({ length: 7 }, (_, i) => add({ source: `s${i}` }).id);
    queue.complete(take(), 'ok');
    queue.fail(take(), 'broken');
    queue.defer(take(), 'ceiling', 'no room', null);
    take();
    queue.cancel(ids[4] as number);
    expect(queue.counts()).toEqual({ queued: 2, running: 1, deferred: 1 });
    expect(queue.depth()).toBe(2);
    const list = (filter: object) => queue.list({ limit: 10, ...filter }).map((job) => job.id);
    expect(list({ limit: 3 })).toEqual([7, 6, 5]);
    expect(list({ limit: 3, before: 5 })).toEqual([4, 3, 2]);
    expect(list({ state: 'queued' })).toEqual([7, 6]);
    expect(list({ state: 'queued', before: 7 })).toEqual([6]);
    expect(list({ state: 'done' })).toEqual([1]);
    expect(list({ state: 'failed' })).toEqual([2]);
    expect(list({ state: 'deferred' })).toEqual([3]);
    expect(list({ state: 'running' })).toEqual([4]);
    expect(list({ state: 'cancelled' })).toEqual([5]);
    expect(list({ state: 'missed' })).toEqual([]);
    expect(queue.running().map((job) => job.id)).toEqual([4]);
    expect(queue.findBySource('s3')?.id).toBe(4);
    expect(queue.findBySource('none')).toBeNull();
    expect(queue.hasQueued(['pinned', 'routine'])).toBe(true);
    expect(queue.hasQueued(['pinned', 'synthesis'])).toBe(false);
  });

  it('Q1 a batch is stored whole or not at all, one job a payload', async () => {
    const { queue, store } = await testQueue();
    const like = { kind: 'brief', tier: 'routine', numCtx: 16_384, title: 'each' } as const;
    const ids = queue.enqueueAll(like, [{ n: 1 }, { n: 2 }, 'three']);
    expect(ids.map((id) => queue.get(id)?.payload)).toEqual([{ n: 1 }, { n: 2 }, 'three']);
    expect(queue.enqueueAll({ ...like, kind: 'vault_sync' }, [{}, { a: 1 }, {}])).toEqual([
      4, 5, 4,
    ]);
    expect(() =>
      store.tx(() => {
        queue.enqueueAll(like, [1, 2]);
        throw new Error('stop');
      }),
    ).toThrow('stop');
    expect(queue.counts().queued).toBe(5);
  });

  it('P8 a job that may not start before its time is born deferred and comes back then', async () => {
    const { queue, add, clock, claim } = await testQueue();
    const start = clock.now() + 60_000;
    const job = add({ notBefore: start });
    expect(job).toMatchObject({ state: 'deferred', notBefore: start, reviveAt: start });
    expect(add({ notBefore: clock.now() }).state).toBe('queued');
    expect(queue.nextTimes().reviveAt).toBe(start);
    expect(queue.revive(start - 1)).toEqual([]);
    expect(queue.reviveDeferred()).toBe(0);
    expect(queue.revive(start)).toMatchObject([{ id: job.id, state: 'queued', reviveAt: null }]);
    expect(queue.nextTimes().reviveAt).toBeNull();
    expect(claim()?.id).toBe(job.id);
  });
});

describe('coalescing', () => {
  it('Q2 every idempotent kind says why it is one, and what writes anew each time is none', () => {
    expect([...IDEMPOTENT_KINDS.keys()].sort()).toEqual([
      'chat_events',
      'chat_sync',
      'code_backfill',
      'code_sync',
      'integrate',
      'vault_sync',
    ]);
    for (const reason of IDEMPOTENT_KINDS.values()) expect(reason.length).toBeGreaterThan(10);
  });

  it('Q2 a further request joins the waiting job, which keeps its age; urgency may only rise', async () => {
    const { queue, add, clock, events } = await testQueue();
    const first = add(sync());
    clock.jump(5000);
    const again = queue.enqueue({
      title: 'again',
      ...sync({ payload: { deep: { a: 2, b: 1 }, folder: 'notes' }, priority: 10 }),
    } as NewJob);
    expect(again.outcome).toBe('coalesced');
    expect(again.job).toEqual({ ...first, coalesced: 1, priority: 10 });
    add(sync({ priority: 1000 }));
    expect(queue.get(first.id)).toMatchObject({ coalesced: 2, priority: 10 });
    expect(queue.depth()).toBe(1);
    expect(events.byKind('job.coalesced', 9).map((event) => event.job)).toEqual([first.id]);
  });

  it.each<[string, Partial<NewJob>]>([
    ['kind', { kind: 'chat_sync' }],
    ['payload', { payload: { folder: 'other' } }],
    ['tier', { tier: 'routine' }],
    ['window', { numCtx: 4096 }],
    ['session', { session: 'a' }],
    ['scope', { subject: 'VAN' }],
    ['recipient', { route: { channel: 'telegram:me', recipient: '7' } }],
    ['time limit', { expiresAt: 9_000_000_000_000 }],
    ['later start', { notBefore: 9_000_000_000_000 }],
  ])('Q2 a request with another %s stands alone', async (_, other) => {
    const { add } = await testQueue();
    const first = add(sync());
    expect(add(sync(other)).id).not.toBe(first.id);
    expect(add(sync()).id).toBe(first.id);
  });

  it('Q2 kinds that are not idempotent are never folded', async () => {
    const { queue, add } = await testQueue();
    for (const kind of ['dream', 'curate', 'shadow', 'research', 'ambassador', 'brief']) {
      add({ kind, payload: {} });
      add({ kind, payload: {} });
    }
    expect(queue.depth()).toBe(12);
  });

  it('Q2 a hit while one runs leaves exactly one follow-up, however often it comes', async () => {
    const { queue, add, take } = await testQueue();
    const first = add(sync());
    const held = take();
    const followUp = add(sync());
    expect(followUp.id).not.toBe(first.id);
    expect(add(sync()).id).toBe(followUp.id);
    expect(queue.counts()).toMatchObject({ queued: 1, running: 1 });
    // The first goes back to the queue: both stay, and the elder takes the next one in.
    expect(queue.yieldBack(held, 'paused')).toBe(true);
    expect(add(sync()).id).toBe(first.id);
    expect(queue.depth()).toBe(2);
  });

  it('Q2 a checkpointed job takes nothing in: its pass is half over', async () => {
    const { queue, add, take } = await testQueue();
    const first = add(sync());
    const held = take();
    queue.saveCheckpoint(held, { done: 3 });
    queue.yieldBack(held, 'returned');
    const fresh = add(sync());
    expect(fresh.id).not.toBe(first.id);
    expect(queue.depth()).toBe(2);
  });

  it('P1 further occurrences are counted on a job that still waits, and on no other', async () => {
    const { queue, add, take, clock } = await testQueue();
    const job = add({ expiresAt: clock.now() + 1000 });
    expect(queue.countOnto(job.id, 3, null)).toBe(true);
    expect(queue.countOnto(job.id, 2, clock.now() + 5000)).toBe(true);
    expect(queue.get(job.id)).toMatchObject({ coalesced: 5, expiresAt: clock.now() + 5000 });
    const held = take();
    expect(queue.countOnto(job.id, 1, null)).toBe(false);
    queue.saveCheckpoint(held, 'half');
    queue.yieldBack(held, 'paused');
    expect(queue.countOnto(job.id, 1, null)).toBe(false);
    expect(queue.countOnto(77, 1, null)).toBe(false);
    expect(queue.get(job.id)?.coalesced).toBe(5);
  });
});
