import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../main/base/config-schema.ts';
import type { Facts } from '../../../main/engine/gates/facts.ts';
import { settle } from '../../support/fake-clock.ts';
import { QUIET_NIGHT } from '../../support/fixed-facts.ts';
import { done, type SupervisorRoom, steps, supervisorRoom } from './room.ts';

/** Everything that closes a gate under a heavy job: how, the cause, the grace, and memory given back. */
const CLOSINGS: {
  what: string;
  row: string;
  close: (room: SupervisorRoom) => void;
  cause: string;
  graceMs: number;
  freed: boolean;
}[] = [
  {
    ...{ row: 'G1', what: 'the owner returns', cause: 'returned', graceMs: 10_000, freed: true },
    close: becoming({ idleSeconds: 0 }),
  },
  {
    ...{ row: 'G5', what: 'a call begins', cause: 'returned', graceMs: 10_000, freed: true },
    close: becoming({ micInUse: true }),
  },
  {
    ...{ row: 'G3', what: 'mains goes', cause: 'battery', graceMs: 10_000, freed: true },
    close: becoming({ onBattery: true, powerSource: 'battery' }),
  },
  {
    ...{ row: 'G3', what: 'nothing says mains', cause: 'battery', graceMs: 10_000, freed: true },
    close: becoming({ powerSource: null, onBattery: null, charging: null, draining: null }),
  },
  {
    ...{ row: 'G5', what: 'Low Power Mode', cause: 'low-power', graceMs: 10_000, freed: true },
    close: becoming({ lowPower: true }),
  },
  {
    ...{ row: 'G5', what: 'heat', cause: 'heat', graceMs: 10_000, freed: false },
    close: becoming({ thermal: 'serious' }),
  },
  {
    ...{ row: 'G5', what: 'memory pressure', cause: 'memory', graceMs: 10_000, freed: true },
    close: becoming({ pressure: 'critical' }),
  },
  {
    ...{
      row: 'G5',
      what: 'an exclusive app',
      cause: 'exclusive-app',
      graceMs: 10_000,
      freed: true,
    },
    close: becoming({ exclusiveApp: 'Blender' }),
  },
  {
    ...{ row: 'G3', what: 'the floor', cause: 'floor', graceMs: 2_000, freed: true },
    close: becoming({ onBattery: true, powerSource: 'battery', percent: 20 }),
  },
  {
    ...{ row: 'G4', what: 'a pause of heavy work', cause: 'paused', graceMs: 10_000, freed: false },
    close: (room) => room.pauses.set('heavy', room.clock.now(), null),
  },
  {
    ...{ row: 'G4', what: 'a pause of all', cause: 'paused', graceMs: 10_000, freed: false },
    close: (room) => room.pauses.set('all', room.clock.now(), room.clock.now() + 60_000),
  },
];

function becoming(facts: Partial<Facts>) {
  return (room: SupervisorRoom) => room.facts.set(facts);
}

/** A served room with one heavy job of four steps in its second one. */
async function midHeavy(settings: object = {}, deaf = false) {
  const room = await supervisorRoom(settings);
  const work = steps(4, { deaf });
  room.kind('heavy', work.run);
  const job = room.add({ kind: 'heavy', tier: 'synthesis', title: 'heavy' });
  room.supervisor.start();
  await settle();
  await work.step();
  expect(work.begun).toEqual(['heavy 1', 'heavy 2']);
  return { room, work, job };
}

