import { onTestFinished } from 'vitest';
import { type Config, configSchema } from '../../../main/base/config-schema.ts';
import { openStore } from '../../../main/base/store/database.ts';
import { draftsTable } from '../../../main/base/store/drafts.ts';
import { eventsTable } from '../../../main/base/store/events.ts';
import { pausesTable } from '../../../main/base/store/pauses.ts';
import { transcriptsTable } from '../../../main/base/store/transcripts.ts';
import { createGates } from '../../../main/engine/gates/look.ts';
import type { ModelPort, Readied } from '../../../main/engine/models/port.ts';
import type { Job, LoadKey, NewJob } from '../../../main/engine/queue/job.ts';
import { openQueue } from '../../../main/engine/queue/open-queue.ts';
import type { Kind, Outcome } from '../../../main/engine/supervisor/handler.ts';
import { lander } from '../../../main/engine/supervisor/land.ts';
import type { Duty, Land, Log } from '../../../main/engine/supervisor/ports.ts';
import { createSupervisor } from '../../../main/engine/supervisor/supervisor.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { fixedFacts, QUIET_NIGHT } from '../../support/fixed-facts.ts';

export const WINDOWS = { pinned: 8192, routine: 16_384, synthesis: 32_768, stretch: 32_768 };

/** A supervisor over a real queue, real gates and a real database, with models and time of the test. */
export async function supervisorRoom(settings: object = {}) {
  const store = await openStore(':memory:', { backups: '/nowhere', now: 1 });
  onTestFinished(() => store.close());
  const clock = new FakeClock();
  const facts = fixedFacts(QUIET_NIGHT);
  const room = {
    config: configSchema.parse(settings) as Config,
    kinds: new Map<string, Kind>(),
    duties: [] as Duty[],
    land: null as Land | null,
    changes: 0,
    stuck: [] as (string | null)[],
    trouble: [] as (string | null)[],
    ended: [] as [number, Outcome['kind']][],
    lines: [] as string[],
  };
  const config = () => room.config;
  const queue = openQueue(store, { clock, config });
  const pauses = pausesTable(store.db);
  const drafts = draftsTable(store.db);
  const transcripts = transcriptsTable(store.db);
  const models = standInModels();
  const write =
    (level: string) =>
    (fields: object, message: string): void => {
      room.lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    };
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  const landing = lander(store, queue, drafts, transcripts);

  const supervisor = createSupervisor({
    ...{ clock, config, log, queue, models, runId: 1 },
    gates: createGates({ clock, facts, config, pauses }),
    kinds: room.kinds,
    duties: room.duties,
    pauses: {
      clearExpired: (now) => pauses.clearExpired(now).length > 0,
      allPaused() {
        const { all } = pauses.get();
        return all !== null && (all.until === null || all.until > clock.now());
      },
      nextEnd() {
        const { all, heavy } = pauses.get();
        const ends = [all?.until, heavy?.until].filter((end) => end != null);
        return ends.length > 0 ? Math.min(...ends) : null;
      },
    },
    land: (...given) => (room.land ?? landing)(...given),
    onChange: () => {
      room.changes += 1;
    },
    onTrouble: (failure) => room.trouble.push(failure?.message ?? null),
    onStuck: (message) => room.stuck.push(message),
    onSettled: (job, outcome) => room.ended.push([job.id, outcome.kind]),
  });
  onTestFinished(async () => {
    const stopped = supervisor.stop();
    await clock.advance(120_000);
    await stopped;
  });

  return Object.assign(room, {
    ...{
      store,
      log,
      clock,
      facts,
      queue,
      pauses,
      drafts,
      transcripts,
      models,
      supervisor,
      landing,
    },
    events: eventsTable(store.db),
    kind(name: string, run: Kind['run'], more: Partial<Kind> = {}): void {
      room.kinds.set(name, { name, run, idempotent: false, ...more });
    },
    add(job: Partial<NewJob> = {}): Job {
      const tier = job.tier ?? 'routine';
      const title = job.title ?? `a job of ${job.kind ?? 'plain'}`;
      return queue.enqueue({ kind: 'plain', tier, numCtx: WINDOWS[tier], ...job, title }).job;
    },
    state: (job: { id: number }) => queue.get(job.id)?.state,
    /** One pass, and whatever it set going. */
    async pass(): Promise<number> {
      const started = supervisor.runOnce();
      await settle();
      return started;
    },
    /** Causes of the yields of a job, as the ledger names them. */
    causes: (job: { id: number }) =>
      eventsTable(store.db)
        .forJob(job.id)
        .filter((event) => event.kind === 'job.yielded')
        .map((event) => (event.payload as { cause: string }).cause),
  });
}

export type SupervisorRoom = Awaited<ReturnType<typeof supervisorRoom>>;

/** Models that are always there, unless the test refuses; it says what was loaded and given back. */
function standInModels() {
  const models = {
    loads: [] as string[],
    released: [] as string[],
    refusal: null as Extract<Readied, { ok: false }> | null,
    changed: false,
    release: async () => {},
    sure: true,
    ensure: async (key: LoadKey): Promise<Readied> => {
      models.loads.push(key.tier);
      return (
        models.refusal ?? {
          ...{ ok: true, label: 'Stand-in', model: 'stand-in', numCtx: key.numCtx },
          chat: () => Promise.reject(new Error('nobody talks here')),
        }
      );
    },
    loadedKeys: () => [],
    takeChange() {
      const was = models.changed;
      models.changed = false;
      return was;
    },
    async releaseWorker(cause: string) {
      models.released.push(cause);
      await models.release();
      return models.sure;
    },
  };
  return models satisfies ModelPort;
}

export function done(result = 'done'): Outcome {
  return { kind: 'done', landing: { result } };
}

/**
 * Work of so many steps, each of which ends when the test says `step()`. It keeps a checkpoint and asks
 * whether to yield after each, and ends at once when it is aborted, unless it is `deaf`.
 */
export function steps(total: number, { deaf = false } = {}) {
  let finishStep = (): void => {};
  const seen = { begun: [] as string[], aborted: 0 };
  const run: Kind['run'] = async (context) => {
    let cut = (): void => {};
    context.signal.addEventListener('abort', () => {
      seen.aborted += 1;
      if (!deaf) cut();
    });
    let step = (context.job.checkpoint as { step: number } | null)?.step ?? 0;
    while (step < total) {
      step += 1;
      seen.begun.push(`${context.job.title} ${step}`);
      const whole = await new Promise<boolean>((resolve) => {
        finishStep = () => resolve(true);
        cut = () => resolve(false);
      });
      if (!whole) return { kind: 'yielded', cause: context.shouldYield() ?? 'quitting' };
      context.checkpoint({ step });
      context.progress({ done: step, total, unit: 'steps' });
      const cause = context.shouldYield();
      if (cause) return { kind: 'yielded', cause };
    }
    return done(`${total} steps`);
  };
  return Object.assign(seen, {
    run,
    async step(): Promise<void> {
      finishStep();
      await settle();
    },
  });
}
