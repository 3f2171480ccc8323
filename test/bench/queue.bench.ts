import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { configSchema, TIERS } from '../../main/base/config-schema.ts';
import { openQueue } from '../../main/engine/queue/open-queue.ts';
import {
  alternating,
  atMost,
  type Bench,
  type BenchOptions,
  median,
  midmean,
  quantile,
  type Row,
  ratioAtLeast,
  ratioAtMost,
  row,
  timed,
} from './bench.ts';
import {
  type Contestant,
  copyOf,
  lullHistory,
  lullStore,
  ours,
  plainHistory,
  plainjob,
  plainStore,
  raw,
  type Sync,
  workshop,
} from './queue-contestants.ts';

const HISTORY = 300_000;

const CONTESTS = ['ours', 'raw', 'plain', 'oursAfter', 'rawAfter', 'plainAfter'] as const;
/** Who takes part; `After` is on top of a long history. */
type Contest = (typeof CONTESTS)[number];

/** Jobs a second. */
interface Rates {
  one: number;
  batch: number;
  drain: number;
}

interface Sizes {
  one: number;
  batch: number;
  drain: number;
}

/** At FULL each commit is a write to the disk's own medium, so fewer of them tell as much. */
function sizes(sync: Sync, quick: boolean): Sizes {
  if (quick) return { one: TURN.one, batch: 1000, drain: TURN.drain };
  return {
    one: sync === 'FULL' ? 2000 : 4000,
    batch: 10_000,
    drain: sync === 'FULL' ? 1000 : 4000,
  };
}

/**
 * Jobs in one turn of a contestant: enough to fill the write-ahead log to its checkpoint, which is a
 * part of the cost that comes oftener to whoever writes more pages.
 */
const TURN = { one: 500, drain: 250 };
/** Batches a round. */
const BATCHES = 3;

/**
 * Lets all contestants enqueue and drain by turns; jobs a second of each, by the middle half of its
 * turns, so that those in which another program held the processor or the disk do not count.
 */
function contest<K extends string>(
  contestants: Readonly<Record<K, Contestant>>,
  { one, batch, drain }: Sizes,
): Record<K, Rates> {
  const names = Object.keys(contestants) as K[];
  const race = (jobs: number, each: number, work: (contestant: Contestant, n: number) => void) => {
    const ms = new Map<K, number[]>(names.map((name) => [name, []]));
    for (let done = 0; done < jobs; done += each) {
      for (const name of shuffled(names)) {
        ms.get(name)?.push(timed(() => work(contestants[name], done)));
      }
    }
    return (name: K) => (each * 1000) / midmean(ms.get(name) ?? []);
  };
  const batches = race(BATCHES * batch, batch, (contestant, done) =>
    contestant.enqueueMany(done, batch),
  );
  const ones = race(one, TURN.one, (contestant, done) => {
    for (let n = 0; n < TURN.one; n++) contestant.enqueueOne(done + n);
  });
  const drains = race(drain, TURN.drain, (contestant) => {
    for (let n = 0; n < TURN.drain; n++) {
      if (!contestant.drainOne()) throw new Error('nothing to drain');
    }
  });
  return Object.fromEntries(
    names.map((name) => [name, { batch: batches(name), one: ones(name), drain: drains(name) }]),
  ) as Record<K, Rates>;
}

/** In an order of its own: one that always follows the same other would pay for that one's writes. */
function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

const medians = (rates: readonly Rates[]): Rates => ({
  one: median(rates.map((rate) => rate.one)),
  batch: median(rates.map((rate) => rate.batch)),
  drain: median(rates.map((rate) => rate.drain)),
});

function throughput(sync: Sync): Bench {
  return {
    name: `queue ${sync}`,
    async run({ quick }) {
      const { dir, remove } = await workshop();
      const file = (name: string) => join(dir, `${name}.sqlite`);
      const size = sizes(sync, quick);
      const finished = quick ? 5000 : HISTORY;
      const open = async (contest: Contest, path: string): Promise<Contestant> => {
        if (contest.endsWith('After')) {
          copyOf(file(contest.startsWith('plain') ? 'plain' : 'lull'), path);
        }
        if (contest.startsWith('plain')) return plainjob(plainStore(path, sync), sync);
        const store = await lullStore(path, sync);
        return contest.startsWith('raw') ? raw(store) : ours(store);
      };
      try {
        await lullHistory(file('lull'), finished);
        plainHistory(file('plain'), finished);
        const rounds: Record<Contest, Rates>[] = [];
        for (let round = 0; round <= (quick ? 1 : 7); round++) {
          const contestants = {} as Record<Contest, Contestant>;
          for (const name of CONTESTS) contestants[name] = await open(name, file(`now-${name}`));
          rounds.push(contest(contestants, size));
          for (const name of CONTESTS) {
            contestants[name].close();
            for (const end of ['', '-wal', '-shm']) {
              rmSync(file(`now-${name}`) + end, { force: true });
            }
          }
        }
        rounds.shift(); // the first only warms up
        const of = (name: Contest) => medians(rounds.map((round) => round[name]));
        return rows(
          sync,
          finished,
          Object.fromEntries(CONTESTS.map((name) => [name, of(name)])) as Record<Contest, Rates>,
        );
      } finally {
        await remove();
      }
    },
  };
}

