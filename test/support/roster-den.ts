import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../main/base/clock.ts';
import { configSchema } from '../../main/base/config-schema.ts';
import { resolveHome } from '../../main/base/home.ts';
import type { RosterSettings } from '../../main/base/roster-schema.ts';
import { cycleRunsTable } from '../../main/base/store/cycle-runs.ts';
import type { Store } from '../../main/base/store/database.ts';
import type { Job } from '../../main/engine/queue/job.ts';
import type { Outcome, RunContext, YieldCause } from '../../main/engine/supervisor/handler.ts';
import { cycleKind } from '../../main/work/roster/hosted/kind.ts';
import type { Cadence } from '../../main/work/roster/repository/cadence.ts';
import {
  processesIn,
  type Sample,
  type SampleOptions,
  sampleRepository,
} from '../work/roster/cycle/sample-repository.ts';
import { git } from './git-repository.ts';
import { temporaryFolder, temporaryStore } from './store.ts';

/** What an agent does beside what it must: it changes a file of the repository. */
export const HANDOFF = 'bash agent.sh && echo "by $SCHEDULER_AGENT" >> work.txt';

/** A repository with a roster, everything committed on `main`. */
export function committedSample(
  scheduler: Record<string, unknown> = {},
  options: SampleOptions = {},
): Sample {
  const sample = sampleRepository(options);
  sample.configure({
    handoffCommandByCadence: { daily: HANDOFF, weekly: HANDOFF },
    validationCommandsByCadence: { daily: ['true'], weekly: [] },
    ...scheduler,
  });
  sample.write('work.txt', 'begun\n');
  sample.write('.gitignore', 'agent-env\nlock/\n');
  git(sample.root, 'checkout', '--quiet', '-B', 'main');
  commitAll(sample.root, 'Begin');
  return sample;
}

export function commitAll(root: string, message: string): string {
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message', message);
  return git(root, 'rev-parse', 'HEAD');
}

export function rosterOf(
  path: string,
  more: Record<string, unknown> = {},
  settings: Record<string, unknown> = {},
): RosterSettings {
  const entry = { path, consent: { at: 1, said: 'yes' }, platform: 'claude', ...more };
  return configSchema.parse({ roster: { repositories: [entry], ...settings } }).roster;
}

export interface Den {
  home: ReturnType<typeof resolveHome>;
  store: Store;
  runs: ReturnType<typeof cycleRunsTable>;
  settings: { now: RosterSettings };
  run(over?: Partial<RunWish>): Promise<Outcome>;
}

interface RunWish {
  repository: string;
  cadence: Cadence;
  job: number;
  claimNo: number;
  signal: AbortSignal;
  shouldYield: () => YieldCause | null;
  clock: Clock;
}

/** The kind `cycle` over a data folder of its own, run by hand. */
export async function denFor(sample: Sample, settings = rosterOf(sample.root)): Promise<Den> {
  const home = resolveHome(join(temporaryFolder(), 'home'));
  mkdirSync(home.dir);
  const store = await temporaryStore();
  const runs = cycleRunsTable(store.db);
  const current = { now: settings };
  let jobs = 0;
  onTestFinished(() => {
    expect(existsSync(home.cycles) ? processesIn(home.cycles) : [], 'left behind').toEqual([]);
  });
  return {
    ...{ home, store, runs, settings: current },
    run(over = {}) {
      jobs += 1;
      const clock = over.clock ?? systemClock();
      const kind = cycleKind({
        config: () => current.now,
        runs,
        lockGround: { home, clock, env: { PATH: process.env.PATH, HOME: home.dir } },
      });
      const payload = {
        repository: over.repository ?? sample.root,
        cadence: over.cadence ?? 'daily',
      };
      const job = { id: over.job ?? jobs, claimNo: over.claimNo ?? 1, session: 's', payload };
      return kind.run({
        job: job as unknown as Job,
        clock,
        model: null as unknown as RunContext['model'],
        signal: over.signal ?? new AbortController().signal,
        shouldYield: over.shouldYield ?? (() => null),
        checkpoint() {},
        progress() {},
      });
    },
  };
}
