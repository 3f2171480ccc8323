import type { ConfigChanges } from '../../../base/config.ts';
import type { Config } from '../../../base/config-schema.ts';
import { failure, ok, type Result } from '../../../base/errors.ts';
import { randomToken } from '../../../base/ids.ts';
import type { CycleRun, CycleRunsTable } from '../../../base/store/cycle-runs.ts';
import type { Store } from '../../../base/store/database.ts';
import type { DraftHead } from '../../../base/store/drafts.ts';
import type { Admit as AdmitRequest } from '../../../engine/admission/admission.ts';
import type { Router } from '../../../engine/admission/router.ts';
import { admitWork } from '../../../engine/admission/work.ts';
import type { Schedules } from '../../../engine/producers/clock/schedules.ts';
import { LOCAL } from '../../../engine/producers/route.ts';
import type { Admit, Decision } from '../../../engine/producers/work-request.ts';
import type { Queue } from '../../../engine/queue/queue.ts';
import type { Kind } from '../../../engine/supervisor/handler.ts';
import { findJsonObject } from '../cycle/json-in-output.ts';
import type { Cadence } from '../repository/cadence.ts';
import { readRoster } from '../repository/roster.ts';
import { type CycleWork, cycleOfSource, cycleTitle, followCadences } from './cadences.ts';
import { consented } from './consent.ts';
import { hostedLock, type LockGround } from './hosted-lock.ts';
import { cycleKind } from './kind.ts';
import { sessionOf } from './places.ts';
import { type CyclePlan, planCycles } from './plan.ts';
import { type Repositories, repositories } from './repositories.ts';
import { type Tidier, tidier } from './tidy.ts';

export interface CyclesParts {
  store: Pick<Store, 'tx'>;
  ground: LockGround;
  config: () => Pick<Config, 'roster'>;
  setConfig: (changes: ConfigChanges) => Result<unknown>;
  schedules: Schedules;
  runs: CycleRunsTable;
  router: Router;
  admit: AdmitRequest;
  queue: Pick<Queue, 'get' | 'openOf' | 'cancel'>;
  /** Carries an asked cancel out where the job runs in this process. */
  cancelRunning: (job: number) => void;
  drafts: { ofJob(job: number): DraftHead[] };
  onFault: (error: unknown) => void;
}

/** Cycles as Lull runs them: which repositories, when, and what is left of them. */
export interface Cycles extends Repositories, Tidier {
  kind: Kind;
  /** What producers ask: a cadence's occurrence becomes a cycle, all else goes to `others`. */
  admitProduced(others: Admit): Admit;
  /**
   * Makes schedules and jobs follow the settings; gives what stands in the way. Cycles of a repository that
   * is off the list, or without the owner's consent, are cancelled.
   */
  follow(): string[];
  /** Asks for one cycle outside its cadence. It waits for the lull as any heavy work does. */
  runNow(path: string, cadence: Cadence): Result<{ job: number }>;
  plan(path: string, cadence: Cadence): Promise<Result<CyclePlan>>;
  /** Whether the lock can be reached, relay by relay. */
  health(path: string): Promise<Result<LockHealth>>;
  runs: Pick<CycleRunsTable, 'latest'>;
}

export interface LockHealth {
  kind: 'local' | 'relays';
  ok: boolean;
  said: string | null;
  relays: { relay: string; ok: boolean; ms: number | null; error: string | null }[];
}

export function openCycles(parts: CyclesParts): Cycles {
  const { store, ground, config, schedules, runs, router, admit } = parts;
  const list = repositories({ ...parts, now: () => ground.clock.now() });
  const admitCycle = (work: CycleWork): Admit => {
    const asJob = admitWork('cycle', () => work, router, admit);
    return (request) =>
      asJob({ ...request, session: sessionOf(work.repository), subject: work.repository });
  };

  return {
    ...list,
    ...tidier({ runs, clock: ground.clock, isNeeded, onFault: parts.onFault }),
    runs,
    kind: cycleKind({ config: () => config().roster, runs, lockGround: ground }),

    admitProduced: (others) => (request) => {
      const work = cycleOfSource(request.source, config().roster);
      return work ? admitCycle(work)(request) : others(request);
    },

    follow() {
      const problems = followCadences(schedules, config().roster);
      cancelUnwanted();
      return problems;
    },

    runNow(path, cadence) {
      const found = list.get(path);
      if (!found.ok) return found;
      const entry = consented(config().roster, path);
      if (!entry.ok) return entry;
      const roster = readRoster(path);
      if (!roster.ok) return roster;
      if (roster.value[cadence].length === 0) {
        return failure('invalid', `the ${cadence} roster lists nobody: ${path}`);
      }
      const work = { repository: path, cadence };
      const title = cycleTitle(work);
      const decision = store.tx(() =>
        admitCycle(work)({
          ...{ source: `cycles:${randomToken(12)}`, title, prompt: title },
          ...{ session: null, files: [], subject: null, tier: null, route: LOCAL },
          ...{ notBefore: null, expiresAt: null },
        }),
      );
      return jobOf(decision);
    },

    async plan(path, cadence) {
      const entry = list.get(path);
      return entry.ok ? planCycles(entry.value, cadence, config().roster, ground) : entry;
    },

    async health(path) {
      const entry = list.get(path);
      return entry.ok ? healthOf(path, config().roster, ground) : entry;
    },
  };

  function cancelUnwanted(): void {
    for (const { id, payload } of parts.queue.openOf('cycle')) {
      const { repository } = payload as CycleWork;
      const entry = consented(config().roster, repository);
      if (!entry.ok && parts.queue.cancel(id, entry.message) === 'asked') parts.cancelRunning(id);
    }
  }

  /** A draft that is not decided stands on it, or the run may still land one. */
  function isNeeded({ job, claimNo, head }: CycleRun): boolean {
    const running = parts.queue.get(job);
    if (running?.state === 'running' && running.claimNo === claimNo) return true;
    if (head === null) return false;
    return parts.drafts
      .ofJob(job)
      .some(({ kind, state }) => kind === 'cycle' && UNDECIDED.has(state));
  }
}

const UNDECIDED: ReadonlySet<string> = new Set(['pending', 'approved', 'apply-failed']);

function jobOf(decision: Decision): Result<{ job: number }> {
  if (decision.outcome === 'refused') return decision.failure;
  return ok({ job: decision.job.id });
}

async function healthOf(
  path: string,
  settings: Config['roster'],
  ground: LockGround,
): Promise<Result<LockHealth>> {
  const lock = hostedLock(path, settings, ground);
  if (!lock.ok) return lock;
  const answer = await lock.value.health('daily');
  const report = findJsonObject(answer.stdout, (value) => Array.isArray(value.relays));
  const probes = (report?.relays ?? []) as Record<string, unknown>[];
  return ok({
    kind: settings.lock,
    ok: answer.code === 0,
    said: answer.code === 0 ? null : (answer.stderr.trim().split('\n').at(-1) ?? null),
    relays: probes.map((probe) => ({
      relay: String(probe.relay),
      ok: probe.ok === true,
      ms: typeof probe.readMs === 'number' ? probe.readMs : null,
      error: typeof probe.error === 'string' ? probe.error : null,
    })),
  });
}