describe('G7 a gate closes under a running job', () => {
  it.each(CLOSINGS)(
    'G7 $row $what: seen in 2 s, it goes back at its next step',
    async (closing) => {
      const { room, work, job } = await midHeavy();
      expect(room.models.released).toEqual([]);
      closing.close(room);
      await room.clock.advance(2000);
      expect(room.supervisor.flights()[0]?.asked).toBe(closing.cause);
      expect(room.state(job)).toBe('running');
      await work.step();
      expect(room.queue.get(job.id)).toMatchObject({
        ...{ state: 'queued', attempts: 0, checkpoint: { step: 2 }, startedAt: null },
      });
      expect(room.causes(job)).toEqual([closing.cause]);
      expect(work.aborted).toBe(0);
      expect(room.models.released.length > 0).toBe(closing.freed);
      await room.clock.advance(10_000);
      expect(work.begun).toHaveLength(2);

      room.facts.set(QUIET_NIGHT);
      room.pauses.clear('all');
      room.pauses.clear('heavy');
      await room.clock.advance(30_000);
      expect(work.begun).toEqual(['heavy 1', 'heavy 2', 'heavy 3']);
      expect(room.queue.get(job.id)).toMatchObject({ state: 'running', attempts: 1 });
    },
  );

  it.each(CLOSINGS)(
    'G7 $row $what: a call that goes on is cut after $graceMs ms',
    async (closing) => {
      const { room, work, job } = await midHeavy();
      closing.close(room);
      room.supervisor.wake();
      await room.clock.advance(closing.graceMs - 1);
      expect([work.aborted, room.state(job)]).toEqual([0, 'running']);
      await room.clock.advance(1);
      expect(work.aborted).toBe(1);
      expect(room.queue.get(job.id)).toMatchObject({
        ...{ state: 'queued', attempts: 0, checkpoint: { step: 1 } },
      });
      expect(room.causes(job)).toEqual([closing.cause]);
    },
  );

  it('G7 a handler that will not hear the abort is given up, and cannot come back', async () => {
    const { room, work, job } = await midHeavy({}, true);
    room.facts.set({ idleSeconds: 0 });
    room.supervisor.wake();
    await room.clock.advance(19_999);
    expect([work.aborted, room.state(job)]).toEqual([1, 'running']);
    await room.clock.advance(1);
    expect(room.queue.get(job.id)).toMatchObject({
      ...{ state: 'queued', attempts: 0, checkpoint: { step: 1 } },
    });
    expect(room.supervisor.flights()).toEqual([]);
    await work.step();
    expect(room.queue.get(job.id)).toMatchObject({ state: 'queued', checkpoint: { step: 1 } });
    expect(room.lines.join('\n')).toContain('this claim is void');
  });

  it('G7 the grace is the owner’s to set', async () => {
    const { room, work } = await midHeavy({ yield: { graceSeconds: 3 } });
    room.facts.set({ idleSeconds: 0 });
    room.supervisor.wake();
    await room.clock.advance(3000);
    expect(work.aborted).toBe(1);
  });

  it('G7 asked twice, the first cause is named and the earlier end counts', async () => {
    const { room, work, job } = await midHeavy();
    room.facts.set({ idleSeconds: 0 });
    room.supervisor.wake();
    await room.clock.advance(4000);
    room.facts.set({ onBattery: true, powerSource: 'battery', percent: 5 });
    room.supervisor.wake();
    await room.clock.advance(1999);
    expect(work.aborted).toBe(0);
    await room.clock.advance(1);
    expect(work.aborted).toBe(1);
    expect(room.causes(job)).toEqual(['returned']);
  });

  it('G7 light work goes on when the owner returns, and stops for the floor', async () => {
    const room = await supervisorRoom();
    const work = steps(3);
    room.kind('light', work.run);
    const job = room.add({ kind: 'light' });
    room.supervisor.start();
    await settle();
    room.facts.set({ idleSeconds: 0, lowPower: true, thermal: 'critical', pressure: 'critical' });
    room.supervisor.wake();
    await room.clock.advance(60_000);
    await work.step();
    expect(work.begun).toHaveLength(2);
    room.facts.set({ onBattery: true, percent: 3 });
    room.supervisor.wake();
    await room.clock.advance(2000);
    expect(work.aborted).toBe(1);
    expect([room.state(job), ...room.causes(job)]).toEqual(['queued', 'floor']);
  });

  it('G7 a job that runs by the owner’s word is not stopped by what the word names', async () => {
    const room = await supervisorRoom();
    const work = steps(3);
    room.kind('heavy', work.run);
    room.facts.set({ idleSeconds: 0 });
    const job = room.add({ kind: 'heavy', tier: 'synthesis' });
    room.queue.waive(job.id, {
      ...{ presence: true, hours: true, heavyPause: true, battery: false, at: 1 },
    });
    room.supervisor.start();
    await room.clock.advance(30_000);
    await work.step();
    expect(work.begun).toHaveLength(2);
    room.facts.set({ onBattery: true });
    await room.clock.advance(2000);
    await work.step();
    expect(room.causes(job)).toEqual(['battery']);
  });

  it('G7 one that answers the abort by throwing goes back like any other', async () => {
    const room = await supervisorRoom();
    room.kind(
      'heavy',
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('socket closed')));
        }),
    );
    const job = room.add({ kind: 'heavy', tier: 'synthesis' });
    room.supervisor.start();
    await settle();
    room.facts.set({ idleSeconds: 0 });
    await room.clock.advance(12_000);
    expect(room.queue.get(job.id)).toMatchObject({ state: 'queued', attempts: 0, error: null });
  });

  it('G7 work that ends within the grace is kept', async () => {
    const room = await supervisorRoom();
    const call = Promise.withResolvers<void>();
    room.kind('heavy', () => call.promise.then(() => done('just in time')));
    const job = room.add({ kind: 'heavy', tier: 'synthesis' });
    room.supervisor.start();
    await settle();
    room.facts.set({ idleSeconds: 0 });
    await room.clock.advance(5000);
    call.resolve();
    await settle();
    expect(room.queue.get(job.id)).toMatchObject({ state: 'done', result: 'just in time' });
  });
});

