import { dirname } from 'node:path';
import type { Tier } from '../../../main/base/config-schema.ts';
import { conditionsTable } from '../../../main/base/store/conditions.ts';
import type { Store } from '../../../main/base/store/database.ts';
import { schedulesTable } from '../../../main/base/store/schedules.ts';
import { createClockDuty } from '../../../main/engine/producers/clock/duty.ts';
import { createClockPass } from '../../../main/engine/producers/clock/pass.ts';
import { createSchedules } from '../../../main/engine/producers/clock/schedules.ts';
import type { ScheduleSpec } from '../../../main/engine/producers/clock/spec.ts';
import { createConditions } from '../../../main/engine/producers/conditions/conditions.ts';
import { createConditionPass, type Need } from '../../../main/engine/producers/conditions/pass.ts';
import { createAddTask } from '../../../main/engine/producers/one-off.ts';
import type { Admit } from '../../../main/engine/producers/work-request.ts';
import { temporaryStore } from '../../support/store.ts';

export interface JobRow {
  id: number;
  source: string;
  state: string;
  tier: Tier;
  session: string | null;
  subject: string | null;
  payload: string;
  coalesced: number;
  expires_at: number | null;
  not_before: number | null;
}

/** The producers over a real database, with a queue of `capacity` and a clock that the test sets. */
export async function producerRoom(capacity = 10) {
  const store = await temporaryStore();
  const room = { now: 0, paused: false, held: new Set<Tier>(), capacity };
  const shared = { tx: store.tx, record: recorder(store), paused: () => room.paused };
  const admit = admission(store, room);
  const scheduleRows = schedulesTable(store.db);
  const conditionRows = conditionsTable(store.db);
  const needs = new Map<string, Need | Error>();
  const countOnto = (job: number, n: number, expiresAt: number | null) =>
    store.db
      .prepare(
        `UPDATE jobs SET coalesced = coalesced + ?, expires_at = coalesce(?, expires_at)
         WHERE id = ? AND state IN ('queued', 'deferred')`,
      )
      .run(n, expiresAt, job).changes === 1;
  const pass = createClockPass({
    ...shared,
    schedules: scheduleRows,
    admit,
    held: (tier) => room.held.has(tier),
    countOnto,
  });
  const needOf = (sku: string): Need | null => {
    const need = needs.get(sku);
    if (need instanceof Error) throw need;
    return need ?? null;
  };
  return Object.assign(room, {
    store,
    admit,
    clockPass: pass,
    duty: createClockDuty(scheduleRows, pass),
    schedules: createSchedules({ tx: store.tx, schedules: scheduleRows, now: () => room.now }),
    conditionPass: createConditionPass({ ...shared, conditions: conditionRows, admit, needOf }),
    conditions: createConditions({
      tx: store.tx,
      conditions: conditionRows,
      isKnown: (sku) => needs.has(sku),
      now: () => room.now,
    }),
    needs,
    addTask: createAddTask({ tx: store.tx, admit, now: () => room.now, home: dirname(store.path) }),
    jobs: () => store.db.prepare<[], JobRow>('SELECT * FROM jobs ORDER BY id').all(),
    events: (kind: string) =>
      store.db
        .prepare<[string], string>('SELECT payload FROM events WHERE kind = ? ORDER BY id')
        .pluck()
        .all(kind)
        .map((text) => JSON.parse(text)),
    /** Runs the waiting jobs to their end, so that the queue has room again. */
    finishJobs(at = room.now) {
      store.db
        .prepare(
          `UPDATE jobs SET state = 'running', claim_no = claim_no + 1, claimed_by_run = 1,
           started_at = ? WHERE state = 'queued'`,
        )
        .run(at);
      store.db
        .prepare("UPDATE jobs SET state = 'done', finished_at = ? WHERE state = 'running'")
        .run(at);
    },
  });
}

export type ProducerRoom = Awaited<ReturnType<typeof producerRoom>>;

/** A schedule every 10 s from 100 s on, with what the test gives. */
export function morning(with_: Partial<ScheduleSpec> = {}): ScheduleSpec {
  return {
    id: 'morning',
    session: 'shop',
    prompt: 'Prepare the opening brief.',
    tier: null,
    rule: { kind: 'interval', everySeconds: 10, first: 100_000 },
    missed: { kind: 'coalesce' },
    to: 'local',
    ...with_,
  };
}

function recorder(store: Store) {
  const insert = store.db.prepare(
    'INSERT INTO events (at, kind, job, payload) VALUES (?, ?, ?, ?)',
  );
  return (at: number, kind: string, job: number | null, payload: object) => {
    insert.run(at, kind, job, JSON.stringify(payload));
  };
}

function admission(store: Store, room: { now: number; capacity: number }): Admit {
  return (request) => {
    const known = store.db
      .prepare<[string], { id: number; tier: Tier; payload: string }>(
        'SELECT id, tier, payload FROM jobs WHERE source = ?',
      )
      .get(request.source);
    const payload = JSON.stringify({ prompt: request.prompt, files: request.files });
    if (known) {
      return known.payload === payload
        ? { outcome: 'duplicate', job: known }
        : { outcome: 'conflict', job: known };
    }
    const open = store.db
      .prepare("SELECT count(*) FROM jobs WHERE state IN ('queued', 'running', 'deferred')")
      .pluck()
      .get() as number;
    if (open >= room.capacity) return { outcome: 'refused', reason: 'the queue is full' };
    const tier = request.tier ?? 'routine';
    const id = store.db
      .prepare(
        `INSERT INTO jobs (kind, tier, num_ctx, class, priority, state, title, payload, source,
         session, subject, expires_at, not_before, created_at)
         VALUES ('brief', ?, 4096, 'light', 50, 'queued', ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        tier,
        request.title,
        payload,
        request.source,
        request.session,
        request.subject,
        request.expiresAt,
        request.notBefore,
        room.now,
      ).lastInsertRowid;
    return { outcome: 'admitted', job: { id: Number(id), tier } };
  };
}
