import type { Statement } from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { schedulesTable } from '../../../../main/base/store/schedules.ts';
import { createClockDuty } from '../../../../main/engine/producers/clock/duty.ts';
import type { MissedPolicy } from '../../../../main/engine/producers/clock/missed.ts';
import { morning, type ProducerRoom, producerRoom } from '../room.ts';

const S = 1000;

function nextDue(room: ProducerRoom, id = 'morning'): number | null {
  const schedule = room.schedules.get(id);
  return schedule.ok ? schedule.value.nextDue : null;
}

describe('clock pass', () => {
  it('P1 due at 100 and seen at 139: one job, coalesced 3, next 140, and nothing on a second look', async () => {
    const room = await producerRoom();
    expect(room.schedules.add(morning())).toMatchObject({ ok: true, value: { nextDue: 100 * S } });
    room.now = 139 * S;
    expect(room.clockPass(room.now).admitted).toHaveLength(1);
    expect(room.clockPass(room.now).admitted).toEqual([]);
    expect(room.jobs()).toMatchObject([
      { source: 'job:morning@1:100000', session: 'shop', coalesced: 3, expiresAt: null },
    ]);
    expect(room.events('wake.job.enqueued')).toEqual([{ job: 'morning', work: 1, coalesced: 3 }]);
    expect(nextDue(room)).toBe(140 * S);
  });

  it('P7 a paused pass keeps what is due, and resuming admits it once', async () => {
    const room = await producerRoom();
    room.schedules.add(morning());
    room.clockPass(139 * S);
    room.pause();
    expect(room.clockPass(179 * S)).toEqual({ admitted: [], moved: 0, more: false });
    expect(nextDue(room)).toBe(140 * S);
    room.resume();
    expect(room.clockPass(179 * S).admitted).toHaveLength(1);
    expect(nextDue(room)).toBe(180 * S);
  });

  it('P1 a disabled schedule is not due, and earlier work stays', async () => {
    const room = await producerRoom();
    room.schedules.add(morning());
    room.clockPass(139 * S);
    room.now = 139 * S;
    room.schedules.disable('morning');
    room.schedules.disable('morning');
    expect(room.clockPass(999 * S).admitted).toEqual([]);
    expect(room.jobs()).toHaveLength(1);
  });

  it('P1 a full queue keeps the due time with one deferral event, then one job coalesces the rest', async () => {
    const room = await producerRoom(1);
    room.addTask({ text: 'Count the freezer.', tier: 'routine', identity: '1' });
    room.schedules.add(morning());
    expect(room.clockPass(139 * S).admitted).toEqual([]);
    expect(room.clockPass(150 * S).admitted).toEqual([]);
    expect(nextDue(room)).toBe(100 * S);
    expect(room.events('wake.job.deferred')).toEqual([{ job: 'morning' }]);
    expect(room.jobs()).toHaveLength(1);
    room.finishJobs();
    expect(room.clockPass(155 * S).admitted).toEqual([2]);
    expect(room.events('wake.job.enqueued')).toEqual([{ job: 'morning', work: 2, coalesced: 5 }]);
    expect(nextDue(room)).toBe(160 * S);
    // A later refusal is a new deferral, told once again.
    expect(room.clockPass(165 * S).admitted).toEqual([]);
    expect(room.clockPass(166 * S).admitted).toEqual([]);
    expect(room.events('wake.job.deferred')).toHaveLength(2);
  });

  it('P7 what admission or the record throws leaves the due time, the job and the counts as they were', async () => {
    const room = await producerRoom();
    room.schedules.add(morning());
    const { db } = room.store;
    db.exec(`CREATE TRIGGER crash BEFORE INSERT ON events
      BEGIN SELECT RAISE(ABORT, 'crash between'); END`);
    expect(() => room.clockPass(139 * S)).toThrow('crash between');
    expect(room.jobs()).toEqual([]);
    expect(nextDue(room)).toBe(100 * S);
    db.exec('DROP TRIGGER crash');
    expect(room.clockPass(139 * S).admitted).toHaveLength(1);
    expect(room.schedules.list()).toMatchObject([{ admittedCount: 1, coalescedCount: 3 }]);
  });

  it('P7 a pass is bounded, and the next one goes on behind it', async () => {
    const room = await producerRoom(1000);
    for (let i = 0; i < 25; i++) {
      room.schedules.add(morning({ id: `s${String(i).padStart(2, '0')}` }));
    }
    expect(room.clockPass(105 * S, 10)).toMatchObject({ moved: 10, more: true });
    expect(room.clockPass(105 * S, 10)).toMatchObject({ moved: 10, more: true });
    expect(room.clockPass(105 * S, 10)).toMatchObject({ moved: 5, more: false });
    expect(room.jobs().map((job) => job.source.slice(4, 7))).toEqual(
      room.schedules.list().map((schedule) => schedule.id),
    );
    for (const wrong of [0, 1001, 1.5, Number.NaN]) {
      expect(() => room.clockPass(105 * S, wrong)).toThrow(/1 to 1000/);
    }
    expect(() => room.clockPass(Number.POSITIVE_INFINITY)).toThrow(/no moment/);
  });

  it('P7 schedules that cannot be admitted do not hide the ones behind them', async () => {
    const room = await producerRoom(0);
    for (let i = 0; i < 10; i++)
      room.schedules.add(morning({ id: `a${String(i).padStart(2, '0')}` }));
    room.schedules.add(
      morning({ id: 'z', rule: { kind: 'interval', everySeconds: 9, first: 101_000 } }),
    );
    room.clockPass(105 * S, 5);
    room.capacity = 1;
    room.clockPass(105 * S, 5);
    room.finishJobs();
    room.clockPass(105 * S, 5);
    expect(room.jobs().map((job) => job.source)).toEqual(['job:a05@1:100000', 'job:z@1:101000']);
    expect(room.events('wake.job.deferred')).toHaveLength(9);
  });

  it('P1 while an occurrence waits behind a gate, further ones are counted on it', async () => {
    const room = await producerRoom();
    room.schedules.add(morning({ tier: 'synthesis' }));
    room.clockPass(100 * S);
    room.held.add('synthesis');
    expect(room.clockPass(110 * S)).toEqual({ admitted: [], moved: 1, more: false });
    room.clockPass(139 * S);
    expect(room.jobs()).toMatchObject([{ coalesced: 3 }]);
    expect(nextDue(room)).toBe(140 * S);
    // No gate in the way: each pass admits, as before.
    room.held.clear();
    expect(room.clockPass(140 * S).admitted).toHaveLength(1);
    expect(room.clockPass(150 * S).admitted).toHaveLength(1);
    expect(room.jobs()).toHaveLength(3);
    expect(room.schedules.list()).toMatchObject([
      { admittedCount: 3, coalescedCount: 3, droppedCount: 0, missedCount: 3 },
    ]);
  });

  it('P1 another tier that is held, a job that runs or has ended, and replay are not counted onto', async () => {
    const room = await producerRoom();
    room.schedules.add(morning({ tier: 'synthesis' }));
    room.clockPass(100 * S);
    room.held.add('stretch');
    expect(room.clockPass(110 * S).admitted).toHaveLength(1);
    room.finishJobs();
    room.held.add('synthesis');
    expect(room.clockPass(120 * S).admitted).toHaveLength(1);
    room.schedules.add(
      morning({ id: 'replayed', tier: 'synthesis', missed: { kind: 'replay', atMost: 9 } }),
    );
    room.clockPass(121 * S);
    expect(room.clockPass(130 * S).admitted).toHaveLength(1);
    const replayed = room.jobs().filter((job) => job.source.startsWith('job:replayed'));
    expect(replayed.map((job) => job.coalesced)).toEqual([0, 0, 0, 0]);
  });

  it('P1 an edited schedule does not count its occurrences onto the job of an older revision', async () => {
    const room = await producerRoom();
    room.schedules.add(morning({ tier: 'synthesis' }));
    room.clockPass(100 * S);
    room.held.add('synthesis');
    room.now = 105 * S;
    room.schedules.edit('morning', { prompt: 'Prepare another brief.' });
    expect(room.clockPass(110 * S).admitted).toHaveLength(1);
    expect(room.jobs().map((job) => job.source)).toEqual([
      'job:morning@1:100000',
      'job:morning@2:110000',
    ]);
  });

  it('P3 within a window the job carries its latest start, and a job that misses it counts as missed', async () => {
    const room = await producerRoom();
    room.schedules.add(morning({ missed: { kind: 'within', seconds: 25 } }));
    expect(room.clockPass(139 * S).admitted).toHaveLength(1);
    expect(room.jobs()).toMatchObject([{ source: 'job:morning@1:130000', expiresAt: 155 * S }]);
    // At 139 the windows of 100 and 110 are closed, 120 and 130 are open.
    expect(room.schedules.list()).toMatchObject([
      { admittedCount: 1, coalescedCount: 1, droppedCount: 2 },
    ]);
    expect(room.events('wake.job.missed')).toEqual([{ job: 'morning', missed: 2, why: 'within' }]);
    room.queue.expire(155 * S);
    expect(room.schedules.list()).toMatchObject([
      { admittedCount: 0, coalescedCount: 1, droppedCount: 3 },
    ]);
  });

  it('P3 an occurrence counted onto a waiting job moves its latest start', async () => {
    const room = await producerRoom();
    room.schedules.add(morning({ tier: 'synthesis', missed: { kind: 'within', seconds: 25 } }));
    room.clockPass(100 * S);
    room.held.add('synthesis');
    room.clockPass(110 * S);
    expect(room.jobs()).toMatchObject([{ coalesced: 1, expiresAt: 135 * S }]);
  });

  it('P3 a closed job counts for its own schedule alone, whatever the names', async () => {
    const room = await producerRoom();
    for (const id of ['a', 'a@1:5', 'ab']) {
      room.schedules.add(morning({ id, missed: { kind: 'within', seconds: 25 } }));
    }
    room.clockPass(100 * S);
    room.store.db.exec(
      `UPDATE jobs SET state = 'missed', reason_code = 'expired', finished_at = 1
       WHERE source LIKE 'job:a@1:5@%'`,
    );
    expect(room.schedules.list().map((one) => [one.id, one.droppedCount])).toEqual([
      ['a', 0],
      ['a@1:5', 1],
      ['ab', 0],
    ]);
  });

  it('P3 skip admits only what is on time, and records what it skipped', async () => {
    const room = await producerRoom();
    const rule = { kind: 'interval', everySeconds: 3600, first: 0 } as const;
    room.schedules.add(morning({ rule, missed: { kind: 'skip' } }));
    expect(room.clockPass(3600 * 5 * S - S)).toMatchObject({ admitted: [], moved: 1 });
    expect(room.events('wake.job.missed')).toEqual([{ job: 'morning', missed: 5, why: 'skip' }]);
    expect(room.clockPass(3600 * 5 * S + S).admitted).toHaveLength(1);
  });

  it('P3 replay admits the newest, oldest first; a pass that is cut or refused goes on from there', async () => {
    const room = await producerRoom(100);
    const missed: MissedPolicy = { kind: 'replay', atMost: 6 };
    room.schedules.add(morning({ missed }));
    const sources = () => room.jobs().map((job) => Number(job.source.split(':').at(-1)) / S);
    expect(room.clockPass(179 * S, 4)).toMatchObject({ moved: 1, more: true });
    expect(sources()).toEqual([120, 130, 140, 150]);
    expect(room.clockPass(179 * S, 4)).toMatchObject({ more: false });
    expect(sources()).toEqual([120, 130, 140, 150, 160, 170]);
    expect(room.schedules.list()).toMatchObject([
      { admittedCount: 6, droppedCount: 2, coalescedCount: 0, nextDue: 180 * S },
    ]);
    room.capacity = 8;
    expect(room.clockPass(210 * S).admitted).toHaveLength(2);
    expect(nextDue(room)).toBe(200 * S);
    expect(room.events('wake.job.deferred')).toHaveLength(1);
    room.finishJobs();
    expect(room.clockPass(210 * S).admitted).toHaveLength(2);
    expect(room.schedules.list()).toMatchObject([{ admittedCount: 10, droppedCount: 2 }]);
  });

  it('P2 a day that does not exist is counted as missed when the schedule passes it', async () => {
    const room = await producerRoom();
    room.now = Date.parse('2011-12-29T00:00Z');
    room.schedules.add(
      morning({ rule: { kind: 'cron', expression: '0 9 * * *', zone: 'Pacific/Apia' } }),
    );
    room.clockPass(Date.parse('2011-12-29T19:00Z'));
    expect(nextDue(room)).toBe(Date.parse('2011-12-30T19:00Z'));
    expect(room.schedules.list()).toMatchObject([{ admittedCount: 1, droppedCount: 1 }]);
    expect(room.events('wake.job.missed')).toEqual([
      { job: 'morning', missed: 1, why: 'no-such-day' },
    ]);
  });

  it('P1 an occurrence whose name is taken by other work is counted as missed, and the schedule goes on', async () => {
    const room = await producerRoom();
    room.schedules.add(morning());
    const request = { session: 'x', title: 'x', prompt: 'Other work.', files: [], subject: null };
    room.store.tx(() =>
      room.admit({
        ...request,
        source: 'job:morning@1:100000',
        tier: null,
        route: { channel: 'local', recipient: '' },
        notBefore: null,
        expiresAt: null,
      }),
    );
    expect(room.clockPass(105 * S)).toMatchObject({ admitted: [], moved: 1 });
    expect(room.events('wake.job.missed')).toEqual([
      { job: 'morning', missed: 1, why: 'conflict' },
    ]);
    expect(room.clockPass(110 * S).admitted).toHaveLength(1);
  });
});

