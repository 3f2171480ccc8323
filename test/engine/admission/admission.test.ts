import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Admission, createAdmission } from '../../../main/engine/admission/admission.ts';
import { type TestQueue, testQueue } from '../queue/test-queue.ts';

async function door() {
  const run = await testQueue();
  const admit = createAdmission({ ...run, config: () => run.config });
  let next = 0;
  const ask = (job: Partial<Parameters<typeof admit>[0]> = {}): Admission =>
    admit({
      kind: 'brief',
      tier: 'routine',
      numCtx: 16_384,
      title: 'a turn',
      source: `s${next++}`,
      session: 'shop',
      payload: { prompt: 'Count the freezer.' },
      ...job,
    });
  return { ...run, ask };
}

const heavy = { kind: 'task', tier: 'synthesis' } as const;
const upkeep = { kind: 'dream', tier: 'synthesis', class: 'housekeeping' } as const;
const many = (n: number, ask: () => Admission) => Array.from({ length: n }, () => ask().outcome);
const stored = ({ queue }: TestQueue) => queue.list({ limit: 1000 }).length;

describe('admission', () => {
  it('Q7 the same source with the same work is the same job, whatever became of it', async () => {
    const { ask, take, queue } = await door();
    const first = ask({ source: 'manual:1' });
    expect(first.outcome).toBe('admitted');
    const again = ask({
      source: 'manual:1',
      title: 'another title',
      tier: 'synthesis',
      priority: 3,
    });
    expect(again).toMatchObject({ outcome: 'duplicate', job: { id: 1, title: 'a turn' } });
    queue.complete(take(), 'ok');
    expect(ask({ source: 'manual:1' })).toMatchObject({
      outcome: 'duplicate',
      job: { state: 'done' },
    });
    expect(stored({ queue } as TestQueue)).toBe(1);
  });

  it.each([
    ['kind', { kind: 'task' }],
    ['session', { session: 'home' }],
    ['no session', { session: null }],
    ['scope', { subject: 'VAN' }],
    ['payload', { payload: { prompt: 'Count the fridge.' } }],
  ])(
    'Q7 the same source with another %s is a conflict, and nothing is stored',
    async (_, other) => {
      const run = await door();
      const { ask, queue } = run;
      const first = ask({ source: 'manual:1' });
      const before = queue.list({ limit: 9 });
      const second = ask({ source: 'manual:1', ...other });
      expect(second).toMatchObject({
        outcome: 'conflict',
        failure: {
          code: 'conflict',
          message: 'the identity "manual:1" is taken by other work (job 1)',
        },
      });
      expect(first.outcome).toBe('admitted');
      expect(queue.list({ limit: 9 })).toEqual(before);
    },
  );

  it('Q7 the order of keys in a payload does not make other work of it', async () => {
    const { ask } = await door();
    ask({ source: 'a', payload: { x: 1, y: { p: 1, q: 2 } } });
    expect(ask({ source: 'a', payload: { y: { q: 2, p: 1 }, x: 1 } }).outcome).toBe('duplicate');
  });

  it('Q7 a full class refuses with one clear line and stores nothing; a known source is still answered', async () => {
    const run = await door();
    const { ask } = run;
    ask({ source: 'known' });
    many(9, ask);
    const refused = ask();
    expect(refused).toEqual({
      outcome: 'refused',
      failure: {
        ok: false,
        code: 'queue_full',
        message: 'the queue is full: 10 light jobs wait or run already',
        hint: 'try again when one has ended, or raise queue.lightCapacity',
      },
    });
    expect(stored(run)).toBe(10);
    expect(ask({ source: 'known' }).outcome).toBe('duplicate');
  });

  it('Q7 light and heavy are counted apart: full heavy refuses no light work, and the reverse', async () => {
    const { ask, config } = await door();
    config.queue.heavyCapacity = 10;
    expect(many(11, () => ask(heavy)).at(-1)).toBe('refused');
    expect(ask().outcome).toBe('admitted');
    expect(many(10, ask).at(-1)).toBe('refused');
    expect(ask(heavy).outcome).toBe('refused');
    expect(ask({ tier: 'pinned' }).outcome).toBe('refused');
    expect(ask({ tier: 'pinned', class: 'heavy' }).outcome).toBe('refused');
  });

  it('Q7 queued, running and deferred work counts; finished work does not', async () => {
    const { ask, take, queue, config, clock } = await door();
    config.queue.lightCapacity = 3;
    ask({ session: null });
    ask({ session: null });
    ask({ notBefore: clock.now() + 1 });
    const running = take();
    queue.defer(take(), 'ceiling', 'no room', null);
    expect(ask().outcome).toBe('refused');
    queue.complete(running, null);
    expect(ask().outcome).toBe('admitted');
    expect(ask().outcome).toBe('refused');
    queue.cancel(2);
    expect(ask().outcome).toBe('admitted');
  });

  it('Q7 housekeeping is neither counted nor refused', async () => {
    const { ask, config } = await door();
    config.queue.heavyCapacity = 2;
    expect(new Set(many(20, () => ask(upkeep)))).toEqual(new Set(['admitted']));
    expect(many(3, () => ask(heavy))).toEqual(['admitted', 'admitted', 'refused']);
    expect(ask(upkeep).outcome).toBe('admitted');
  });

  it('Q7 a changed capacity holds from the next request on', async () => {
    const { ask, config } = await door();
    config.queue.lightCapacity = 1;
    expect(many(2, ask)).toEqual(['admitted', 'refused']);
    config.queue.lightCapacity = 2;
    expect(ask().outcome).toBe('admitted');
  });

  it('Q2 an idempotent kind with a source of its own still joins the job that waits', async () => {
    const { ask } = await door();
    const sync = { kind: 'chat_sync', class: 'housekeeping', session: null, payload: {} } as const;
    expect(ask(sync)).toMatchObject({ outcome: 'admitted', job: { id: 1 } });
    expect(ask(sync)).toMatchObject({ outcome: 'coalesced', job: { id: 1, coalesced: 1 } });
  });

  it("Q7 commits with the producer's own state, or not at all", async () => {
    const run = await door();
    const { ask, store, queue } = run;
    expect(() =>
      store.tx(() => {
        expect(ask({ source: 'brief@100' }).outcome).toBe('admitted');
        throw new Error('the cursor was not stored');
      }),
    ).toThrow('cursor');
    expect(queue.findBySource('brief@100')).toBeNull();
    store.tx(() => ask({ source: 'brief@100' }));
    expect(queue.findBySource('brief@100')?.state).toBe('queued');
  });

  it('Q7 no order of requests and endings takes a class past its capacity', async () => {
    const step = fc.record({
      end: fc.boolean(),
      kind: fc.constantFrom({}, heavy, upkeep),
      source: fc.nat(30),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
        const { ask, claim, queue, config } = await door();
        config.queue.lightCapacity = 3;
        config.queue.heavyCapacity = 5;
        for (const { end, kind, source } of steps) {
          const before = { light: queue.open('light', 99), heavy: queue.open('heavy', 99) };
          if (end) {
            const held = claim();
            if (held) queue.complete(held, null);
            continue;
          }
          const { outcome } = ask({ ...kind, session: null, source: `s${source}` });
          if (outcome !== 'refused') continue;
          const { tier } = { tier: 'routine', ...kind };
          expect(tier === 'routine' ? before.light >= 3 : before.heavy >= 5).toBe(true);
        }
        expect(queue.open('light', 99)).toBeLessThanOrEqual(3);
        expect(queue.open('heavy', 99)).toBeLessThanOrEqual(5);
      }),
      { numRuns: 30 },
    );
  });
});