describe('G7 the owner stops it', () => {
  it('Q1 a cancel ends a running job at its next step', async () => {
    const { room, work, job } = await midHeavy();
    expect(room.queue.cancel(job.id)).toBe('asked');
    expect(room.supervisor.cancel(job.id)).toBe(true);
    await work.step();
    expect(room.queue.get(job.id)).toMatchObject({
      ...{ state: 'cancelled', reason: 'cancelled by the owner' },
    });
    expect(room.models.released).toEqual([]);
  });

  it('Q1 a cancel cuts a long call after the grace', async () => {
    const { room, work, job } = await midHeavy();
    room.queue.cancel(job.id);
    room.supervisor.cancel(job.id);
    await room.clock.advance(9_999);
    expect(room.state(job)).toBe('running');
    await room.clock.advance(1);
    expect([work.aborted, room.state(job)]).toEqual([1, 'cancelled']);
    expect(room.supervisor.cancel(job.id)).toBe(false);
  });

  it('Q1 a cancel of a job that was asked to yield already still ends it', async () => {
    const { room, work, job } = await midHeavy();
    room.facts.set({ idleSeconds: 0 });
    await room.clock.advance(2000);
    room.queue.cancel(job.id);
    room.supervisor.cancel(job.id);
    await work.step();
    expect(room.state(job)).toBe('cancelled');
  });

  it('S1 quitting asks everything in flight, waits for it, and starts nothing more', async () => {
    const { room, work, job } = await midHeavy();
    room.kind('pinned', work.run);
    const pinned = room.add({ kind: 'pinned', tier: 'pinned', title: 'pinned' });
    await room.pass();
    room.kind('plain', async () => done());
    const left = room.add({ tier: 'synthesis' });
    let stopped = false;
    const stopping = room.supervisor.stop().then(() => {
      stopped = true;
    });
    await room.clock.advance(9_999);
    expect(stopped).toBe(false);
    await room.clock.advance(1);
    await stopping;
    expect([room.causes(job), room.causes(pinned)]).toEqual([['quitting'], ['quitting']]);
    expect(room.queue.get(job.id)).toMatchObject({ state: 'queued', checkpoint: { step: 1 } });
    expect([room.state(pinned), room.state(left)]).toEqual(['queued', 'queued']);
    expect(room.supervisor.runOnce()).toBe(0);
    await room.clock.advance(60_000);
    expect(room.state(left)).toBe('queued');
    expect(room.clock.pendingTimers).toBe(0);
  });

  it('S1 stopping is safe unstarted and twice', async () => {
    const unstarted = await supervisorRoom();
    await unstarted.supervisor.stop();
    await unstarted.supervisor.stop();
    const { room, work } = await midHeavy();
    const both = Promise.all([room.supervisor.stop(), room.supervisor.stop()]);
    await work.step();
    await both;
    await room.supervisor.stop();
    expect(room.clock.pendingTimers).toBe(0);
  });
});

