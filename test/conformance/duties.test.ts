import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conditionsTable } from '../../main/base/store/conditions.ts';
import { draftsTable } from '../../main/base/store/drafts.ts';
import { schedulesTable } from '../../main/base/store/schedules.ts';
import { snoozesTable } from '../../main/base/store/snoozes.ts';
import { approvalDuty } from '../../main/desk/approval-duty.ts';
import { snoozeDuty } from '../../main/desk/snooze-duty.ts';
import { createAdmission } from '../../main/engine/admission/admission.ts';
import { createRouter } from '../../main/engine/admission/router.ts';
import { admitWork } from '../../main/engine/admission/work.ts';
import { createSchedules } from '../../main/engine/producers/clock/schedules.ts';
import { createConditions } from '../../main/engine/producers/conditions/conditions.ts';
import { producerDuties } from '../../main/engine/producers/duties.ts';
import { backupDuty } from '../../main/engine/supervisor/backup-duty.ts';
import type { Duty } from '../../main/engine/supervisor/ports.ts';
import { upkeepDuty } from '../../main/engine/supervisor/upkeep.ts';
import { testQueue } from '../engine/queue/test-queue.ts';

/** Every room over one database, with the duties that a host gives its supervisor. */
async function room() {
  const around = await testQueue();
  const { store, queue, events, clock } = around;
  const config = () => around.config;
  const scheduleRows = schedulesTable(store.db);
  const conditionRows = conditionsTable(store.db);
  const needs = new Map<string, number>();
  const now = () => clock.now();
  const schedules = createSchedules({ tx: store.tx, schedules: scheduleRows, now });
  const conditions = createConditions({
    ...{ tx: store.tx, conditions: conditionRows, isKnown: () => true, now },
  });
  let paused = false;
  let hours = 0;
  const backups: number[] = [];
  const approved: number[] = [];
  let finished = 0;
  const snoozes = snoozesTable(store.db);
  const draftRows = draftsTable(store.db);

  /** The duties, made anew over what the database holds. */
  function duties(): Map<string, Duty> {
    const admit = createAdmission({ store, queue, config });
    const producers = producerDuties({
      ...{ store, queue, events, schedules: scheduleRows, conditions: conditionRows },
      admit: admitWork('brief', ({ prompt }) => ({ prompt }), createRouter(config), admit),
      paused: () => paused,
      held: () => false,
      needOf: (sku) => ({ needed: needs.get(sku) ?? 0, prompt: `Replenish ${sku}.` }),
      onProblem: () => {},
    });
    const backup = backupDuty({
      clock: { now, monotonic: () => clock.monotonic() + hours * 3_600_000 },
      newestAt: () => backups.at(-1) ?? null,
      make: async () => void backups.push(now()),
      idle: () => queue.counts().running === 0,
      onMade: () => {},
    });
    const approvals = approvalDuty({
      resumeApproved() {
        finished += approved.length;
        const approval = { outcome: 'applied', files: [] as string[] } as const;
        return approved.splice(0).map((id) => ({ id, approval }));
      },
    });
    const ends = snoozeDuty(snoozes, { lastLullAt: () => null });
    const all = [...producers, upkeepDuty(clock, store, queue), backup, approvals, ends];
    return new Map(all.map((duty) => [duty.name, duty]));
  }

  return {
    ...around,
    duties,
    backups,
    pause() {
      paused = true;
    },
    letHoursPass() {
      hours += 1;
    },
    snoozes,
    approve: (id: number) => void approved.push(id),
    finished: () => finished,
    /** A pending draft that is put off until now. */
    putOff(job: number, ordinal: number) {
      const body = { text: 'words', provenance: '', steps: { count: 0, millis: null, tools: [] } };
      const id = draftRows.insert({
        ...{ job, ordinal, kind: 'text', title: 'a', subject: null, topic: null, body },
        ...{ totalCents: null, currency: null, model: null, createdAt: clock.now() },
      });
      snoozes.put(id, clock.now(), clock.now());
    },
    schedule(id: string, first: number) {
      schedules.add({
        ...{ id, prompt: 'Look.', session: id, tier: null, to: 'local' },
        rule: { kind: 'interval', everySeconds: 3600, first },
        missed: { kind: 'coalesce' },
      });
    },
    watch(id: string, needed: number) {
      needs.set(id, needed);
      conditions.watch({ id, sku: id, session: id, to: 'local' });
    },
    jobs: () => store.db.prepare('SELECT count(*) FROM jobs').pluck().get() as number,
    dump: () =>
      ['jobs', 'events', 'schedules', 'stock_conditions'].map((table) =>
        store.db.prepare(`SELECT * FROM ${table}`).all(),
      ),
  };
}

type Room = Awaited<ReturnType<typeof room>>;

interface Conformance {
  name: string;
  /** Where it is defined. */
  file: string;
  /** Gives it so much to do at the room's present. */
  stir(room: Room, amount: number): void;
  /** How much of it is done. */
  done(room: Room): number;
  /** The most that one call may do, whatever there is. */
  most: number;
}

