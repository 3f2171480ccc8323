import { describe, expect, it } from 'vitest';
import { intervalsTable } from '../../../main/base/store/intervals.ts';
import { stintsTable } from '../../../main/base/store/stints.ts';
import { openRecord } from '../../../main/engine/vitals/record.ts';
import { type Sighting, sightingOf } from '../../../main/engine/vitals/sighting.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryStore } from '../../support/store.ts';
import { inputWith, lookAt, MINUTE } from '../gates/inputs.ts';

const HOUR = 60 * MINUTE;

async function setUp() {
  const clock = new FakeClock();
  const store = await temporaryStore(clock.now());
  const intervals = intervalsTable(store.db);
  const stints = stintsTable(store.db);
  let writes = 0;
  const counted = {
    join<T>(work: () => T): T {
      writes += 1;
      return store.join(work);
    },
  };
  const open = () => openRecord({ clock, store: counted, intervals, stints });
  const state = { record: open() };
  const begun = clock.now();
  const see = (change: Partial<Sighting> = {}) =>
    state.record.note({
      ...{ now: clock.now(), presence: 'away', power: 'mains', hold: 'open', percent: 80 },
      ...change,
    } as Sighting);
  return {
    ...{ clock, store, intervals, stints, see, begun },
    record: () => state.record,
    writes: () => writes,
    /** A new host over the same database, the old one gone without a word. */
    crash() {
      state.record = open();
    },
    /** Intervals of a track as minutes since the begin. */
    rows: (track: 'presence' | 'power' | 'hold') =>
      state.record
        .within(track, begun - 1, clock.now() + 1)
        .map(({ state, from, until, ended }) => [
          state,
          (from - begun) / MINUTE,
          (until - begun) / MINUTE,
          ended,
        ]),
    async wait(ms: number, change: Partial<Sighting> = {}) {
      for (let left = ms; left > 0; left -= MINUTE) {
        await clock.advance(Math.min(MINUTE, left));
        see(change);
      }
    },
  };
}

describe('the record', () => {
  it('G5 an interval begins and ends with a change, and tracks change apart', async () => {
    const room = await setUp();
    room.see({ presence: 'here', hold: 'presence' });
    await room.wait(10 * MINUTE, { presence: 'here', hold: 'presence' });
    await room.wait(5 * MINUTE);
    await room.wait(2 * MINUTE, { power: 'battery', hold: 'power/battery' });
    expect(room.rows('presence')).toEqual([
      ['here', 0, 11, 'change'],
      ['away', 11, 17, null],
    ]);
    expect(room.rows('power')).toEqual([
      ['mains', 0, 16, 'change'],
      ['battery', 16, 17, null],
    ]);
    expect(room.rows('hold')).toEqual([
      ['presence', 0, 11, 'change'],
      ['open', 11, 16, 'change'],
      ['power/battery', 16, 17, null],
    ]);
  });

  it('G5 nothing is written while nothing changes, but for one small write every five minutes', async () => {
    const room = await setUp();
    room.see();
    expect(room.writes()).toBe(1);
    for (let pass = 0; pass < 149; pass++) {
      await room.clock.advance(2_000);
      room.see({ percent: 80 - pass / 10 });
    }
    expect(room.writes()).toBe(1);
    await room.clock.advance(2_000);
    room.see();
    expect(room.writes()).toBe(2);
    await room.wait(HOUR);
    expect(room.writes()).toBe(14);
  });

  it('G5 a sleep gap ends what lasts at the last look; the night is in no interval', async () => {
    const room = await setUp();
    await room.wait(3 * MINUTE, { presence: 'here' });
    room.clock.suspend(8 * HOUR);
    room.see({ presence: 'here' });
    await room.wait(MINUTE, { presence: 'here' });
    expect(room.rows('presence')).toEqual([
      ['here', 1, 3, 'gap'],
      ['here', 483, 484, null],
    ]);
  });

  it('G5 a clock that is set back and a long silence end what lasts too', async () => {
    const room = await setUp();
    await room.wait(10 * MINUTE);
    room.clock.jump(-5 * MINUTE);
    room.see();
    await room.clock.advance(4 * MINUTE);
    room.see();
    const ends = room.rows('presence').map(([, , , ended]) => ended);
    expect(ends).toEqual(['gap', 'gap', null]);
  });

  it('G5 a crash loses five minutes at most, and nothing unseen is claimed', async () => {
    const room = await setUp();
    await room.wait(13 * MINUTE);
    expect(room.record().cutOffAt()).toBeNull();
    room.crash();
    expect(room.record().cutOffAt()).toBe(room.begun + 11 * MINUTE);
    await room.clock.advance(HOUR);
    room.see({ presence: 'here' });
    expect(room.rows('presence')).toEqual([
      ['away', 1, 11, 'crash'],
      ['here', 73, 73, null],
    ]);
    room.record().stop();
    expect(room.intervals.lasting()).toEqual([]);
    expect(room.record().cutOffAt()).toBeNull();
  });

  it('G5 what lasts is read up to the last look, also from a day that began meanwhile', async () => {
    const room = await setUp();
    await room.wait(3 * MINUTE);
    expect(room.intervals.lasting()[0]?.until).toBe(room.begun + MINUTE);
    const since = room.begun + 2 * MINUTE;
    expect(room.record().within('presence', since, since + HOUR)).toMatchObject([
      { until: room.begun + 3 * MINUTE },
    ]);
    expect(room.record().within('presence', since + HOUR, since + 2 * HOUR)).toEqual([]);
  });

  it('G5 the record goes back 90 days and no further', async () => {
    const room = await setUp();
    room.see();
    room.record().recordStint(stint(1, room.begun, room.begun + MINUTE));
    room.clock.jump(89 * 24 * HOUR);
    room.see({ presence: 'here' });
    expect(room.rows('presence')).toHaveLength(2);
    room.clock.jump(2 * 24 * HOUR);
    room.see();
    expect(room.rows('presence').map(([state]) => state)).toEqual(['here', 'away']);
    expect(room.stints.ofJob(1)).toEqual([]);
  });

  it('G5 what cannot be stored is made up for by the next look', async () => {
    const room = await setUp();
    room.see();
    room.store.db.pragma('query_only = 1');
    await room.clock.advance(MINUTE);
    expect(() => room.see({ presence: 'here' })).toThrow();
    room.store.db.pragma('query_only = 0');
    await room.clock.advance(MINUTE);
    room.see({ presence: 'here' });
    expect(room.rows('presence')).toEqual([
      ['away', 0, 2, 'change'],
      ['here', 2, 2, null],
    ]);
  });

  it('D5 stints are kept as they were, once for each claim', async () => {
    const room = await setUp();
    const one = stint(4, room.begun, room.begun + MINUTE);
    room.record().recordStint(one);
    room.record().recordStint({ ...one, outcome: 'failed' });
    room.record().recordStint({ ...one, claimNo: 2, from: one.until, until: one.until - 9 });
    expect(room.stints.ofJob(4)).toEqual([one, { ...one, claimNo: 2, from: one.until }]);
    expect(() => room.store.db.exec('UPDATE stints SET job = 9')).toThrow(/kept as they were/);
  });
});

