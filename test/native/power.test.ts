import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLowPower, readPower } from '../../native/linux/power.ts';
import { temporaryFolder } from '../support/store.ts';
import { supplies, tree } from './sysfs.ts';

type Supply = Record<string, string | number>;

const plug = (online: number): Supply => ({ type: 'Mains', online });
const battery = (status: string, more: Supply = {}): Supply => ({
  type: 'Battery',
  scope: 'System',
  present: 1,
  status,
  capacity: 63,
  power_now: 8_000_000,
  ...more,
});
const mouse: Supply = { type: 'Battery', scope: 'Device', status: 'Discharging', capacity: 4 };

/** The five facts of a folder; null where unknown. */
function factsOf(entries: Record<string, Supply>) {
  const { powerSource, onBattery, percent, charging, draining } = readPower(supplies(entries));
  return [powerSource, onBattery, percent, charging, draining].map((reading) =>
    reading.ok ? reading.value : null,
  );
}

describe('power supplies of the kernel', () => {
  it.each<[string, Record<string, Supply>, unknown[]]>([
    // powerSource, onBattery, percent, charging, draining
    ['a desktop', {}, ['none', false, null, false, false]],
    ['a desktop with a mouse', { hidpp_0: mouse }, ['none', false, null, false, false]],
    ['a desktop with a plug', { AC: plug(1) }, ['none', false, null, false, false]],
    [
      'an empty bay',
      { BAT0: battery('Unknown', { present: 0 }) },
      ['none', false, null, false, false],
    ],
    [
      'a laptop on battery',
      { AC: plug(0), BAT0: battery('Discharging') },
      ['battery', true, 63, false, true],
    ],
    [
      'a laptop that charges',
      { AC: plug(1), BAT0: battery('Charging') },
      ['mains', false, 63, true, false],
    ],
    ['a full laptop', { AC: plug(1), BAT0: battery('Full') }, ['mains', false, 63, false, false]],
    [
      'a battery held by a charge limit',
      { AC: plug(1), BAT0: battery('Not charging') },
      ['mains', false, 63, false, false],
    ],
    [
      'plugged in but draining',
      { AC: plug(1), BAT0: battery('Discharging') },
      ['mains', false, 63, false, true],
    ],
    [
      'plugged in and draining, by current',
      {
        AC: plug(1),
        BAT0: { type: 'Battery', status: 'Discharging', capacity: 63, current_now: -900_000 },
      },
      ['mains', false, 63, false, true],
    ],
    [
      'held, though its firmware says Discharging',
      { AC: plug(1), BAT0: battery('Discharging', { power_now: 0 }) },
      ['mains', false, 63, false, false],
    ],
    [
      'charged by one of two USB ports',
      {
        'ucsi-source-psy-1': { type: 'USB', online: 0 },
        'ucsi-source-psy-2': { type: 'USB', online: 1 },
        BAT0: battery('Charging'),
      },
      ['mains', false, 63, true, false],
    ],
    [
      'no plug told, discharging',
      { BAT0: battery('Discharging') },
      ['battery', true, 63, false, true],
    ],
    ['no plug told, charging', { BAT0: battery('Charging') }, ['mains', false, 63, true, false]],
    ['no plug told, nothing said', { BAT0: battery('Unknown') }, [null, null, 63, false, null]],
    [
      'plugged in, nothing said',
      { AC: plug(1), BAT0: battery('Unknown') },
      ['mains', false, 63, false, null],
    ],
    [
      'two batteries, one in use, weighed by size',
      {
        AC: plug(0),
        BAT0: battery('Unknown', { capacity: 90, energy_full: 20_000_000 }),
        BAT1: battery('Discharging', { capacity: 30, energy_full: 40_000_000 }),
      },
      ['battery', true, 50, false, true],
    ],
    [
      'two batteries whose sizes are not told',
      {
        AC: plug(1),
        BAT0: battery('Full', { capacity: 100 }),
        BAT1: battery('Charging', { capacity: 50 }),
      },
      ['mains', false, 75, true, false],
    ],
    [
      'a charge that is not told',
      { AC: plug(1), BAT0: { type: 'Battery', status: 'Full' } },
      ['mains', false, null, false, false],
    ],
    [
      'a charge beyond sense',
      { AC: plug(1), BAT0: battery('Full', { capacity: 104 }) },
      ['mains', false, 100, false, false],
    ],
    [
      'a UPS on mains',
      { ups0: { type: 'UPS', status: 'Full', capacity: 100 } },
      ['ups', false, 100, false, false],
    ],
    [
      'a UPS without mains',
      { ups0: { type: 'UPS', status: 'Discharging', capacity: 80 } },
      ['ups', true, 80, false, true],
    ],
    [
      'a UPS that says nothing',
      { ups0: { type: 'UPS', status: 'Unknown', capacity: 80 } },
      [null, null, 80, false, null],
    ],
    [
      'a laptop at a UPS without mains',
      {
        AC: plug(1),
        BAT0: battery('Full'),
        ups0: { type: 'UPS', status: 'Discharging', capacity: 80 },
      },
      ['mains', false, 63, false, true],
    ],
  ])('D9 G3 reads %s', (_name, entries, facts) => {
    expect(factsOf(entries)).toEqual(facts);
  });

  it('D9 G3 a folder that cannot be read is unknown, which is not the same as no battery', () => {
    const missing = join(temporaryFolder(), 'power_supply');
    const unknown = { ok: false, reason: 'it does not exist here', source: missing };
    expect(readPower(missing)).toEqual({
      powerSource: unknown,
      onBattery: unknown,
      percent: unknown,
      charging: unknown,
      draining: unknown,
    });
  });

  it('D9 G3 a supply that does not say what it is makes the whole unknown', () => {
    const root = supplies({ AC: plug(1) });
    mkdirSync(join(root, 'BAT0'));
    expect(readPower(root).powerSource).toMatchObject({
      ok: false,
      reason: `${join(root, 'BAT0', 'type')} cannot be read`,
    });
  });

  it.skipIf(process.getuid?.() === 0)('D9 G3 a folder that is forbidden is unknown', () => {
    const root = supplies({ AC: plug(1) });
    chmodSync(root, 0);
    expect(readPower(root).powerSource).toMatchObject({ reason: 'Lull may not read it' });
    chmodSync(root, 0o700);
  });

  it('D9 G3 says why the percentage or the source is unknown', () => {
    const root = supplies({ BAT0: { type: 'Battery', status: 'Unknown' } });
    expect(readPower(root)).toMatchObject({
      powerSource: { ok: false, reason: 'no plug can be read, and BAT0 is Unknown' },
      percent: { ok: false, reason: 'the battery does not say how full it is' },
      draining: { ok: false, reason: 'the battery does not say what it is doing' },
    });
  });

  it('D9 G5 takes the low-power profile for Low Power Mode', () => {
    const profile = (name: string) => tree({ 'firmware/acpi/platform_profile': name });
    expect(readLowPower(profile('low-power'))).toMatchObject({ ok: true, value: true });
    expect(readLowPower(profile('balanced'))).toMatchObject({ ok: true, value: false });
    expect(readLowPower(temporaryFolder())).toMatchObject({ ok: false });
  });
});
