import { dirname } from 'node:path';
import type { Tier } from '../../../main/base/config-schema.ts';
import { configSchema } from '../../../main/base/config-schema.ts';
import { conditionsTable } from '../../../main/base/store/conditions.ts';
import { eventsTable } from '../../../main/base/store/events.ts';
import { pausesTable } from '../../../main/base/store/pauses.ts';
import { schedulesTable } from '../../../main/base/store/schedules.ts';
import { createAdmission } from '../../../main/engine/admission/admission.ts';
import { createRouter } from '../../../main/engine/admission/router.ts';
import { admitWork } from '../../../main/engine/admission/work.ts';
import { createClockDuty } from '../../../main/engine/producers/clock/duty.ts';
import { createClockPass } from '../../../main/engine/producers/clock/pass.ts';
import { createSchedules } from '../../../main/engine/producers/clock/schedules.ts';
import type { ScheduleSpec } from '../../../main/engine/producers/clock/spec.ts';
import { createConditions } from '../../../main/engine/producers/conditions/conditions.ts';
import { createConditionPass, type Need } from '../../../main/engine/producers/conditions/pass.ts';
import { createAddTask } from '../../../main/engine/producers/one-off.ts';
import { openQueue } from '../../../main/engine/queue/open-queue.ts';
import { temporaryStore } from '../../support/store.ts';

/**
 * The producers with the real admission, queue, pauses and events over a real database. The test sets
 * the hour (`now`), the room in the queue (`capacity`, of either class) and the tiers a gate holds.
 */
export async function producerRoom(capacity = 10) {
  const store = await temporaryStore();
  const room = { now: 0, capacity, held: new Set<Tier>(), written: Number.NaN };
  const defaults = configSchema.parse({});
  const config = () => ({
    ...defaults,
    queue: { ...defaults.queue, lightCapacity: room.capacity, heavyCapacity: room.capacity },
  });
  const now = () => room.now;
  const events = eventsTable(store.db);
  const pauses = pausesTable(store.db);
  const queue = openQueue(store, { clock: { now }, config });
  const router = createRouter(config);
  const admission = createAdmission({ store, queue, config });
  const admit = admitWork('brief', ({ prompt }) => ({ prompt }), router, admission);
  const admitTask = admitWork(
    'task',
    ({ prompt, files }) => ({ text: prompt, files }),
    router,
    admission,
  );
  const scheduleRows = schedulesTable(store.db);
  const conditionRows = conditionsTable(store.db);
  const needs = new Map<string, Need | Error>();
  const shared = {
    tx: store.tx,
    record: events.record,
    paused: () => pauses.get().all !== null,
    admit,
  };
  const clockPass = createClockPass({
    ...shared,
    schedules: scheduleRows,
    held: (tier) => room.held.has(tier),
    countOnto: queue.countOnto,
  });
  const needOf = (sku: string): Need | null => {
    const need = needs.get(sku);
    if (need instanceof Error) throw need;
    return need ?? null;
  };
  return Object.assign(room, {
    store,
    queue,
    admit,
    clockPass,
    duty: createClockDuty(scheduleRows, clockPass),
    schedules: createSchedules({ tx: store.tx, schedules: scheduleRows, now }),
    // The needs are not in the database, so each pass has to look, but where a test says that none does.
    conditionPass: createConditionPass({
      ...shared,
      conditions: conditionRows,
      written: () => room.written,
      needOf,
    }),
    conditions: createConditions({
      tx: store.tx,
      conditions: conditionRows,
      isKnown: (sku) => needs.has(sku),
      now,
    }),
    needs,
    addTask: createAddTask({ tx: store.tx, admit: admitTask, now, home: dirname(store.path) }),
    pause: () => pauses.set('all', room.now, null),
    resume: () => pauses.clear('all'),
    /** Every job, oldest first; what producers admit has a source. */
    jobs: () =>
      queue
        .list({ limit: 1000 })
        .reverse()
        .map((job) => ({ ...job, source: job.source ?? '' })),
    /** The payloads of one kind of event, oldest first. */
    events: (kind: string) =>
      events
        .byKind(kind, 1000)
        .reverse()
        .map((event) => event.payload as Record<string, unknown>),
    /** Runs what waits to its end, so that the queue has room again. */
    finishJobs(at = room.now) {
      const before = room.now;
      room.now = at;
      const request = { runId: 1, now: at, blockedTiers: new Set<Tier>(), loaded: [] };
      for (let claim = queue.claim(request); claim; claim = queue.claim(request)) {
        queue.complete(claim, 'done');
      }
      room.now = before;
    },
  });
}

export type ProducerRoom = Awaited<ReturnType<typeof producerRoom>>;

/** A schedule every 10 s from 100 s on, with what the test gives. */
export function morning(given: Partial<ScheduleSpec> = {}): ScheduleSpec {
  return {
    id: 'morning',
    session: 'shop',
    prompt: 'Prepare the opening brief.',
    tier: null,
    rule: { kind: 'interval', everySeconds: 10, first: 100_000 },
    missed: { kind: 'coalesce' },
    to: 'local',
    ...given,
  };
}