describe('a return', () => {
  it('D3 ends an absence of half an hour or more, from the last presence on', async () => {
    const room = await setUp();
    room.see({ presence: 'here' });
    await room.wait(10 * MINUTE, { presence: 'here' });
    await room.wait(30 * MINUTE);
    await room.clock.advance(MINUTE);
    expect(room.see({ presence: 'here' })).toEqual({
      from: room.begun + 11 * MINUTE,
      until: room.begun + 41 * MINUTE,
    });
    expect(room.see({ presence: 'here' })).toBeNull();
  });

  it('D3 is not told of after a short absence, nor where nobody knows', async () => {
    const room = await setUp();
    expect(room.see({ presence: 'here' })).toBeNull();
    await room.wait(28 * MINUTE);
    await room.clock.advance(MINUTE);
    expect(room.see({ presence: 'here' })).toBeNull();
    await room.wait(60 * MINUTE, { presence: 'unknown' });
    expect(room.see({ presence: 'unknown' })).toBeNull();
  });

  it('D3 counts a night over which the machine slept, and one over which the host was restarted', async () => {
    const room = await setUp();
    room.see({ presence: 'here' });
    room.clock.suspend(7 * HOUR);
    expect(room.see({ presence: 'here' })).toEqual({
      from: room.begun,
      until: room.begun + 7 * HOUR,
    });
    room.crash();
    await room.clock.advance(HOUR);
    expect(room.see({ presence: 'here' })?.from).toBe(room.begun + 7 * HOUR);
  });
});

describe('what a look says to the record', () => {
  const said = (...input: Parameters<typeof inputWith>) => sightingOf(lookAt(inputWith(...input)));

  it('G5 presence as the gate decides it, but an unknown owner is not claimed to be here', () => {
    expect(said()).toMatchObject({ presence: 'away', power: 'mains', hold: 'open', percent: 87 });
    expect(said({ micInUse: true })).toMatchObject({ presence: 'here', hold: 'presence' });
    expect(said({ idleSeconds: null })).toMatchObject({ presence: 'unknown', hold: 'presence' });
    expect(said({}, { override: { present: true, until: null } }).presence).toBe('here');
  });

  it('G5 power by its source, and the first gate that holds heavy work', () => {
    expect(said({ onBattery: true })).toMatchObject({ power: 'battery', hold: 'power/battery' });
    expect(said({ powerSource: 'none' }).power).toBe('mains');
    expect(said({ draining: true })).toMatchObject({ power: 'battery', hold: 'power/draining' });
    const nothing = { powerSource: null, onBattery: null, draining: null, charging: null };
    expect(said(nothing).power).toBe('unknown');
    const pauses = { all: null, heavy: { until: null } };
    expect(said({ idleSeconds: 1 }, { pauses }).hold).toBe('pause/heavy-paused');
    const inFlight = { key: { tier: 'routine', numCtx: 1 }, jobId: 1, title: '' } as const;
    expect(said({}, { inFlight }).hold).toBe('open');
  });
});

function stint(job: number, from: number, until: number) {
  return {
    ...{ job, claimNo: 1, title: 'Sum up', tier: 'synthesis', heavy: true, from, until },
    ...{ outcome: 'done' as const, cause: null, askedAt: null },
  };
}