function rows(sync: Sync, finished: number, of: Record<Contest, Rates>): Row[] {
  const beside = (name: string, what: keyof Rates, after: boolean): Row[] => {
    const [mine, hand, package_] = after
      ? [of.oursAfter, of.rawAfter, of.plainAfter]
      : [of.ours, of.raw, of.plain];
    const label = `${sync} ${name}, ${after ? finished.toLocaleString('en-US') : 'no'} finished`;
    const goal = what === 'drain' ? ratioAtLeast(0.8, 'raw') : null;
    return [
      row(`${label}: raw`, 'jobs/s', mine[what], hand[what], goal),
      row(`${label}: plainjob`, 'jobs/s', mine[what], package_[what], ratioAtLeast(1, 'plainjob')),
    ];
  };
  return [
    ...[false, true].flatMap((after) => [
      ...beside('enqueue one', 'one', after),
      ...beside('enqueue 10,000', 'batch', after),
      ...beside('drain', 'drain', after),
    ]),
    row(
      `${sync} drain after ${finished.toLocaleString('en-US')} finished: without`,
      'jobs/s',
      of.oursAfter.drain,
      of.ours.drain,
      ratioAtLeast(0.9, 'without'),
    ),
  ];
}

/** A long queue of every tier, window and urgency, two days old at its head. */
async function longQueue(template: string, path: string, queued: number) {
  copyOf(template, path);
  const store = await lullStore(path, 'NORMAL');
  const config = configSchema.parse({});
  let now = Date.now() - 172_800_000;
  const step = 172_800_000 / queued;
  const queue = openQueue(store, { clock: { now: () => Math.floor(now) }, config: () => config });
  const add = (n: number) =>
    queue.enqueue({
      kind: 'brief',
      tier: TIERS[n % 4] ?? 'routine',
      numCtx: (n >> 2) % 2 ? 8192 : 16_384,
      priority: [0, 10, 50, 100][(n >> 3) % 4] ?? 50,
      session: n % 3 ? null : `session ${n % 50}`,
      title: 'a job',
      payload: { prompt: 'Count the freezer and say what is short.', n },
    });
  store.tx(() => {
    for (let n = 0; n < queued; n++) {
      add(n);
      now += step;
    }
  });
  store.db.pragma('wal_checkpoint(TRUNCATE)');
  const held = queue.claim({ runId: 1, now, blockedTiers: new Set(TIERS.slice(1)), loaded: [] });
  if (!held) throw new Error('nothing to hold');
  const loaded = TIERS.map((tier) => [{ tier, numCtx: 8192 }]);
  /** Times claims with their commit, while one job runs; the queue keeps its length. */
  const round = (claims: number): number[] =>
    Array.from({ length: claims }, (_, n) => {
      now = Date.now();
      const request = {
        runId: 1,
        now,
        blockedTiers: new Set<never>(),
        loaded: loaded[n % 4] ?? [],
      };
      let claim = null as ReturnType<typeof queue.claim>;
      const ms = timed(() => {
        claim = queue.claim(request);
      });
      if (!claim) throw new Error('nothing to claim');
      queue.complete(claim, 'done');
      add(n);
      return ms;
    });
  return { round, close: () => store.close() };
}

async function claimLatency({ quick }: BenchOptions): Promise<Row[]> {
  const { dir, remove } = await workshop();
  const file = (name: string) => join(dir, `${name}.sqlite`);
  const queued = quick ? 2000 : 100_000;
  try {
    await lullHistory(file('history'), quick ? 5000 : HISTORY);
    const long = await longQueue(file('history'), file('long'), queued);
    const short = await longQueue(file('history'), file('short'), 100);
    const claims = quick ? 100 : 1000;
    const times = await alternating(quick ? 1 : 7, {
      long: () => long.round(claims),
      short: () => short.round(claims),
    });
    long.close();
    short.close();
    const of = (rounds: readonly number[][], q: number) =>
      median(rounds.map((round) => quantile(round, q)));
    const p50 = of(times.long, 0.5);
    const name = `NORMAL claim, ${queued.toLocaleString('en-US')} queued`;
    return [
      row(`${name}: p50`, 'ms', p50, 0.2, atMost(0.2, 'ms')),
      row(`${name}: p99`, 'ms', of(times.long, 0.99), 2, atMost(2, 'ms')),
      row(`${name}: p50 of 100`, 'ms', p50, of(times.short, 0.5), ratioAtMost(5, 'at 100')),
    ];
  } finally {
    await remove();
  }
}

export const benches: Bench[] = [
  throughput('NORMAL'),
  throughput('FULL'),
  { name: 'claim', run: claimLatency },
];
