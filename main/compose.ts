import { totalmem } from 'node:os';
import { join } from 'node:path';
import { LullError } from './base/errors.ts';
import { conditionsTable } from './base/store/conditions.ts';
import { cycleRunsTable } from './base/store/cycle-runs.ts';
import { draftsTable } from './base/store/drafts.ts';
import { eventsTable } from './base/store/events.ts';
import { intervalsTable } from './base/store/intervals.ts';
import { modelsTable } from './base/store/models.ts';
import { noticesTable } from './base/store/notices.ts';
import { pausesTable } from './base/store/pauses.ts';
import { presenceWordTable } from './base/store/presence-word.ts';
import { runsTable } from './base/store/runs.ts';
import { schedulesTable } from './base/store/schedules.ts';
import { stintsTable } from './base/store/stints.ts';
import { transcriptsTable } from './base/store/transcripts.ts';
import { vitalsTable } from './base/store/vitals.ts';
import { VERSION } from './base/version.ts';
import { openBackups } from './desk/backups.ts';
import { openDrafts } from './desk/drafts.ts';
import { examine } from './desk/examine.ts';
import { notifier } from './desk/notices.ts';
import { openPast } from './desk/past.ts';
import { openViews } from './desk/views.ts';
import { createAdmission } from './engine/admission/admission.ts';
import { createRouter } from './engine/admission/router.ts';
import { admitWork } from './engine/admission/work.ts';
import { createGates } from './engine/gates/look.ts';
import { openModels } from './engine/models/models.ts';
import { modelSearch } from './engine/models/search.ts';
import { createSchedules } from './engine/producers/clock/schedules.ts';
import { createConditions } from './engine/producers/conditions/conditions.ts';
import { createAddTask } from './engine/producers/one-off.ts';
import { openQueue } from './engine/queue/open-queue.ts';
import { openSecrets } from './engine/secrets/secrets.ts';
import type { Flight } from './engine/supervisor/run-job.ts';
import { HEALTHY } from './engine/vitals/health.ts';
import { openRecord } from './engine/vitals/record.ts';
import { seriesKeeper } from './engine/vitals/series.ts';
import type { Vitals } from './engine/vitals/vitals.ts';
import type { Ground } from './ground.ts';
import { commandHandlers } from './surfaces/commands.ts';
import { dispatcher } from './surfaces/dispatch.ts';
import { openCycles } from './work/roster/hosted/cycles.ts';
import { importInventory } from './work/shop/import/apply.ts';
import { openStock } from './work/shop/stock.ts';

/** The panel as built. */
export const PANEL = join(import.meta.dirname, '..', 'dist', 'renderer');

/** What only a living host has; without one nothing runs. */
export interface Life {
  flights(): readonly Flight[];
  cancel(job: number): boolean;
  readonly pid: number;
  readonly vitals: Pick<Vitals, 'health' | 'reading' | 'tally'>;
}

/**
 * Builds every room once, in the order of the flow: producers ask, admission decides, the queue keeps,
 * gates and models let through, the desk shows, and the commands of the contract reach all of it.
 */
