import { describe, expect, it } from 'vitest';
import { NO_FRAMEWORKS } from '../../support/frameworks/frameworks.ts';
import { BATTERY, mac, NOW, type Registry, type Stage, UPS, useFrameworks } from './mac.ts';

const DISCHARGING = { ...BATTERY, 'Power Source State': 'Battery Power', 'Is Charging': false };
const HELD = { ...BATTERY, 'Is Charging': false };
const registry = (AppleSmartBattery?: Record<string, unknown>): Registry => ({
  IOHIDSystem: { HIDIdleTime: 1e9 },
  ...(AppleSmartBattery && { AppleSmartBattery }),
});
const current = (InstantAmperage: unknown) => registry({ BatteryInstalled: true, InstantAmperage });

const FACTS = ['powerSource', 'onBattery', 'percent', 'charging', 'draining'] as const;

/** Each fact's value, or its reason where it is unknown. */
function power(changes: Stage, now = NOW) {
  const readings = mac(changes).read(now);
  const told = FACTS.map((fact) => {
    const reading = readings[fact];
    return [fact, reading.ok ? reading.value : reading.reason];
  });
  return Object.fromEntries(told) as Record<(typeof FACTS)[number], unknown>;
}

/** The one reason why all of them are unknown. */
function whyUnknown(changes: Stage): unknown {
  const told = Object.values(power(changes));
  expect(new Set(told).size).toBe(1);
  return told[0];
}