const STIRRED = 2500;

const DUTIES: Conformance[] = [
  {
    name: 'clock',
    file: 'engine/producers/clock/duty.ts',
    stir(room, amount) {
      const due = room.clock.now() - 1000;
      for (let n = 0; n < amount; n++) room.schedule(`s${n}`, due);
    },
    done: (room) => room.queue.counts().queued,
    most: 10,
  },
  {
    name: 'conditions',
    file: 'engine/producers/conditions/duty.ts',
    stir(room, amount) {
      for (let n = 0; n < Math.min(amount, 100); n++) room.watch(`w${n}`, 3);
    },
    done: (room) => room.queue.counts().queued,
    most: 10,
  },
  {
    name: 'upkeep',
    file: 'engine/supervisor/upkeep.ts',
    stir(room, amount) {
      const { queue, clock } = room;
      const ids = queue.enqueueAll(
        { kind: 'brief', tier: 'routine', numCtx: 8192, title: 'old' },
        Array.from({ length: amount + 1 }, (_, n) => ({ n })),
      );
      for (const id of ids) queue.cancel(id);
      clock.suspend(100 * 86_400_000);
    },
    done: (room) => STIRRED + 1 - room.jobs(),
    most: 1000,
  },
  {
    name: 'backup',
    file: 'engine/supervisor/backup-duty.ts',
    stir: (room) => room.letHoursPass(),
    done: (room) => room.backups.length,
    most: 1,
  },
  {
    name: 'approvals',
    file: 'desk/approval-duty.ts',
    stir(room, amount) {
      for (let n = 1; n <= amount; n++) room.approve(n);
    },
    done: (room) => room.finished(),
    most: STIRRED,
  },
  {
    name: 'snoozes',
    file: 'desk/snooze-duty.ts',
    stir(room, amount) {
      const { job } = room.queue.enqueue({
        ...{ kind: 'brief', tier: 'routine', numCtx: 8192, title: 'a', payload: {} },
      });
      for (let n = 0; n < Math.min(amount, 100); n++) room.putOff(job.id, n);
    },
    done: (room) => 100 - room.snoozes.count(),
    most: 100,
  },
];

describe.each(DUTIES)('the duty $name', ({ name, stir, done, most }) => {
  async function open(): Promise<{ room: Room; duty: Duty; run: () => number }> {
    const opened = await room();
    const duty = opened.duties().get(name);
    if (!duty) throw new Error(`no duty is called ${name}`);
    return { room: opened, duty, run: () => duty.runOnce(opened.clock.now()) };
  }

  it('P7 S2 with nothing due it does nothing, again and again, and plans nothing', async () => {
    const { room, duty, run } = await open();
    const before = room.dump();
    for (let n = 0; n < 5; n++) {
      expect(run()).toBe(0);
      await room.clock.advance(1000);
    }
    expect(room.dump()).toEqual(before);
    expect(duty.nextDueAt()).toBeNull();
  });

  it('P7 S2 what is due is done once: a second call at the same moment changes nothing', async () => {
    const { room, run } = await open();
    stir(room, 3);
    run();
    const after = room.dump();
    expect(run()).toBe(0);
    expect(room.dump()).toEqual(after);
  });

  it('P7 S2 one call is bounded, and the rest follows with later ones', async () => {
    const { room, run } = await open();
    stir(room, STIRRED);
    run();
    const first = done(room);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(most);
    for (let n = 0; n < 5; n++) run();
    expect(done(room)).toBeGreaterThanOrEqual(first);
  });

  it('S2 what it plans lies ahead, or is nothing', async () => {
    const { room, duty, run } = await open();
    stir(room, 3);
    run();
    const next = duty.nextDueAt();
    if (next !== null) expect(next).toBeGreaterThan(room.clock.now());
    for (const moment of [-3_600_000, 3_600_000]) {
      room.clock.jump(moment);
      expect(() => run()).not.toThrow();
    }
  });

  it('S2 it needs no start, and one made anew goes on from the database', async () => {
    const { room, run } = await open();
    stir(room, 3);
    run();
    const before = room.dump();
    room.duties().get(name)?.runOnce(room.clock.now());
    expect(room.dump()).toEqual(before);
  });
});

describe('the duties together', () => {
  it('P7 G4 the producers admit nothing while everything is paused', async () => {
    const opened = await room();
    DUTIES[0]?.stir(opened, 3);
    DUTIES[1]?.stir(opened, 3);
    opened.pause();
    for (const duty of opened.duties().values()) duty.runOnce(opened.clock.now());
    expect(opened.queue.counts().queued).toBe(0);
  });

  it('S2 each duty of the program is tried here', () => {
    const main = join(import.meta.dirname, '..', '..', 'main');
    const found = readdirSync(main, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => /\bnextDueAt: /.test(readFileSync(join(main, file), 'utf8')));
    expect(found.sort()).toEqual(DUTIES.map(({ file }) => file).sort());
  });
});
