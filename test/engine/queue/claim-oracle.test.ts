import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TIERS, type Tier } from '../../../main/base/config-schema.ts';
import { openStore } from '../../../main/base/store/database.ts';
import type { Claim, LoadKey } from '../../../main/engine/queue/job.ts';
import { over, type TestQueue } from './test-queue.ts';

/** A row as the oracle reads it: the whole table, no index, no code of the queue. */
interface Row {
  id: number;
  tier: Tier;
  num_ctx: number;
  priority: number;
  state: string;
  session: string | null;
  created_at: number;
  expires_at: number | null;
  waiver: string | null;
}

interface World {
  now: number;
  blocked: ReadonlySet<Tier>;
  loaded: readonly LoadKey[];
  /** Which waived ids may pass a blocked tier; null when nobody is asked. */
  passing: ((id: number) => boolean) | null;
}

/** The rule of the claim, spelled out over every row there is. */
function fullScan(rows: Row[], world: World): number | null {
  const busy = new Set(rows.filter((r) => r.state === 'running').map((r) => r.session));
  const ranked = rows
    .filter((r) => r.state === 'queued')
    .filter((r) => r.session === null || !busy.has(r.session))
    .filter((r) => r.expires_at === null || r.expires_at > world.now)
    .filter(
      (r) => !world.blocked.has(r.tier) || (r.waiver !== null && (world.passing?.(r.id) ?? false)),
    )
    .map((r) => {
      let effective = r.priority;
      if (r.priority > 10) {
        const steps = Math.max(0, Math.floor((world.now - r.created_at) / 900_000));
        effective = Math.max(10, r.priority - 10 * steps);
      }
      const resident = world.loaded.some((k) => k.tier === r.tier && k.numCtx === r.num_ctx);
      return { id: r.id, rank: [effective, resident ? 0 : 1, r.created_at, r.id] };
    });
  ranked.sort((a, b) => {
    for (let i = 0; i < 4; i++) {
      const difference = (a.rank[i] as number) - (b.rank[i] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return ranked[0]?.id ?? null;
}

const tier = fc.constantFrom(...TIERS);
const numCtx = fc.constantFrom(4096, 8192);
const loadKey = fc.record({ tier, numCtx });

type Step = (run: Run) => void;
interface Run extends TestQueue {
  world: Omit<World, 'now'>;
  held: Claim[];
  claims: number;
}

const enqueue = fc
  .record({
    tier,
    numCtx,
    priority: fc.constantFrom(0, 3, 10, 11, 37, 50, 100, 1000),
    session: fc.constantFrom(null, null, 'a', 'b'),
    class: fc.constantFrom('light' as const, 'heavy' as const, 'housekeeping' as const),
    window: fc.constantFrom(null, null, null, 600_000),
    waived: fc.boolean(),
    rolledBack: fc.constantFrom(false, false, false, true),
  })
  .map(({ window, waived, rolledBack, ...job }): Step => {
    const add = (run: Run) => {
      const expiresAt = window === null ? null : run.clock.now() + window;
      const { id } = run.add({ ...job, expiresAt });
      if (waived)
        run.queue.waive(id, {
          presence: true,
          hours: true,
          heavyPause: true,
          battery: false,
          at: 1,
        });
    };
    return (run) => {
      if (!rolledBack) return add(run);
      expect(() =>
        run.store.tx(() => {
          add(run);
          throw new Error('taken back');
        }),
      ).toThrow('taken back');
    };
  });

const claim = fc.constant<Step>((run) => {
  const now = run.clock.now();
  const world = { ...run.world, now };
  const rows = run.store.db.prepare('SELECT * FROM jobs').all() as Row[];
  const expected = fullScan(rows, world);
  const { passing } = world;
  const got = run.claim({
    now,
    blockedTiers: world.blocked,
    loaded: world.loaded,
    ...(passing && { waived: (job) => passing(job.id) }),
  });
  expect(got?.id ?? null).toBe(expected);
  run.claims += 1;
  if (got) run.held.push(got);
});

const release = fc
  .record({
    at: fc.nat(20),
    how: fc.constantFrom<(run: Run, held: Claim) => boolean>(
      (run, held) => run.queue.complete(held, null),
      (run, held) => run.queue.fail(held, 'no'),
      (run, held) => run.queue.yieldBack(held, 'returned'),
      (run, held) => run.queue.defer(held, 'ceiling', 'no room', null),
      (run, held) => run.queue.saveCheckpoint(held, 1) && run.queue.yieldBack(held, 'paused'),
    ),
  })
  .map(
    ({ at, how }): Step =>
      (run) => {
        const [held] = run.held.splice(at % Math.max(1, run.held.length), 1);
        if (held) expect(how(run, held)).toBe(true);
      },
  );

const others = fc.oneof(
  fc.constantFrom(-9_000_000, -900_000, -1, 1, 60_000, 899_999, 900_000, 4_000_000, 90_000_000).map(
    (ms): Step =>
      (run) =>
        run.clock.jump(ms),
  ),
  fc.subarray([...TIERS]).map(
    (blocked): Step =>
      (run) => {
        run.world = { ...run.world, blocked: new Set(blocked) };
      },
  ),
  fc.array(loadKey, { maxLength: 2 }).map(
    (loaded): Step =>
      (run) => {
        run.world = { ...run.world, loaded };
      },
  ),
  fc
    .constantFrom<World['passing']>(
      null,
      () => true,
      (id) => id % 2 === 0,
    )
    .map(
      (passing): Step =>
        (run) => {
          run.world = { ...run.world, passing };
        },
    ),
  fc.constant<Step>((run) => void run.queue.reviveDeferred()),
  fc.constant<Step>((run) => void run.queue.expire(run.clock.now())),
);

const story = fc.array(
  fc.oneof(
    { arbitrary: enqueue, weight: 6 },
    { arbitrary: claim, weight: 5 },
    { arbitrary: release, weight: 3 },
    { arbitrary: others, weight: 4 },
  ),
  { minLength: 1, maxLength: 120, size: 'max' },
);

describe('the claim', () => {
  it('Q3 takes the same job as a scan of the whole table, whatever the clock, the models and the gates do', async () => {
    let claims = 0;
    await fc.assert(
      fc.asyncProperty(story, async (steps) => {
        const store = await openStore(':memory:', { backups: '/nowhere', now: 1 });
        try {
          const world = { blocked: new Set<Tier>(), loaded: [], passing: null };
          const run: Run = { ...over(store), world, held: [], claims: 0 };
          for (const step of steps) step(run);
          claims += run.claims;
        } finally {
          store.close();
        }
      }),
      { numRuns: 120 },
    );
    expect(claims).toBeGreaterThan(1000);
  });

  it('Q3 lists waiting jobs in the order in which they are then claimed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(enqueue, { maxLength: 30, size: 'max' }),
        fc.nat(200),
        async (steps, minutes) => {
          const store = await openStore(':memory:', { backups: '/nowhere', now: 1 });
          try {
            const world = { blocked: new Set<Tier>(), loaded: [], passing: null };
            const run: Run = { ...over(store), world, held: [], claims: 0 };
            for (const step of steps) {
              step(run);
              run.clock.jump((minutes % 7) * 60_000);
            }
            run.clock.jump(minutes * 60_000);
            run.queue.expire(run.clock.now());
            const listed = run.queue.waiting(10).map((job) => job.id);
            const claimed: number[] = [];
            for (let held = run.claim(); held && claimed.length < 10; held = run.claim()) {
              claimed.push(held.id);
              run.queue.complete(held, null);
            }
            expect(listed).toEqual(claimed);
          } finally {
            store.close();
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