describe.skipIf(NO_FRAMEWORKS)(
  `power of a Mac${NO_FRAMEWORKS ? ` (${NO_FRAMEWORKS})` : ''}`,
  () => {
    useFrameworks();

    it('D9 G3 a laptop on its battery drains', () => {
      expect(power({ powerSources: [{ ...DISCHARGING, 'Current Capacity': 41 }] })).toEqual({
        powerSource: 'battery',
        onBattery: true,
        percent: 41,
        charging: false,
        draining: true,
      });
    });

    it('D9 G3 no source and no battery is a desktop: without a driver, and with the ghost of one', () => {
      const desktop = {
        powerSource: 'none',
        onBattery: false,
        percent: 'there is no battery',
        charging: false,
        draining: false,
      };
      expect(power({ powerSources: [], registry: registry() })).toEqual(desktop);
      const ghost = { BatteryInstalled: false, ExternalConnected: true, CurrentCapacity: 0 };
      expect(power({ powerSources: [], registry: registry(ghost) })).toEqual(desktop);
    });

    it('D9 G3 a source without capacity, an empty bay and a UPS that is gone do not count', () => {
      const none = { registry: registry({ BatteryInstalled: false }) };
      for (const source of [
        { ...BATTERY, 'Current Capacity': 0, 'Max Capacity': 0 },
        { ...BATTERY, 'Is Present': false },
        { ...UPS, 'Power Source State': 'Off Line' },
        { ...BATTERY, Type: 'Accessory' },
      ]) {
        expect(power({ ...none, powerSources: [source] })).toMatchObject({ powerSource: 'none' });
      }
    });

    it('D9 G3 no source though a battery is installed is a failure, not a desktop', () => {
      expect(whyUnknown({ powerSources: [] })).toBe(
        'macOS lists none, though a battery is installed',
      );
    });

    it('D9 G3 no source and a driver that does not say whether there is a battery is unknown', () => {
      expect(whyUnknown({ powerSources: [], registry: registry({}) })).toBe(
        'macOS lists none, and AppleSmartBattery: it does not say whether a battery is installed',
      );
      const odd = registry({ BatteryInstalled: 'yes' });
      expect(whyUnknown({ powerSources: [], registry: odd })).toBe(
        'macOS lists none, and AppleSmartBattery: BatteryInstalled is not a yes or no',
      );
    });

    it.each<[string, Stage]>([
      ['macOS gives no information', { powerInfoFails: true }],
      ['macOS gives no list', { powerListFails: true }],
      ['the list is not a list', { powerSources: {} }],
      ['a source is listed and not described', { powerSources: [null] }],
      ['a source is not a dictionary', { powerSources: ['InternalBattery'] }],
      ['a source does not say what it is', { powerSources: [{}] }],
      ['Type is not a text', { powerSources: [{ ...BATTERY, Type: 1 }] }],
      [
        'Is Present is not a yes or no',
        { powerSources: [{ ...BATTERY, 'Is Present': { $data: '' } }] },
      ],
      ['Max Capacity is not a number', { powerSources: [{ ...BATTERY, 'Max Capacity': '100' }] }],
      [
        'Current Capacity is no whole number',
        { powerSources: [{ ...BATTERY, 'Current Capacity': 0.5 }] },
      ],
      ['Is Charging is not a yes or no', { powerSources: [{ ...BATTERY, 'Is Charging': [] }] }],
      [
        'a source is in the state "Somewhere"',
        { powerSources: [{ ...BATTERY, 'Power Source State': 'Somewhere' }] },
      ],
      [
        'a source is in the state null',
        { powerSources: [{ Type: 'InternalBattery', 'Max Capacity': 100 }] },
      ],
    ])('D9 G3 power is unknown where %s', (reason, stage) => {
      expect(whyUnknown(stage)).toBe(reason);
    });

    it('D9 G3 a UPS on mains, and one that has lost it', () => {
      const desktop = { registry: registry() };
      expect(power({ ...desktop, powerSources: [UPS] })).toMatchObject({
        powerSource: 'ups',
        onBattery: false,
        percent: 80,
        draining: false,
      });
      // A UPS may count in other units than percent.
      const lost = {
        'Power Source State': 'Battery Power',
        'Current Capacity': 3,
        'Max Capacity': 12,
      };
      expect(power({ ...desktop, powerSources: [{ ...UPS, ...lost }] })).toMatchObject({
        powerSource: 'ups',
        onBattery: true,
        percent: 25,
        draining: true,
      });
    });

    it('D9 G3 a laptop behind a UPS is on the UPS when that loses mains, and on itself when unplugged', () => {
      const lost = { ...UPS, 'Power Source State': 'Battery Power', 'Current Capacity': 30 };
      expect(power({ powerSources: [BATTERY, UPS] })).toMatchObject({
        powerSource: 'mains',
        percent: 80,
      });
      expect(power({ powerSources: [BATTERY, lost] })).toMatchObject({
        powerSource: 'ups',
        onBattery: true,
        percent: 30,
      });
      expect(power({ powerSources: [DISCHARGING, lost] })).toMatchObject({
        powerSource: 'battery',
        onBattery: true,
        percent: 80,
      });
    });

    it('D9 G3 two batteries are one, by their size', () => {
      const big = { ...BATTERY, 'Current Capacity': 0, 'Max Capacity': 300, 'Is Charging': false };
      expect(power({ powerSources: [BATTERY, big] })).toMatchObject({
        percent: 20,
        charging: true,
      });
    });

    it('D9 G3 what a battery leaves out is unknown by itself', () => {
      const { 'Current Capacity': _1, 'Is Charging': _2, ...silent } = BATTERY;
      expect(power({ powerSources: [silent] })).toMatchObject({
        powerSource: 'mains',
        percent: 'the battery does not say how full it is',
        charging: 'the battery does not say whether it is charging',
      });
    });

    it('D9 G3 F8 a plugged battery drains after giving power for 30 s, and no longer when it stops', () => {
      const { read, set } = mac({ powerSources: [HELD], registry: current(-800) });
      const draining = (second: number) => read(NOW + second * 1000).draining;
      expect(draining(0)).toMatchObject({ value: false });
      expect(draining(29)).toMatchObject({ value: false });
      expect(draining(30)).toMatchObject({ ok: true, value: true, source: 'AppleSmartBattery' });
      set({ registry: current(-40) }); // held at its limit
      expect(draining(32)).toMatchObject({ value: false });
      set({ registry: current(-800) });
      expect(draining(34)).toMatchObject({ value: false });
      expect(draining(65)).toMatchObject({ value: true });
    });

    it('D9 G3 F8 a time of draining does not count through a stay on battery or a clock set back', () => {
      const { read, set } = mac({ powerSources: [HELD], registry: current(-800) });
      const draining = (second: number) => read(NOW + second * 1000).draining;
      draining(0);
      set({ powerSources: [DISCHARGING] });
      expect(draining(10)).toMatchObject({ value: true });
      set({ powerSources: [HELD] });
      expect(draining(40)).toMatchObject({ value: false });
      expect(draining(-3600)).toMatchObject({ value: false });
      expect(draining(-3570)).toMatchObject({ value: true });
    });

    it.each([
      ['a 16-bit pattern', 65_536 - 800],
      ['a 32-bit pattern', 4_294_967_296 - 800],
      ['64 bits', -800],
    ])('D9 G3 F8 a negative current is understood as %s', (_, amperage) => {
      const { read } = mac({ powerSources: [HELD], registry: current(amperage) });
      read(NOW);
      expect(read(NOW + 30_000).draining).toMatchObject({ value: true });
    });

    it('D9 G3 F8 takes the average current where the present one is not told', () => {
      const average = registry({ BatteryInstalled: true, Amperage: -800 });
      const { read } = mac({ powerSources: [HELD], registry: average });
      read(NOW);
      expect(read(NOW + 30_000).draining).toMatchObject({ value: true });
    });

    it.each<[string, Registry]>([
      ['it is not in the registry', registry()],
      ['it does not tell its current', registry({ BatteryInstalled: true })],
      ['InstantAmperage is not a number', current('800')],
      ['it tells a current of 1000000', current(1_000_000)],
    ])('D9 G3 F8 draining is unknown where the driver fails: %s', (reason, registry) => {
      expect(power({ powerSources: [HELD], registry })).toMatchObject({
        powerSource: 'mains',
        draining: reason,
      });
      // A battery that takes charge does not drain, whatever its driver fails to say.
      expect(power({ powerSources: [BATTERY], registry })).toMatchObject({ draining: false });
    });
  },
);
