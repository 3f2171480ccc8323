import { describe, expect, it } from 'vitest';
import { conditionsTable } from '../../../main/base/store/conditions.ts';
import { schedulesTable } from '../../../main/base/store/schedules.ts';
import { createAdmission } from '../../../main/engine/admission/admission.ts';
import { createRouter } from '../../../main/engine/admission/router.ts';
import { admitWork } from '../../../main/engine/admission/work.ts';
import { createSchedules } from '../../../main/engine/producers/clock/schedules.ts';
import { producerDuties } from '../../../main/engine/producers/duties.ts';
import {
  backOff,
  sleepFor,
  WATCH_EVERY_MS,
  type WakeTimes,
} from '../../../main/engine/supervisor/wake-plan.ts';
import { settle } from '../../support/fake-clock.ts';
import { done, type SupervisorRoom, steps, supervisorRoom } from './room.ts';

const NOTHING: WakeTimes = {
  nextDue: null,
  reviveAt: null,
  expiresAt: null,
  leaseEnd: null,
  pauseEnd: null,
  gateChange: null,
  heavyRunning: false,
};

describe('S2 the plan of the next wake', () => {
  const NOW = 1_780_000_000_000;
  it.each<[string, Partial<WakeTimes>, number]>([
    ['nothing is planned: durable state is re-read', {}, 30_000],
    ['a due time', { nextDue: NOW + 12_000 }, 12_000],
    ['the end of a deferral', { reviveAt: NOW + 11_000 }, 11_000],
    ['the end of a window', { expiresAt: NOW + 10_000 }, 10_000],
    ['the end of a lease', { leaseEnd: NOW + 9_000 }, 9_000],
    ['the end of a pause', { pauseEnd: NOW + 8_000 }, 8_000],
    ['the earliest that a gate may open', { gateChange: NOW + 7_000 }, 7_000],
    ['the nearest of several', { nextDue: NOW + 20_000, pauseEnd: NOW + 19_000 }, 19_000],
    ['a moment far away', { nextDue: NOW + 86_400_000 }, 30_000],
    ['a moment that has passed', { reviveAt: NOW - 5_000, nextDue: NOW + 9_000 }, 0],
    ['a heavy job runs: the return is watched', { heavyRunning: true }, WATCH_EVERY_MS],
    ['a heavy job runs, and something comes sooner', { heavyRunning: true, nextDue: NOW + 1 }, 1],
    ['a moment at the end of time', { nextDue: 8_640_000_000_000_000 }, 30_000],
  ])('S2 %s', (_what, times, ms) => {
    expect(sleepFor(NOW, { ...NOTHING, ...times })).toBe(ms);
  });

  it('S2 failures are waited for 1, 2, 4, … and at most 60 seconds', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 100, 5000].map(backOff);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map((s) => s * 1000));
  });
});

/** Counts passes, and has something due when the test says. */
function counting(room: SupervisorRoom) {
  const duty = {
    name: 'count',
    at: [] as number[],
    due: null as number | null,
    fails: null as unknown,
    runOnce(now: number) {
      duty.at.push(now);
      if (duty.fails) throw duty.fails;
      return 0;
    },
    nextDueAt: () => duty.due,
  };
  room.duties.push(duty);
  return duty;
}

