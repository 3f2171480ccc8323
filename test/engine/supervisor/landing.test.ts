import { describe, expect, it } from 'vitest';
import type { Land } from '../../../main/engine/supervisor/ports.ts';
import { settle } from '../../support/fake-clock.ts';
import { done, type SupervisorRoom, steps, supervisorRoom } from './room.ts';

const FULL = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });

/** A disk that is full for so many landings. */
function fullFor(room: SupervisorRoom, times: number, error: unknown = FULL) {
  const tries: number[] = [];
  const land: Land = (...given) => {
    tries.push(room.clock.monotonic());
    if (tries.length <= times) throw error;
    return room.landing(...given);
  };
  room.land = land;
  return tries;
}

describe('S1 a result that cannot be stored', () => {
  it('S1 is held, tried again with back-off, and lands when the disk has room', async () => {
    const room = await supervisorRoom();
    let runs = 0;
    room.kind('plain', async () => {
      runs += 1;
      return done('precious');
    });
    const job = room.add();
    const tries = fullFor(room, 4);
    room.supervisor.start();
    await room.clock.advance(60_000);
    expect(tries).toEqual([0, 1000, 3000, 7000, 15_000]);
    expect(room.queue.get(job.id)).toMatchObject({ state: 'done', result: 'precious' });
    expect(runs).toBe(1);
    expect(room.stuck).toEqual([
      'a job of plain: the result is held: the disk is full, so nothing was stored',
      null,
    ]);
  });

  it('S1 holds its lane alone: the pinned model goes on', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    room.kind('free', async () => ({ kind: 'failed', error: 'on purpose' }));
    room.add();
    fullFor(room, 1000);
    room.supervisor.start();
    await room.clock.advance(5_000);
    const [pinned, worker] = [room.add({ kind: 'free', tier: 'pinned' }), room.add()];
    room.supervisor.wake();
    await room.clock.advance(5_000);
    expect([room.state(pinned), room.state(worker)]).toEqual(['failed', 'queued']);
  });

  it('S1 is tried a last time when the host goes, and left to the next start', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    const [lost, saved] = [await midBackOff(room, 1000), room];
    await lost.stop();
    expect(lost.tries).toHaveLength(5);
    expect(saved.state(lost.job)).toBe('running');
    expect(room.clock.pendingTimers).toBe(0);

    const next = await supervisorRoom();
    next.kind('plain', async () => done());
    const kept = await midBackOff(next, 4);
    await kept.stop();
    expect(next.state(kept.job)).toBe('done');
    expect(next.clock.pendingTimers).toBe(0);
  });

  async function midBackOff(room: SupervisorRoom, times: number) {
    const job = room.add();
    const tries = fullFor(room, times);
    room.supervisor.start();
    await room.clock.advance(10_000);
    expect(tries).toHaveLength(4);
    return { job, tries, stop: () => room.supervisor.stop() };
  }

  it('S1 fails its job where the database refuses what it says, after three tries', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => done());
    const job = room.add();
    fullFor(room, 1000, new Error('CHECK constraint failed: drafts'));
    room.supervisor.start();
    await room.clock.advance(3_000);
    expect(room.queue.get(job.id)).toMatchObject({
      ...{
        state: 'failed',
        error: 'the result could not be stored: CHECK constraint failed: drafts',
      },
    });
    expect(room.stuck.at(-1)).toBeNull();
  });

  it('S1 a checkpoint that the disk has no room for costs the way back, not the work', async () => {
    const room = await supervisorRoom();
    const work = steps(3);
    room.kind('heavy', work.run);
    const job = room.add({ kind: 'heavy', tier: 'synthesis', title: 'heavy' });
    const save = room.queue.saveCheckpoint;
    room.supervisor.start();
    await settle();
    await work.step();
    room.queue.saveCheckpoint = () => {
      throw FULL;
    };
    await work.step();
    expect(room.queue.get(job.id)).toMatchObject({ state: 'running', checkpoint: { step: 1 } });
    room.facts.set({ idleSeconds: 0 });
    await room.clock.advance(12_000);
    expect(room.state(job)).toBe('queued');
    room.queue.saveCheckpoint = save;
    room.facts.set({ idleSeconds: 900 });
    await room.clock.advance(30_000);
    await work.step();
    await work.step();
    expect(room.state(job)).toBe('done');
    expect(work.begun).toEqual(['heavy 1', 'heavy 2', 'heavy 3', 'heavy 2', 'heavy 3']);
  });

  it('S1 work that meets a full disk waits for space instead of failing', async () => {
    const room = await supervisorRoom();
    room.kind('plain', async () => {
      throw FULL;
    });
    const job = room.add();
    await room.supervisor.drain();
    expect(room.queue.get(job.id)).toMatchObject({
      ...{ state: 'deferred', attempts: 0, reasonCode: 'disk-full' },
      reason: 'the disk is full, so nothing was stored',
    });
  });

  it('S1 whatever goes wrong after a run, the lane is free again', async () => {
    const room = await supervisorRoom();
    const work = steps(2);
    room.kind('heavy', work.run);
    room.kind('plain', async () => done());
    const heavy = room.add({ kind: 'heavy', tier: 'synthesis' });
    room.supervisor.start();
    await settle();
    room.models.release = async () => {
      throw new Error('the server is gone');
    };
    Object.defineProperty(room, 'ended', {
      get() {
        throw new Error('the notice could not be stored');
      },
    });
    room.facts.set({ idleSeconds: 0 });
    await room.clock.advance(2000);
    await work.step();
    expect(room.state(heavy)).toBe('queued');
    const light = room.add();
    room.supervisor.wake();
    await settle();
    expect(room.state(light)).toBe('done');
    const said = room.lines.join('\n');
    expect(said).toContain('memory was not given back');
    expect(said).toContain('the end of a run was not told');
  });
});
