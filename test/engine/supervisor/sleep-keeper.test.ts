import { describe, expect, it } from 'vitest';
import type { Tier } from '../../../main/base/config-schema.ts';
import { ok } from '../../../main/base/errors.ts';
import type { YieldCause } from '../../../main/engine/supervisor/handler.ts';
import type { Flight } from '../../../main/engine/supervisor/run-job.ts';
import { nativeHold, sleepKeeper } from '../../../main/engine/supervisor/sleep-keeper.ts';
import type { Reading } from '../../../native/reading.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { inputWith, lookAt, MINUTE } from '../gates/inputs.ts';

function setUp() {
  const clock = new FakeClock();
  const done: string[] = [];
  const hold = {
    hold: () => void done.push('hold'),
    release: () => void done.push('release'),
    check: async () => ok(''),
  };
  const keeper = sleepKeeper(hold, clock);
  const note = (tier: Tier | null, asked: YieldCause | null = null, facts: object = {}) => {
    const flight = { claim: { job: { tier } }, asked } as unknown as Flight;
    keeper.note(tier === null ? [] : [flight], lookAt(inputWith(facts)).verdicts);
    return done.splice(0);
  };
  return { clock, keeper, note, done };
}

describe('holding system sleep off', () => {
  it('D9 tried out, it says by what it holds, and where it cannot, that this is not well', async () => {
    const tried = (reading: Reading<string>) =>
      nativeHold({ hold() {}, release() {}, check: async () => reading }).check();
    expect(await tried({ ok: true, value: 'it can', source: 'caffeinate' })).toEqual(
      ok('system sleep is held off by caffeinate while heavy work runs on mains'),
    );
    expect(await tried({ ok: false, reason: 'refused', source: 'caffeinate' })).toMatchObject({
      ok: false,
      message: 'system sleep cannot be held off: caffeinate: refused',
      hint: 'heavy work that it interrupts goes on from its checkpoint',
    });
  });

  it('G7 lasts while a heavy job runs on mains, and is taken once', () => {
    const { note } = setUp();
    expect(note(null)).toEqual([]);
    expect(note('synthesis')).toEqual(['hold']);
    expect(note('synthesis')).toEqual([]);
    expect(note(null)).toEqual(['release']);
    expect(note(null)).toEqual([]);
    expect(note('stretch', null, { powerSource: 'none' })).toEqual(['hold']);
  });

  it('G7 is not taken for light work, on battery, or where the supply is unknown', () => {
    const { note } = setUp();
    expect(note('routine')).toEqual([]);
    expect(note('pinned')).toEqual([]);
    expect(note('synthesis', null, { onBattery: true })).toEqual([]);
    expect(note('synthesis', null, { draining: true })).toEqual([]);
    const unknown = { powerSource: null, onBattery: null, draining: null, charging: null };
    expect(note('synthesis', null, unknown)).toEqual([]);
  });

  it.each<[YieldCause, object]>([
    ['returned', { idleSeconds: 1 }],
    ['paused', {}],
    ['quitting', {}],
    ['battery', { onBattery: true }],
  ])('G7 ends when the job is asked to stop: %s', (cause, facts) => {
    const { note } = setUp();
    note('synthesis');
    expect(note('synthesis', cause, facts)).toEqual(['release']);
    expect(note('synthesis', cause, facts)).toEqual([]);
  });

  it('G7 goes on for a job that runs by the owner’s word while they are here', () => {
    const { note } = setUp();
    expect(note('synthesis', null, { idleSeconds: 1 })).toEqual(['hold']);
  });

  it('G7 is taken anew before it ends by itself, and released once at quit', async () => {
    const { clock, keeper, note, done } = setUp();
    note('synthesis');
    await clock.advance(10 * MINUTE - 1);
    expect(note('synthesis')).toEqual([]);
    await clock.advance(1);
    expect(note('synthesis')).toEqual(['hold']);
    keeper.release();
    keeper.release();
    expect(done).toEqual(['release']);
  });
});