describe('S2 serving', () => {
  it('S2 it sleeps till something is due, to the millisecond', async () => {
    const room = await supervisorRoom();
    const duty = counting(room);
    const start = room.clock.now();
    duty.due = start + 12_345;
    room.supervisor.start();
    await room.clock.advance(12_344);
    expect(duty.at).toEqual([start]);
    await room.clock.advance(1);
    expect(duty.at).toEqual([start, start + 12_345]);
  });

  it('S2 what falls due while a pass is made is not slept over', async () => {
    const room = await supervisorRoom();
    const duty = counting(room);
    const start = room.clock.now();
    duty.due = start + 3;
    room.duties.push({
      name: 'slow',
      runOnce: () => {
        room.clock.jump(5);
        return 0;
      },
      nextDueAt: () => null,
    });
    room.supervisor.start();
    await settle();
    room.duties.pop();
    await room.clock.advance(0);
    expect(duty.at.slice(0, 2)).toEqual([start, start + 5]);
  });

  it('S2 a due time that cannot be taken in is not looked at again at once', async () => {
    const room = await supervisorRoom();
    const duty = counting(room);
    duty.due = room.clock.now() - 60_000;
    room.supervisor.start();
    await room.clock.advance(29_999);
    expect(duty.at).toHaveLength(1);
    await room.clock.advance(1);
    expect(duty.at).toHaveLength(2);
  });

  it('S2 a missed one does not hide a later one', async () => {
    const room = await supervisorRoom();
    const stuck = counting(room);
    const next = counting(room);
    stuck.due = room.clock.now() - 60_000;
    next.due = room.clock.now() + 4000;
    room.supervisor.start();
    await room.clock.advance(4000);
    expect(next.at).toHaveLength(2);
  });

  it('S2 a nudge makes a pass at once, and many make one', async () => {
    const room = await supervisorRoom();
    const duty = counting(room);
    room.supervisor.start();
    await settle();
    await room.clock.advance(100);
    for (let n = 0; n < 50; n++) room.supervisor.wake();
    await settle();
    expect(duty.at).toHaveLength(2);
    await room.clock.advance(30_000);
    expect(duty.at).toHaveLength(3);
  });

  it('S2 a nudge while a pass is made is not lost', async () => {
    const room = await supervisorRoom();
    const duty = counting(room);
    let once = true;
    room.duties.push({
      name: 'nudges',
      runOnce() {
        if (once) room.supervisor.wake();
        once = false;
        return 0;
      },
      nextDueAt: () => null,
    });
    room.supervisor.start();
    await settle();
    expect(duty.at).toHaveLength(2);
  });

  it('S2 the clock set forward is seen at the re-read, set back it delays nothing further', async () => {
    const room = await supervisorRoom();
    const duty = counting(room);
    duty.due = room.clock.now() + 3_600_000;
    room.supervisor.start();
    await settle();
    room.clock.jump(3_600_000);
    await room.clock.advance(30_000);
    expect(duty.at).toHaveLength(2);
    room.clock.jump(-86_400_000);
    duty.due = room.clock.now() + 40_000;
    await room.clock.advance(30_000);
    expect(duty.at).toHaveLength(3);
    await room.clock.advance(10_000);
    expect(duty.at.at(-1)).toBe(duty.due);
  });

  it('S2 after a night asleep, what fell due runs once at the next wake', async () => {
    const room = await supervisorRoom();
    const { schedules, jobs } = withProducers(room);
    room.kind('brief', async () => done());
    const first = room.clock.now() + 3_600_000;
    schedules.add(spec('hourly', { everySeconds: 3600, first }));
    room.supervisor.start();
    await room.clock.advance(10_000);
    room.clock.suspend(8 * 3_600_000 + 60_000);
    await room.clock.advance(30_000);
    expect(jobs()).toMatchObject([{ source: `job:hourly@1:${first}`, state: 'done' }]);
    expect(schedules.list()[0]).toMatchObject({
      ...{ nextDue: first + 8 * 3_600_000, coalescedCount: 7 },
    });
  });

  it('S2 a pass that fails is tried again after 1, 2, 4 … 60 seconds, and a good one starts anew', async () => {
    const room = await supervisorRoom();
    const duty = counting(room);
    duty.fails = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
    room.supervisor.start();
    await room.clock.advance(240_000);
    const gaps = duty.at.slice(1).map((at, index) => at - (duty.at[index] ?? 0));
    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((s) => s * 1000));
    expect(room.trouble).toEqual(['disk I/O error']);
    duty.fails = null;
    await room.clock.advance(60_000);
    const good = duty.at.length;
    expect(room.trouble).toEqual(['disk I/O error', null]);
    duty.fails = new Error('again');
    room.supervisor.wake();
    await room.clock.advance(3_000);
    expect(duty.at.slice(good).length).toBe(3);
  });

  it('S2 while it backs off, nudges do not make it try again', async () => {
    const room = await supervisorRoom();
    const duty = counting(room);
    duty.fails = new Error('full');
    room.supervisor.start();
    await room.clock.advance(3_500);
    const before = duty.at.length;
    for (let n = 0; n < 20; n++) {
      room.supervisor.wake();
      await settle();
    }
    expect(duty.at).toHaveLength(before);
  });

  it('S1 a duty that fails keeps neither the others nor waiting work from their turn', async () => {
    const room = await supervisorRoom();
    const broken = counting(room);
    const whole = counting(room);
    broken.fails = new Error('a schedule that cannot be read');
    room.kind('plain', async () => done());
    const job = room.add();
    room.supervisor.start();
    await settle();
    expect([whole.at.length, room.state(job)]).toEqual([1, 'done']);
    expect(room.lines.join('\n')).toContain('a pass failed');
  });

  it('G7 while passes fail, the return of the owner is still seen within 2 s', async () => {
    const room = await supervisorRoom();
    const work = steps(2);
    room.kind('heavy', work.run);
    room.add({ kind: 'heavy', tier: 'synthesis' });
    const duty = counting(room);
    room.supervisor.start();
    await settle();
    duty.fails = new Error('full');
    await room.clock.advance(120_000);
    room.facts.set({ idleSeconds: 0 });
    await room.clock.advance(2000);
    expect(room.supervisor.flights()[0]?.asked).toBe('returned');
  });

  it('S2 while a heavy job runs the facts are read every 2 s, and only then', async () => {
    const room = await supervisorRoom();
    const work = steps(1);
    room.kind('work', work.run);
    const duty = counting(room);
    const light = room.add({ kind: 'work' });
    room.supervisor.start();
    await room.clock.advance(60_000);
    expect(duty.at).toHaveLength(3);
    await work.step();
    expect(room.state(light)).toBe('done');
    room.add({ kind: 'work', tier: 'stretch' });
    room.supervisor.wake();
    await settle();
    const before = duty.at.length;
    await room.clock.advance(60_000);
    expect(duty.at.length - before).toBe(30);
  });

  it('S2 heavy work starts at the very moment that idle time suffices', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    const begun = room.clock.monotonic();
    room.facts.set({ idleSeconds: 287.5 });
    const read = room.facts.read;
    room.facts.read = () => ({
      ...read(),
      idleSeconds: 287.5 + (room.clock.monotonic() - begun) / 1000,
    });
    const job = room.add({ tier: 'synthesis' });
    room.supervisor.start();
    await room.clock.advance(12_499);
    expect(room.state(job)).toBe('queued');
    await room.clock.advance(1);
    expect(room.state(job)).toBe('done');
  });

  it('S2 it wakes when a pause ends, a deferral ends and a window closes', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    const now = room.clock.now();
    room.pauses.set('all', now, now + 7_000);
    const paused = room.add();
    const later = room.add({ notBefore: now + 12_000 });
    room.facts.set({ idleSeconds: 0 });
    const missed = room.add({ tier: 'synthesis', expiresAt: now + 17_000 });
    room.supervisor.start();
    await room.clock.advance(7_000);
    expect([paused, later, missed].map(room.state)).toEqual(['done', 'deferred', 'queued']);
    await room.clock.advance(5_000);
    expect([paused, later, missed].map(room.state)).toEqual(['done', 'done', 'queued']);
    await room.clock.advance(5_000);
    expect([paused, later, missed].map(room.state)).toEqual(['done', 'done', 'missed']);
  });

  it('P7 what fell due in a pause is taken in at the moment the pause ends', async () => {
    const room = await supervisorRoom();
    const duty = counting(room);
    const now = room.clock.now();
    room.pauses.set('all', now, now + 7_000);
    duty.due = now + 1_000;
    room.supervisor.start();
    await room.clock.advance(6_999);
    expect(duty.at).toEqual([]);
    await room.clock.advance(1);
    expect(duty.at).toEqual([now + 7_000]);
  });

  it('S2 an hour with 1,000 schedules and nothing due takes no more than the re-reads', async () => {
    const room = await supervisorRoom();
    const { schedules } = withProducers(room);
    const first = room.clock.now() + 86_400_000;
    for (let n = 0; n < 1000; n++) schedules.add(spec(`s${n}`, { everySeconds: 60, first }));
    const duty = counting(room);
    room.supervisor.start();
    await room.clock.advance(3_600_000);
    expect(duty.at.length).toBeLessThanOrEqual(121);
    expect(duty.at.length).toBeGreaterThanOrEqual(120);
  });

  it('P1 P7 a full queue takes in what is due as soon as a job ends', async () => {
    const room = await supervisorRoom({ queue: { lightCapacity: 1 } });
    const { schedules, jobs } = withProducers(room);
    const work = steps(1);
    room.kind('brief', work.run);
    const at = room.clock.now();
    schedules.add(spec('a', { everySeconds: 86_400, first: at }));
    schedules.add(spec('b', { everySeconds: 86_400, first: at + 1000 }));
    room.supervisor.start();
    await room.clock.advance(65_000);
    expect(jobs()).toMatchObject([{ source: `job:a@1:${at}`, state: 'running' }]);
    expect(room.events.byKind('wake.job.deferred', 10)).toHaveLength(1);
    await work.step();
    expect(jobs()).toMatchObject([{ state: 'done' }, { source: `job:b@1:${at + 1000}` }]);
  });

  it('G6 those who look are told when a gate changes what it says, and not at every pass', async () => {
    const room = await supervisorRoom();
    room.supervisor.start();
    await room.clock.advance(300_000);
    expect(room.changes).toBe(1);
    room.facts.set({ idleSeconds: 3 });
    await room.clock.advance(300_000);
    expect(room.changes).toBe(2);
    room.facts.set({ idleSeconds: 33 });
    await room.clock.advance(30_000);
    expect(room.changes).toBe(2);
  });
});

function withProducers(room: SupervisorRoom) {
  const { store, queue, events, clock } = room;
  const config = () => room.config;
  const schedules = schedulesTable(store.db);
  const router = createRouter(config);
  const admit = createAdmission({ store, queue, config });
  room.duties.push(
    ...producerDuties({
      ...{ store, queue, events, schedules, conditions: conditionsTable(store.db) },
      admit: admitWork('brief', ({ prompt }) => ({ prompt }), router, admit),
      paused: () => false,
      held: () => false,
      needOf: () => null,
      onProblem: () => {},
    }),
  );
  return {
    schedules: createSchedules({ tx: store.tx, schedules, now: () => clock.now() }),
    jobs: () => queue.list({ limit: 50 }).reverse(),
  };
}

function spec(id: string, rule: { everySeconds: number; first: number }) {
  return {
    ...{ id, prompt: 'Look.', session: id, tier: null, to: 'local' },
    rule: { kind: 'interval' as const, ...rule },
    missed: { kind: 'coalesce' as const },
  };
}
