import fc from 'fast-check';
import { expect, it, describe as room } from 'vitest';
import { TIERS } from '../../../main/base/config-schema.ts';
import { MOST_MODELS, planLoad, type Resident } from '../../../main/engine/models/ceiling.ts';

const GB = 1e9;
const BUDGET = 24 * GB;

function resident(model: string, gb: number | null, over: Partial<Resident> = {}): Resident {
  return {
    server: 'den',
    model,
    digest: model,
    numCtx: 8192,
    cost: gb === null ? null : gb * GB,
    ours: true,
    role: 'worker',
    fixed: false,
    swapped: false,
    stays: false,
    ...over,
  };
}

const pinned = resident('router', 2.7, { role: 'pinned' });
const embedder = resident('embed', 10, { role: 'embedder' });
const foreign = (model: string, gb: number | null) => resident(model, gb, { ours: false });

function want(model: string, gb: number | null, tier: (typeof TIERS)[number] = 'synthesis') {
  return { server: 'den', model, tier, cost: gb === null ? null : gb * GB, measured: true };
}

function leaving(plan: ReturnType<typeof planLoad>): string[] | string {
  return plan.go ? plan.unload.map((one) => one.model) : `${plan.code}: ${plan.reason}`;
}

room('S3 what may be loaded', () => {
  it('S3 the worker gives way to the next worker, and the pinned one stays', () => {
    const plan = planLoad(want('thinker', 17), [pinned, resident('helper', 6.6)], BUDGET);
    expect(leaving(plan)).toEqual(['helper']);
  });

  it('S3 the embedder leaves first when that makes the load fit, and only then', () => {
    expect(leaving(planLoad(want('thinker', 17), [pinned, embedder], BUDGET))).toEqual(['embed']);
    expect(leaving(planLoad(want('helper', 6.6), [pinned, embedder], BUDGET))).toEqual([]);
    // Either would make room: the embedder goes, the pinned model stays.
    expect(leaving(planLoad(want('writer', 13), [pinned, embedder], BUDGET))).toEqual(['embed']);
  });

  it('S3 stretch puts the pinned one out when the budget asks for it, and takes it along when not', () => {
    const giant = want('giant', 23, 'stretch');
    expect(leaving(planLoad(giant, [pinned], BUDGET))).toEqual(['router']);
    expect(leaving(planLoad(giant, [pinned], 26 * GB))).toEqual([]);
    expect(leaving(planLoad(giant, [pinned, embedder], BUDGET))).toEqual(['router', 'embed']);
  });

  it('S3 what is over the budget or the count is refused with both figures', () => {
    const busy = resident('helper', 6.6, { fixed: true, role: 'pinned' });
    expect(leaving(planLoad(want('thinker', 17.5), [busy], BUDGET))).toBe(
      'ceiling: would use 24.1 GB > usable budget 24.0 GB',
    );
    const close = planLoad(want('thinker', 17.401), [busy], BUDGET);
    expect(leaving(close)).toBe('ceiling: would use 24.001 GB > usable budget 24.000 GB');
    const two = [busy, resident('other', 1, { fixed: true, role: 'pinned' })];
    expect(leaving(planLoad(want('thinker', 1), two, BUDGET))).toBe(
      'ceiling: would hold 3 models > max 2',
    );
  });

  it('S3 what can never fit says what it needs and what this machine allows', () => {
    expect(leaving(planLoad(want('giant', 30.1), [], BUDGET))).toBe(
      'never-fits: giant needs 30.1 GB, this machine allows 24.0 GB',
    );
  });

  it('S3 another program\u2019s model that leaves no room is named, and never in what is to leave', () => {
    const plan = planLoad(want('thinker', 17), [pinned, foreign('film-notes', 9)], BUDGET);
    expect(leaving(plan)).toBe(
      'foreign: film-notes is in use by another program (would use 26.0 GB > usable budget 24.0 GB)',
    );
    const two = [foreign('a', 1), foreign('b', 1)];
    expect(leaving(planLoad(want('thinker', 17), two, BUDGET))).toBe(
      'foreign: a and b are in use by another program (would hold 3 models > max 2)',
    );
    expect(leaving(planLoad(want('thinker', 17), [foreign('small', 4)], BUDGET))).toEqual([]);
  });

  it('S3 the same model in another window is loaded anew when it is ours, and left alone when not', () => {
    const same = resident('thinker', 12, { numCtx: 4096 });
    expect(leaving(planLoad(want('thinker', 17), [pinned, same], BUDGET))).toEqual(['thinker']);
    expect(leaving(planLoad(want('thinker', 17), [foreign('thinker', 12)], BUDGET))).toBe(
      'foreign: thinker is in use by another program',
    );
  });

  it('S3 a resident model that cannot be costed stops every load but the pinned one', () => {
    const mystery = foreign('mystery', null);
    expect(leaving(planLoad(want('helper', 6.6, 'routine'), [mystery], BUDGET))).toBe(
      'unknown-cost: cannot cost resident model(s) mystery',
    );
    expect(leaving(planLoad(want('router', 2.7, 'pinned'), [mystery], BUDGET))).toEqual([]);
    const own = resident('own-mystery', null);
    expect(leaving(planLoad(want('helper', 6.6), [own], BUDGET))).toEqual(['own-mystery']);
    expect(leaving(planLoad(want('mystery', null), [], BUDGET))).toContain('unknown-cost');
  });

  it('S3 the pinned model never puts a worker out that fits beside it, nor one that works', () => {
    const router = want('router', 2.7, 'pinned');
    expect(leaving(planLoad(router, [resident('thinker', 17)], BUDGET))).toEqual([]);
    expect(leaving(planLoad(router, [resident('giant', 23)], BUDGET))).toEqual(['giant']);
    const working = resident('giant', 23, { fixed: true });
    expect(leaving(planLoad(router, [working], BUDGET))).toContain('ceiling: would use');
    expect(leaving(planLoad(want('thinker', 17), [working], BUDGET))).toContain('ceiling: giant');
  });

  it('S3 no plan ever breaks the count or the budget, moves what is not ours, or moves what works', () => {
    const one = fc.record({
      model: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      gb: fc.option(fc.integer({ min: 0, max: 30 }), { freq: 8 }),
      ours: fc.boolean(),
      fixed: fc.boolean(),
      role: fc.constantFrom('pinned', 'worker', 'embedder'),
    });
    const set = fc.uniqueArray(one, { maxLength: 5, selector: (each) => each.model });
    fc.assert(
      fc.property(
        set,
        fc.integer({ min: 0, max: 30 }),
        fc.constantFrom(...TIERS),
        fc.integer({ min: 1, max: 40 }),
        (list, gb, tier, budget) => {
          const residents = list.map(({ model, gb: size, ...rest }) =>
            resident(model, size, rest as Partial<Resident>),
          );
          const plan = planLoad(want('a', gb, tier), residents, budget * GB);
          if (!plan.go) {
            expect(plan.reason).not.toBe('');
            return;
          }
          expect(plan.unload.every((each) => each.ours && !each.fixed)).toBe(true);
          const left = residents.filter((each) => !plan.unload.includes(each));
          const counted = left.filter((each) => each.role !== 'embedder').length + 1;
          expect(counted).toBeLessThanOrEqual(MOST_MODELS);
          const total = left.reduce((sum, each) => sum + (each.cost ?? 0), gb * GB);
          expect(total).toBeLessThanOrEqual(budget * GB);
          if (tier !== 'pinned') expect(left.every((each) => each.cost !== null)).toBe(true);
          expect(left.some((each) => each.model === 'a')).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