describe('Q5 the time a kind may take', () => {
  const BUDGET = { jobBudgetsSeconds: { slow: 60 } };

  it('S1 a handler that never returns is aborted at its deadline and given up after it', async () => {
    const room = await supervisorRoom(BUDGET);
    let signal: AbortSignal | undefined;
    room.kind('slow', (context) => {
      signal = context.signal;
      return new Promise(() => {});
    });
    room.kind('plain', async () => done());
    const slow = room.add({ kind: 'slow' });
    const next = room.add();
    room.supervisor.start();
    await room.clock.advance(59_999);
    expect(signal?.aborted).toBe(false);
    await room.clock.advance(1);
    expect(signal?.aborted).toBe(true);
    expect(room.state(slow)).toBe('running');
    await room.clock.advance(10_000);
    expect(room.queue.get(slow.id)).toMatchObject({
      ...{ state: 'failed', error: 'ran longer than its 60 s', attempts: 1 },
    });
    expect(room.state(next)).toBe('done');
  });

  it('S1 one that hears the abort fails at once, whatever it returns', async () => {
    const room = await supervisorRoom(BUDGET);
    const work = steps(2);
    room.kind('slow', work.run);
    const job = room.add({ kind: 'slow' });
    room.supervisor.start();
    await room.clock.advance(60_000);
    expect(room.queue.get(job.id)).toMatchObject({
      ...{ state: 'failed', error: 'ran longer than its 60 s' },
    });
  });

  it('Q5 each checkpoint begins the time anew', async () => {
    const room = await supervisorRoom(BUDGET);
    const work = steps(3);
    room.kind('slow', work.run);
    const job = room.add({ kind: 'slow' });
    room.supervisor.start();
    for (let step = 0; step < 3; step++) {
      await room.clock.advance(50_000);
      await work.step();
    }
    expect(room.state(job)).toBe('done');
    expect(room.clock.pendingTimers).toBe(1);
  });

  it('Q5 a kind without a budget may take all night', async () => {
    const room = await supervisorRoom();
    const work = steps(1);
    room.kind('slow', work.run);
    const job = room.add({ kind: 'slow' });
    room.supervisor.start();
    await room.clock.advance(8 * 3_600_000);
    expect(room.state(job)).toBe('running');
    await work.step();
    expect(room.state(job)).toBe('done');
  });

  it('S2 a lease that nothing has ended keeps no pass after pass going', async () => {
    const room = await supervisorRoom();
    const work = steps(1, { deaf: true });
    room.kind('slow', work.run);
    room.config = configSchema.parse({ jobBudgetsSeconds: { slow: 60 } });
    room.add({ kind: 'slow' });
    let passes = 0;
    room.duties.push({ name: 'count', runOnce: () => passes++ && 0, nextDueAt: () => null });
    room.supervisor.start();
    await room.clock.advance(60_000);
    passes = 0;
    await room.clock.advance(9_999);
    expect(passes).toBeLessThan(2);
  });
});
