import { describe, expect, it } from 'vitest';
import { vitalsTable } from '../../../main/base/store/vitals.ts';
import type { Reading } from '../../../main/engine/vitals/flags.ts';
import { seriesKeeper } from '../../../main/engine/vitals/series.ts';
import { openVitals } from '../../../main/engine/vitals/vitals.ts';
import { done, steps, supervisorRoom } from '../supervisor/room.ts';

const MINUTE = 60_000;

/** The vitals beside a supervisor that works; a pass each half minute, as the host makes them. */
async function vitalRoom() {
  const room = await supervisorRoom({
    watchdog: { stalledAfterSeconds: 900, wedgedAfterSeconds: 900 },
  });
  const { store, clock, queue, supervisor } = room;
  const seen = { measured: [] as boolean[], readings: [] as Reading[], changes: 0, fault: false };
  const keeper = seriesKeeper(store, vitalsTable(store.db));
  const vitals = openVitals({
    ...{ clock, store, queue, config: () => room.config, loadsSince: () => 0 },
    keeper: {
      ...keeper,
      keep(...given) {
        if (seen.fault) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
        keeper.keep(...given);
      },
    },
    pulse: {
      residentBytes: () => 1e8,
      loopDelayMs: () => null,
      measure: (on) => seen.measured.push(on),
    },
    diskFreeBytes: () => null,
    watchdog: { look: (reading) => seen.readings.push(reading), standing: () => [] },
    log: { warn: (_fields, message) => room.lines.push(message) },
    onChange: () => {
      seen.changes += 1;
    },
  });
  async function pass(minutes: number, how = () => room.pass()): Promise<void> {
    for (let half = 0; half < minutes * 2; half++) {
      await how();
      vitals.onWatched(supervisor.verdicts()?.verdicts ?? [], supervisor.flights());
      await clock.advance(MINUTE / 2);
    }
  }
  const names = () =>
    store.db.prepare('SELECT name, count(*) AS n FROM vitals GROUP BY name').raw().all();
  return { ...room, vitals, seen, names, passes: pass };
}

describe('S6 vitals beside the supervisor', () => {
  it('S6 an idle host is sampled every five minutes by its own passes, with no timer and nothing measured', async () => {
    const { passes, names, clock, seen } = await vitalRoom();
    const timers = clock.pendingTimers;
    await passes(60);
    expect(clock.pendingTimers).toBe(timers);
    expect(Object.fromEntries(names() as [string, number][]).queued).toBe(12);
    expect(new Set(seen.measured)).toEqual(new Set([false]));
    expect(seen.readings).toHaveLength(12);
  });

  it('S6 a job without a sign of progress is wedged, and one whose rows keep landing is not', async () => {
    const { passes, vitals, seen, kind, add } = await vitalRoom();
    const work = steps(3);
    kind('plain', work.run);
    const job = add({ title: 'Read the minutes' });
    await passes(14);
    expect(vitals.health().wedged).toEqual([]);
    await work.step(); // a checkpoint lands
    await passes(14);
    expect(vitals.health()).toEqual({ stalled: null, wedged: [] });
    await passes(2);
    expect(vitals.health().wedged).toMatchObject([{ job: job.id, title: 'Read the minutes' }]);
    expect(seen.changes).toBe(1);
    await work.step();
    await passes(1);
    expect([vitals.health().wedged, seen.changes]).toEqual([[], 2]);
    expect(seen.measured.at(-1)).toBe(true);
  });

  it('S6 work that a gate holds is not stalled', async () => {
    const { passes, vitals, add, kind, pauses, clock, seen } = await vitalRoom();
    kind('plain', async () => done());
    pauses.set('all', clock.now(), null);
    add();
    await passes(30);
    expect(vitals.health().stalled).toBeNull();
    // Nor is it a reason to write more often than an idle host does.
    expect(seen.readings).toHaveLength(6);
  });

  it('S6 a queue that nobody serves is stalled after a quarter of an hour', async () => {
    const { passes, vitals, add, supervisor, seen } = await vitalRoom();
    supervisor.runOnce();
    add();
    await passes(14, async () => 0);
    expect(vitals.health().stalled).toBeNull();
    expect(seen.readings).toHaveLength(14);
    await passes(2, async () => 0);
    expect(vitals.health().stalled).toMatchObject({ forMs: expect.any(Number) });
  });

  it('S6 tells how runs end, and takes a full disk in silence after one word', async () => {
    const { passes, vitals, seen, lines, names } = await vitalRoom();
    const job = { startedAt: 2000, createdAt: 1000, tier: 'routine' } as never;
    const usage = { promptTokens: 10, outputTokens: 4, turns: 1, millis: 5 };
    const transcript = { status: 'completed', model: 'm', messages: [], usage };
    vitals.onSettled(job, { kind: 'yielded', cause: 'returned' }, 500);
    vitals.onSettled(job, { kind: 'done', landing: { result: 'x', transcript } }, 1500);
    expect(vitals.tally()).toEqual({
      ...{ settled: { yielded: 1, done: 1 }, yielded: { returned: 1 } },
      ...{ promptTokens: 10, outputTokens: 4 },
    });
    seen.fault = true;
    await passes(20);
    expect(lines.filter((line) => line.includes('not kept'))).toHaveLength(1);
    seen.fault = false;
    await passes(6);
    expect(Object.fromEntries(names() as [string, number][]).queued).toBeGreaterThan(0);
  });
});