export function furnish(ground: Ground, life: () => Life | null) {
  const { home, clock, store, config } = ground;
  const now = () => clock.now();
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

  const events = eventsTable(store.db);
  const pauses = pausesTable(store.db);
  const word = presenceWordTable(store.db);
  const transcripts = transcriptsTable(store.db);
  const draftRows = draftsTable(store.db);
  const scheduleRows = schedulesTable(store.db);
  const conditionRows = conditionsTable(store.db);
  const noticeRows = noticesTable(store.db);
  const notices = notifier(noticeRows);

  const queue = openQueue(store, { clock, config });
  const router = createRouter(config);
  const admit = createAdmission({ store, queue, config });
  const admitBrief = admitWork('brief', ({ prompt }) => ({ prompt }), router, admit);
  const admitTask = admitWork(
    'task',
    ({ prompt, files }) => ({ text: prompt, files }),
    router,
    admit,
  );

  const stock = openStock(store, { clock, currency: config().currency });
  const schedules = createSchedules({ tx: store.tx, schedules: scheduleRows, now });
  const conditions = createConditions({
    tx: store.tx,
    conditions: conditionRows,
    isKnown: (sku) => stock.get(sku)?.reorderPoint != null,
    now,
  });
  const addTask = createAddTask({ tx: store.tx, admit: admitTask, now, home: home.dir });

  const gates = createGates({ clock, facts: ground.facts, config, pauses, word });
  const record = openRecord({
    ...{ clock, store },
    intervals: intervalsTable(store.db),
    stints: stintsTable(store.db),
  });
  const series = seriesKeeper(store, vitalsTable(store.db));
  const runs = runsTable(store.db);
  const secrets = openSecrets({ ...ground, file: home.secrets });
  const models = openModels({
    ...{ keyOf: secrets.keyOf, grant: secrets.grant },
    clock,
    store,
    config,
    totalMemoryBytes: ground.totalMemoryBytes ?? totalmem(),
    connect: ground.connect,
    forceOffline: ground.forceOffline,
    offlineDelayMs: ground.offlineDelayMs,
    onChange: ground.onModelChange,
  });

  const cancelRunning = (job: number) => void life()?.cancel(job);
  const cycles = openCycles({
    ...{ store, config, schedules, router, admit, queue, drafts: draftRows, cancelRunning },
    setConfig: ground.setConfig,
    ground: { home, clock, env: process.env },
    runs: cycleRunsTable(store.db),
    onFault: (error) => ground.onFault('cycles', error),
  });

  const drafts = openDrafts({
    store,
    clock,
    drafts: draftRows,
    transcripts,
    notices,
    orders: home.orders,
    needs(sku) {
      const line = stock.get(sku);
      return line && { ...line, countedAt: stock.lastCountedAt(sku) };
    },
    runAgain: (job) => ({ ok: true, value: queue.retry(job) }),
    zone,
    cycleDecided: cycles.tidy,
    cycleRestored: ({ branch, root, head }) => cycles.restore(branch, root, head),
  });
  const {
    replace = () => Promise.reject(new LullError('refused', 'nothing can be put back here')),
  } = ground;
  const backups = openBackups({ ...{ home, now, zone, replace }, store: () => store });
  const flights = () => life()?.flights() ?? [];
  const past = openPast({
    ...{ now, config, zone, record, queue, flights },
    drafts: draftRows,
    loads: modelsTable(store.db),
  });
  const views = openViews({
    ...{ now, config, queue, gates, pauses, past, events, schedules, conditions, stock, flights },
    ...{ drafts: draftRows, notices: noticeRows },
    ...{ memory: models.memory, latestRun: runs.latest },
    health: () => life()?.vitals.health() ?? HEALTHY,
    host() {
      const pid = life()?.pid;
      return pid === undefined
        ? null
        : { pid, version: VERSION, home: home.dir, model: models.line() };
    },
  });
  const dispatch = dispatcher(
    commandHandlers({
      ...{ now, config, setConfig: ground.setConfig, queue, views, drafts, schedules, conditions },
      ...{ secrets, stock, pauses, word, past, models, notices: noticeRows, addTask, backups },
      ...{ cycles, cancelRunning },
      cyclesInput: () => ({
        roster: config().roster,
        schedules: schedules.list(),
        draftsOf: draftRows.ofJob,
        env: process.env,
      }),
      ...{ series, runs, store, vitals: () => life()?.vitals ?? null },
      search: modelSearch({ config, setConfig: ground.setConfig, discover: models.discover }),
      importStock: ({ content, ...input }) =>
        importInventory(store, {
          ...input,
          bytes: Buffer.from(content, 'base64'),
          currency: config().currency,
          now: now(),
        }),
      doctor: () => examine({ ...ground, servers: models.servers() }),
    }),
    ground.onFault,
  );
  return {
    ...{ config, events, pauses, transcripts, draftRows, scheduleRows, conditionRows, notices },
    ...{ zone, backups },
    ...{ queue, router, admitBrief, stock, gates, models, drafts, views, dispatch, record, past },
    ...{ secrets, cycles, series, runs },
  };
}

export type Rooms = ReturnType<typeof furnish>;