describe('clock duty', () => {
  it('P7 takes in everything due in bounded passes, and says when it is next needed', async () => {
    const room = await producerRoom(1000);
    for (let i = 0; i < 230; i++) room.schedules.add(morning({ id: `s${i}` }));
    expect(room.duty.nextDueAt()).toBe(100 * S);
    expect(room.duty.runOnce(99 * S)).toBe(0);
    expect(room.duty.runOnce(100 * S)).toBe(230);
    expect(room.duty.nextDueAt()).toBe(110 * S);
  });

  it('P7 a schedule that waits for room does not wake the host by the clock', async () => {
    const room = await producerRoom(0);
    room.schedules.add(morning());
    const later = { kind: 'interval', everySeconds: 10, first: 500 * S } as const;
    room.schedules.add(morning({ id: 'later', rule: later }));
    expect(room.duty.nextDueAt()).toBe(100 * S);
    room.duty.runOnce(100 * S);
    expect(room.duty.nextDueAt()).toBe(500 * S);
    room.capacity = 1;
    expect(room.duty.runOnce(101 * S)).toBe(1);
    expect(room.duty.nextDueAt()).toBe(110 * S);
    room.schedules.disable('morning');
    room.schedules.disable('later');
    expect(room.duty.nextDueAt()).toBeNull();
  });

  it('P7 with a thousand schedules and nothing due, a pass is one index seek', async () => {
    const room = await producerRoom();
    for (let i = 0; i < 1000; i++) room.schedules.add(morning({ id: `s${i}` }));
    const { db } = room.store;
    const ran: string[] = [];
    const watched = new Proxy(db, {
      get: (target, name) =>
        name === 'prepare'
          ? (sql: string) => watch(target.prepare(sql), sql)
          : Reflect.get(target, name),
    });
    function watch(statement: Statement, sql: string): Statement {
      return new Proxy(statement, {
        get(target, name) {
          const value = Reflect.get(target, name);
          if (name === 'pluck') return () => watch(target.pluck(), sql);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            ran.push(sql);
            return value.apply(target, args);
          };
        },
      });
    }
    const duty = createClockDuty(schedulesTable(watched), room.clockPass);
    expect(duty.runOnce(99 * S)).toBe(0);
    expect(duty.nextDueAt()).toBe(100 * S);
    expect(ran).toHaveLength(2);
    for (const sql of ran) {
      const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
      expect(plan).toHaveLength(1);
      expect(plan[0]?.detail).toMatch(/^SEARCH schedules USING (COVERING )?INDEX .*next_due>/);
    }
  });
});
