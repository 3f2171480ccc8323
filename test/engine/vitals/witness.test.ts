import { describe, expect, it } from 'vitest';
import { ok } from '../../../main/base/errors.ts';
import { intervalsTable } from '../../../main/base/store/intervals.ts';
import { stintsTable } from '../../../main/base/store/stints.ts';
import { createGates } from '../../../main/engine/gates/look.ts';
import { sleepKeeper } from '../../../main/engine/supervisor/sleep-keeper.ts';
import { createSupervisor } from '../../../main/engine/supervisor/supervisor.ts';
import { type Absence, openRecord } from '../../../main/engine/vitals/record.ts';
import { cutOffStint, witness } from '../../../main/engine/vitals/witness.ts';
import { settle } from '../../support/fake-clock.ts';
import { QUIET_NIGHT } from '../../support/fixed-facts.ts';
import { job } from '../gates/inputs.ts';
import { steps, supervisorRoom } from '../supervisor/room.ts';

const MINUTE = 60_000;

/** A served supervisor with a witness beside it, and one heavy job in the second of four steps. */
async function setUp() {
  const room = await supervisorRoom();
  const { store, clock, facts, queue, pauses, models, landing } = room;
  const record = openRecord({
    ...{ clock, store },
    intervals: intervalsTable(store.db),
    stints: stintsTable(store.db),
  });
  const held: string[] = [];
  const returns: Absence[] = [];
  const warned: string[] = [];
  const config = () => room.config;
  const hold = {
    hold: () => void held.push('hold'),
    release: () => void held.push('release'),
    check: async () => ok(''),
  };
  const log = {
    debug() {},
    info() {},
    warn: (_what: object, line: string) => warned.push(line),
    error() {},
  };
  const seen = witness({
    gates: createGates({ clock, facts, config, pauses }),
    record,
    sleep: sleepKeeper(hold, clock),
    log,
    onReturn: (absence) => void returns.push(absence),
  });
  const supervisor = createSupervisor({
    ...{ clock, config, log, queue, models, runId: 1, kinds: room.kinds, duties: [] },
    gates: seen.gates,
    onWatched: seen.onWatched,
    pauses: {
      clearExpired: () => false,
      allPaused: () => pauses.get().all !== null,
      nextEnd: () => null,
    },
    land: landing,
    onChange: () => {},
    onStuck: () => {},
    onTrouble: () => {},
    onSettled(ended, outcome, askedAt, heldMs) {
      const until = clock.now();
      seen.onSettled(ended, outcome, askedAt, { from: until - heldMs, until });
    },
  });
  const work = steps(4);
  room.kind('heavy', work.run);
  const heavy = room.add({ kind: 'heavy', tier: 'synthesis' });
  supervisor.start();
  await settle();
  return {
    room,
    clock,
    facts,
    record,
    held,
    returns,
    warned,
    seen,
    work,
    heavy,
    supervisor,
    pauses,
  };
}

const stop = async ({ supervisor, clock }: Awaited<ReturnType<typeof setUp>>) => {
  const stopped = supervisor.stop();
  await clock.advance(60_000);
  await stopped;
};

describe('the witness', () => {
  it('G7 D6 keeps each stint with its end, and since when it had been asked to stop', async () => {
    const all = await setUp();
    const { clock, facts, work, record, heavy } = all;
    const begun = clock.now();
    await clock.advance(MINUTE);
    await work.step();
    facts.set({ idleSeconds: 0 });
    await clock.advance(2_000);
    await clock.advance(500);
    await work.step();
    const [stint] = record.stints.ofJob(heavy.id);
    expect(stint).toEqual({
      ...{ job: heavy.id, claimNo: 1, title: heavy.title, tier: 'synthesis', heavy: true },
      ...{ from: begun, until: begun + MINUTE + 2_500, outcome: 'yielded', cause: 'returned' },
      askedAt: begun + MINUTE + 2_000,
    });
    await stop(all);
  });

  it('D3 tells of a return when what gave way has stopped, not before', async () => {
    const all = await setUp();
    const { clock, facts, work, returns } = all;
    facts.set({ idleSeconds: 0 });
    await clock.advance(2_000);
    await work.step();
    await clock.advance(2_000);
    facts.set(QUIET_NIGHT);
    const left = clock.now();
    await clock.advance(40 * MINUTE);
    facts.set({ idleSeconds: 0 });
    await clock.advance(4_000);
    expect(returns).toEqual([]);
    await work.step();
    await clock.advance(2_000);
    expect(returns).toHaveLength(1);
    expect(returns[0]?.from).toBeLessThanOrEqual(left + 30_000);
    await stop(all);
  });

  it.each<[string, (all: Awaited<ReturnType<typeof setUp>>) => void]>([
    ['return', ({ facts }) => facts.set({ idleSeconds: 0 })],
    ['battery', ({ facts }) => facts.set({ onBattery: true, powerSource: 'battery' })],
    ['a pause', ({ pauses, clock }) => pauses.set('heavy', clock.now(), null)],
    ['quit', ({ seen }) => seen.stop()],
  ])('G7 holds sleep off while heavy work runs, and lets go on %s', async (_what, change) => {
    const all = await setUp();
    await all.clock.advance(2_000);
    expect(all.held).toEqual(['hold']);
    change(all);
    await all.clock.advance(2_000);
    expect(all.held.slice(0, 2)).toEqual(['hold', 'release']);
    await stop(all);
  });

  it('G7 lets go of sleep when the last heavy job has ended', async () => {
    const all = await setUp();
    await all.clock.advance(2_000);
    for (let step = 0; step < 4; step++) await all.work.step();
    await settle();
    expect(all.held).toEqual(['hold', 'release']);
    await stop(all);
  });

  it('S1 a record that cannot be kept is said once, and nothing stands still for it', async () => {
    const all = await setUp();
    const { room, clock, facts, warned, held } = all;
    await clock.advance(2_000);
    room.store.db.exec('DROP TABLE intervals');
    facts.set({ percent: 50, idleSeconds: 0 });
    await clock.advance(MINUTE);
    expect(warned).toEqual(['the record was not kept']);
    expect(held).toEqual(['hold', 'release']);
    expect(room.state(all.heavy)).toBe('queued');
    await stop(all);
  });

  it('S5 what an unclean end cut off lasted until the host was last seen', () => {
    const running = job({ state: 'running', startedAt: 5_000, claimNo: 3 });
    expect(cutOffStint(running, 9_000)).toMatchObject({ from: 5_000, until: 9_000, claimNo: 3 });
    expect(cutOffStint(running, 4_000)).toMatchObject({ until: 5_000, outcome: 'crash' });
    expect(cutOffStint(running, null)).toMatchObject({ until: 5_000 });
  });
});
