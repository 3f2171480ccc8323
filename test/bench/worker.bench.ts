import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { z } from 'zod';
import { systemClock } from '../../main/base/clock.ts';
import { configSchema } from '../../main/base/config-schema.ts';
import { openStore } from '../../main/base/store/database.ts';
import { draftsTable } from '../../main/base/store/drafts.ts';
import { pausesTable } from '../../main/base/store/pauses.ts';
import { transcriptsTable } from '../../main/base/store/transcripts.ts';
import { createGates } from '../../main/engine/gates/look.ts';
import { openQueue } from '../../main/engine/queue/open-queue.ts';
import { lander } from '../../main/engine/supervisor/land.ts';
import { createSupervisor } from '../../main/engine/supervisor/supervisor.ts';
import { workers } from '../../main/engine/workers/in-workers.ts';
import { nodeWorkers } from '../../main/engine/workers/node-workers.ts';
import { fixedFacts, QUIET_NIGHT } from '../support/fixed-facts.ts';
import {
  alternating,
  atMost,
  type Bench,
  type BenchOptions,
  median,
  type Row,
  row,
} from './bench.ts';
import { computing, type Work } from './computing.ts';

const ROUNDS = 5;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const silent = () => Promise.reject(new Error('nobody talks here'));

interface Delay {
  longest: number;
  mean: number;
}

/** Longest and mean delay of the event loop, milliseconds, while one job computes on a real disk. */
async function delayWhile(mode: 'in-process' | 'worker', work: Work): Promise<Delay> {
  const dir = mkdtempSync(join(tmpdir(), 'lull-loop-'));
  const clock = systemClock();
  const store = await openStore(join(dir, 'lull.sqlite'), { backups: dir, now: clock.now() });
  store.db.exec('CREATE TABLE numbers (n INTEGER, text TEXT)');
  const insert = store.db.prepare('INSERT INTO numbers VALUES (?, ?)');
  const settings = configSchema.parse({ workers: { mode: { computing: mode } } });
  const config = () => settings;
  const queue = openQueue(store, { clock, config });
  const pauses = pausesTable(store.db);
  const port = nodeWorkers(join(import.meta.dirname, 'worker-entry.ts'), clock);
  const processes = workers({ port, clock, config, log: QUIET, home: dir });
  const row = z.object({ n: z.int(), text: z.string() });
  const kind = processes.around({
    ...computing,
    batches: {
      row,
      land(_job, rows) {
        for (const { n, text } of rows as z.infer<typeof row>[]) insert.run(n, text);
      },
    },
  });
  const supervisor = createSupervisor({
    ...{ clock, config, log: QUIET, queue, runId: 1, duties: [] },
    gates: createGates({ clock, facts: fixedFacts(QUIET_NIGHT), config, pauses }),
    models: {
      ensure: silent,
      loadedKeys: () => [],
      takeChange: () => false,
      releaseWorker: async () => true,
    },
    kinds: new Map([[kind.name, kind]]),
    pauses: { clearExpired: () => false, allPaused: () => false, nextEnd: () => null },
    land: lander(store, queue, draftsTable(store.db), transcriptsTable(store.db)),
    ...{ onChange() {}, onTrouble() {}, onStuck() {}, onSettled() {} },
  });
  const title = 'computes';
  const { job } = queue.enqueue({
    kind: kind.name,
    tier: 'routine',
    numCtx: 0,
    title,
    payload: work,
  });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await pause(20); // delays count from the first turn of the loop, and are noted at the next
  await supervisor.drain();
  await pause(20);
  delay.disable();
  const landed = store.db.prepare('SELECT count(*) FROM numbers').pluck().get();
  if (queue.get(job.id)?.state !== 'done' || landed !== work.batches * 200) {
    throw new Error(`the work was not done: ${queue.get(job.id)?.error}`);
  }
  await supervisor.stop();
  await processes.close();
  store.close();
  rmSync(dir, { recursive: true, force: true });
  return { longest: delay.max / 1e6, mean: delay.mean / 1e6 };
}

/** The same of a process that only waits, so that what the machine does meanwhile is seen. */
async function delayAtRest(millis: number): Promise<Delay> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await pause(millis);
  delay.disable();
  return { longest: delay.max / 1e6, mean: delay.mean / 1e6 };
}

async function loop({ quick }: BenchOptions): Promise<Row[]> {
  const work = { batches: quick ? 5 : 20, millis: 150, characters: 1000 };
  const rounds = await alternating(quick ? 1 : ROUNDS, {
    worker: () => delayWhile('worker', work),
    here: () => delayWhile('in-process', work),
    rest: () => delayAtRest(work.batches * work.millis),
  });
  const longest = (all: Delay[]) => median(all.map((one) => one.longest));
  const mean = (all: Delay[]) => median(all.map((one) => one.mean));
  const { worker, here, rest } = rounds;
  return [
    row(
      'worker computes and leaves 200 kB a batch: longest delay of the host, beside rest',
      'ms',
      longest(worker),
      longest(rest),
      atMost(50, 'ms'),
    ),
    row('the same: mean delay', 'ms', mean(worker), mean(rest), null),
    row('the same in the host itself: longest delay', 'ms', longest(here), longest(rest), null),
  ];
}

export const benches: Bench[] = [{ name: 'worker', run: loop }];
