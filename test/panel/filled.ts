import { configSchema } from '../../main/base/config-schema.ts';
import type { Home } from '../../main/base/home.ts';
import { type CycleRunStatus, cycleRunsTable } from '../../main/base/store/cycle-runs.ts';
import { openStore, type Store } from '../../main/base/store/database.ts';
import { draftsTable } from '../../main/base/store/drafts.ts';
import { intervalsTable } from '../../main/base/store/intervals.ts';
import { noticesTable } from '../../main/base/store/notices.ts';
import { stintsTable } from '../../main/base/store/stints.ts';
import { openQueue } from '../../main/engine/queue/open-queue.ts';
import { cycleTitle } from '../../main/work/roster/hosted/cadences.ts';

const CYCLE_MS = 600_000;
const STEPS = { count: 3, millis: 1200, tools: ['list_stock', 'draft_order', 'draft_order'] };

export interface Filling {
  /** Adds a heavy job that waits; its id. */
  job(title: string): number;
  /** Adds a pending order draft of a job. */
  order(job: number, title: string, line?: { name: string; unit: string }): number;
  /** Adds a pending text draft of a job. */
  text(job: number, title: string, text: string): number;
  notice(cause: string, text: string): void;
  /** Records what was so: the owner here or away, the machine on mains. Epoch ms. */
  was(track: 'presence' | 'power' | 'hold', state: string, from: number, until: number): void;
  /** A job that has run, at these times (epoch ms); `gaveWayAt`: it stopped once before. Its id. */
  ran(job: Past): number;
  /** A cycle of a roster that began at `at` and took ten minutes. */
  cycle(run: PastCycle): void;
}

export interface PastCycle {
  repository: string;
  agent: string;
  status: CycleRunStatus;
  at: number;
  reason?: string;
  detail?: string;
}

export interface Past {
  title: string;
  tier: 'routine' | 'synthesis';
  askedAt: number;
  from: number;
  until: number;
  gaveWayAt?: number;
}

/** Writes to the database of a folder that no host holds yet, as the rooms themselves would. */
export async function fill(home: Home, write: (filling: Filling) => void): Promise<void> {
  let now = Date.now() - 3_600_000;
  const store = await openStore(home.database, { backups: home.backups, now });
  try {
    store.tx(() => write(filling(store, () => now++)));
  } finally {
    store.close();
  }
}

function filling(store: Store, ticking: () => number): Filling {
  let fixed: number | null = null;
  const now = () => fixed ?? ticking();
  const intervals = intervalsTable(store.db);
  const stints = stintsTable(store.db);
  const config = configSchema.parse({ queue: { heavyCapacity: 100_000 } });
  const queue = openQueue(store, { clock: { now }, config: () => config });
  const drafts = draftsTable(store.db);
  const notices = noticesTable(store.db);
  const cycles = cycleRunsTable(store.db);
  const common = { subject: null, topic: null, model: 'offline', ordinal: 0 };
  const ordinals = new Map<number, number>();
  const ordinal = (job: number) => {
    const next = ordinals.get(job) ?? 0;
    ordinals.set(job, next + 1);
    return next;
  };
  function ran({ title, tier, askedAt, from, until, gaveWayAt }: Past): number {
    const out = (begin: number) => {
      fixed = begin;
      const claim = queue.claim({ runId: 1, now: begin, blockedTiers: new Set(), loaded: [] });
      if (!claim) throw new Error('nothing to claim');
      return claim;
    };
    const stint = { title, tier, heavy: tier === 'synthesis', cause: null, askedAt: null };
    fixed = askedAt;
    const payload = { text: title, files: [] };
    const { id } = queue.enqueue({ kind: 'task', tier, numCtx: 8192, title, payload }).job;
    if (gaveWayAt !== undefined) {
      const claim = out(from);
      fixed = gaveWayAt;
      queue.yieldBack(claim, 'returned');
      stints.record({
        ...{ ...stint, job: id, claimNo: claim.claimNo, from, until: gaveWayAt },
        ...{ outcome: 'yielded', cause: 'returned', askedAt: gaveWayAt - 2_000 },
      });
    }
    const begin = gaveWayAt === undefined ? from : until - 600_000;
    const claim = out(begin);
    fixed = until;
    queue.complete(claim, 'Done.');
    const { claimNo } = claim;
    stints.record({ ...stint, job: id, claimNo, from: begin, until, outcome: 'done' });
    fixed = null;
    return id;
  }

  return {
    job(title) {
      const payload = { text: title, files: [] };
      const job = { kind: 'task', tier: 'synthesis', numCtx: 8192, title, payload } as const;
      return queue.enqueue(job).job.id;
    },
    order(job, title, { name, unit } = { name: 'Vanilla', unit: 'tubs' }) {
      const line = { sku: `SKU-${job}`, name, unit, quantity: 5, unitCostCents: 1180 };
      const body = {
        lines: [{ ...line, totalCents: 5900 }],
        ...{ notes: '', provenance: 'Figures come from the tools.', steps: STEPS },
      };
      return drafts.insert({
        ...{ ...common, job, title, body, kind: 'order', totalCents: 5900, currency: 'USD' },
        ...{ ordinal: ordinal(job), createdAt: now() },
      });
    },
    text(job, title, text) {
      const body = { text, provenance: 'Written by a model, not checked.', steps: STEPS };
      return drafts.insert({
        ...{ ...common, job, title, body, kind: 'text', totalCents: null, currency: null },
        ...{ ordinal: ordinal(job), createdAt: now() },
      });
    },
    notice: (cause, text) => void notices.raise(cause, text, now()),
    was(track, state, from, until) {
      intervals.begin({ track, state, from, percentFrom: 87 });
      intervals.end(track, until, 87, 'change');
    },
    ran,
    cycle({ repository, agent, status, at, reason = status, detail }) {
      const title = cycleTitle({ repository, cadence: 'daily' });
      const job = ran({
        title,
        tier: 'synthesis',
        askedAt: at,
        from: at,
        until: at + CYCLE_MS,
      });
      const run = cycles.begin({
        ...{ job, claimNo: 1, repository, cadence: 'daily', startedAt: at },
        ...{ root: repository, worktree: repository, branch: `lull/daily/${job}`, mark: `${job}` },
      });
      cycles.end(run, { status, agent, reason, detail: detail ?? null, head: null }, at + CYCLE_MS);
      cycles.clean(run, at + CYCLE_MS);
    },
  };
}
