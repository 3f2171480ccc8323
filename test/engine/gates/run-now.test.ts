import { describe, expect, it } from 'vitest';
import { runNow } from '../../../main/engine/gates/run-now.ts';
import { inputWith, job, lookAt, NOON } from './inputs.ts';

const plan = (facts: object, rest: object = {}, onBattery = false) =>
  runNow(job(), lookAt(inputWith(facts, rest)), onBattery);

describe('run now', () => {
  it('D5 waives presence, hours and the pause of heavy work, and says which of them are closed', () => {
    const config = { hours: { heavy: [{ from: '22:00', to: '07:00' }] } };
    const pauses = { all: null, heavy: { until: null } };
    const seen = plan({ idleSeconds: 42 }, { config, pauses });
    expect(seen.waiver).toEqual({ presence: true, hours: true, heavyPause: true, battery: false });
    expect(seen.waives.map(({ gate, code }) => `${gate}/${code}`)).toEqual([
      'pause/heavy-paused',
      'hours/outside-hours',
      'presence/active',
    ]);
    expect(seen.waits).toEqual([]);
    expect(seen.text).toBe(
      'It runs in spite of your presence, your hours and a pause of heavy work, until it ends.',
    );
  });

  it('D5 battery only where the owner says so', () => {
    const careful = plan({ onBattery: true });
    expect(careful.waits).toEqual([
      {
        gate: 'power',
        code: 'battery',
        reason: 'On battery (87 %): heavy work waits for mains.',
        onBattery: true,
      },
    ]);
    expect(careful.text).toMatch(/ First it still waits for mains\.$/);
    const bold = plan({ onBattery: true }, {}, true);
    expect(bold).toMatchObject({ waits: [], waiver: { battery: true } });
    expect(bold.waives.map(({ code }) => code)).toEqual(['battery']);
    expect(bold.text).toContain('a pause of heavy work and battery power, until it ends');
  });

  it('D5 never the floor, heat, memory, a pause of everything, another program, or one model in flight', () => {
    const inFlight = { key: { tier: 'routine', numCtx: 1 }, jobId: 7, title: 'Sum up' } as const;
    const pauses = { all: { until: null }, heavy: null };
    const held: [object, object, string][] = [
      [{ onBattery: true, percent: 20 }, {}, 'floor'],
      [{ thermal: 'critical', onBattery: true }, {}, 'thermal'],
      [{ pressure: 'critical' }, {}, 'critical'],
      [{ exclusiveApp: 'Blender' }, {}, 'exclusive-app'],
      [{}, { pauses }, 'paused'],
      [{}, { inFlight }, 'in-flight'],
    ];
    for (const [facts, rest, code] of held) {
      const seen = plan({ idleSeconds: 1, ...facts }, rest, true);
      expect(seen.waits, code).toMatchObject([{ code, onBattery: false }]);
      expect(seen.waives.map((one) => one.code)).toEqual(['active']);
    }
  });

  it('D5 the plan is what the gates then do', () => {
    const facts = { idleSeconds: 42, onBattery: true, pressure: 'critical' as const };
    const { waiver, waits } = plan(facts, {}, true);
    const look = lookAt(inputWith(facts));
    const waived = runNow(job({ waiver: { ...waiver, at: NOON } }), look, true);
    expect(waived.waits).toEqual(waits);
    expect(runNow(job(), lookAt(inputWith()), false)).toMatchObject({ waives: [], waits: [] });
  });
});
