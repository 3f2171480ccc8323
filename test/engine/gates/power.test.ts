import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Facts } from '../../../main/engine/gates/facts.ts';
import { powerGate, supplyOf } from '../../../main/engine/gates/power.ts';
import { inputWith, NOTHING_KNOWN } from './inputs.ts';

const yesNoUnknown = [true, false, null] as const;
const power = fc.record({
  powerSource: fc.constantFrom('mains', 'battery', 'ups', 'none', null),
  onBattery: fc.constantFrom(...yesNoUnknown),
  draining: fc.constantFrom(...yesNoUnknown),
  charging: fc.constantFrom(...yesNoUnknown),
  percent: fc.constantFrom(null, 0, 19.9, 20, 20.1, 100),
});

const onMains = (facts: Facts) => ['mains', 'no-battery', 'ups'].includes(supplyOf(facts));

describe('the power gate', () => {
  it('G3 calls it mains only when something says so and nothing says battery', () => {
    fc.assert(
      fc.property(power, (some) => {
        const facts = { ...NOTHING_KNOWN, ...some };
        if (!onMains(facts)) return;
        const { powerSource, onBattery, draining, charging } = facts;
        expect(onBattery === true || draining === true || powerSource === 'battery').toBe(false);
        const says = powerSource === 'mains' || powerSource === 'none';
        expect(says || onBattery === false || draining === false || charging === true).toBe(true);
      }),
    );
  });

  it('G3 halts everything exactly when the charge is known to be at the floor and mains is not', () => {
    fc.assert(
      fc.property(power, (some) => {
        const facts = { ...NOTHING_KNOWN, ...some };
        const verdict = powerGate(inputWith(facts));
        const low = facts.percent !== null && facts.percent <= 20 && !onMains(facts);
        expect(verdict.blocks === 'all').toBe(low);
        expect(verdict.open).toBe(onMains(facts));
      }),
    );
  });

  it('G3 an unknown percentage alone halts nothing', () => {
    const verdict = powerGate(inputWith({ onBattery: true, percent: null }));
    expect(verdict).toMatchObject({ code: 'battery', blocks: 'heavy' });
  });

  it('G3 the floor is the configured one, and it halts even where battery sheds nothing', () => {
    const config = { power: { floorPercent: 35, shedOnBattery: false } };
    const at = (percent: number) => powerGate(inputWith({ onBattery: true, percent }, { config }));
    expect(at(35)).toMatchObject({
      open: false,
      blocks: 'all',
      reason: 'The battery is at 35 %: at 35 % or less nothing starts until it charges.',
    });
    expect(at(36)).toMatchObject({
      open: true,
      code: 'battery-allowed',
      reason: 'On battery (36 %); the settings allow heavy work.',
    });
  });

  it('G5 Low Power Mode and heat are shed only as the settings say', () => {
    const config = { power: { shedInLowPowerMode: false, thermalLimit: 'critical' } };
    const open = (facts: Partial<Facts>, settings: unknown = config) =>
      powerGate(inputWith(facts, { config: settings })).open;
    expect(open({ lowPower: true })).toBe(true);
    expect(open({ thermal: 'serious' })).toBe(true);
    expect(open({ thermal: 'critical' })).toBe(false);
    expect(open({ thermal: 'critical' }, { power: { thermalLimit: 'off' } })).toBe(true);
    expect(open({ thermal: 'fair' }, { power: { thermalLimit: 'fair' } })).toBe(false);
    expect(open({ thermal: 'nominal' }, { power: { thermalLimit: 'fair' } })).toBe(true);
  });

  it('G5 heat is named before battery, so that no waiver of battery lets a job run hot', () => {
    const verdict = powerGate(inputWith({ onBattery: true, thermal: 'critical', lowPower: true }));
    expect(verdict).toMatchObject({ code: 'thermal', waivedBy: null });
    expect(powerGate(inputWith({ onBattery: true })).waivedBy).toBe('battery');
    expect(powerGate(inputWith({ onBattery: true, percent: 5 })).waivedBy).toBeNull();
    expect(powerGate(inputWith({ lowPower: true })).waivedBy).toBeNull();
  });

  it('G5 D5 the word that a job may run on battery says nothing of Low Power Mode', () => {
    const verdict = powerGate(inputWith({ onBattery: true, percent: 60, lowPower: true }));
    expect(verdict).toMatchObject({
      code: 'battery',
      waivedBy: null,
      reason: 'On battery (60 %), in Low Power Mode: heavy work waits for mains.',
    });
    const config = { power: { shedInLowPowerMode: false } };
    const allowed = powerGate(inputWith({ onBattery: true, lowPower: true }, { config }));
    expect(allowed.waivedBy).toBe('battery');
  });
});
