import { describe, expect, it } from 'vitest';
import { schedulesTable } from '../../../../main/base/store/schedules.ts';
import { createSchedules } from '../../../../main/engine/producers/clock/schedules.ts';
import { cycleOfSource, followCadences } from '../../../../main/work/roster/hosted/cadences.ts';
import { isCadenceSchedule, scheduleId } from '../../../../main/work/roster/hosted/places.ts';
import { rosterOf } from '../../../support/roster-den.ts';
import { temporaryStore } from '../../../support/store.ts';

const HOURLY = { kind: 'interval', everySeconds: 3600, first: 0 } as const;
const PATH = '/work/site';
const ID = scheduleId(PATH, 'daily');

async function over() {
  const store = await temporaryStore();
  const rows = schedulesTable(store.db);
  const schedules = createSchedules({ tx: store.tx, schedules: rows, now: () => 1_000_000 });
  return { schedules, only: () => schedules.list().filter((one) => one.enabled) };
}

describe('cadences as schedules', () => {
  it('T6 a cadence with consent becomes a schedule, follows its changes and goes with it', async () => {
    const { schedules, only } = await over();
    const due = rosterOf(PATH, { cadences: { daily: HOURLY } });
    expect(followCadences(schedules, due)).toEqual([]);
    expect(only()).toMatchObject([
      { id: ID, rule: HOURLY, prompt: 'Daily cycle of site', revision: 1 },
    ]);
    followCadences(schedules, due);
    expect(only()).toMatchObject([{ revision: 1 }]);
    const slower = { ...HOURLY, everySeconds: 7200 };
    followCadences(schedules, rosterOf(PATH, { cadences: { daily: slower } }));
    expect(only()).toMatchObject([{ rule: slower, revision: 2 }]);
    followCadences(schedules, rosterOf(PATH, { cadences: { daily: slower }, consent: null }));
    expect(only()).toEqual([]);
    followCadences(schedules, due);
    expect(only()).toMatchObject([{ id: ID, rule: HOURLY }]);
    followCadences(schedules, { repositories: [] });
    expect(only()).toEqual([]);
  });

  it('T6 leaves the owner’s own schedules alone, and says what cannot be followed', async () => {
    const { schedules, only } = await over();
    schedules.add({
      ...{ id: 'morning', session: 'shop', prompt: 'Look.', tier: null, rule: HOURLY },
      ...{ missed: { kind: 'coalesce' }, to: 'local' },
    });
    const rule = { kind: 'cron', expression: '61 * * * *', zone: 'UTC' };
    const problems = followCadences(schedules, rosterOf(PATH, { cadences: { weekly: rule } }));
    expect(problems).toEqual([expect.stringMatching(/^Weekly cycle of site: /)]);
    expect(only().map(({ id }) => id)).toEqual(['morning']);
  });

  it('T6 only a listed repository’s cadence makes a cycle of an occurrence', () => {
    const settings = rosterOf(PATH);
    expect(cycleOfSource(`job:${ID}@3:123`, settings)).toEqual({
      ...{ repository: PATH, cadence: 'daily' },
    });
    expect(cycleOfSource(`job:${ID}@3:123`, rosterOf('/elsewhere'))).toBeNull();
    expect(cycleOfSource('job:morning@1:5', settings)).toBeNull();
    expect(cycleOfSource(`manual:${ID}`, settings)).toBeNull();
    expect([ID, 'morning', 'cycle-daily'].map(isCadenceSchedule)).toEqual([true, false, false]);
  });
});
