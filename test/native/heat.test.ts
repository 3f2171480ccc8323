import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { thermalZones } from '../../native/linux/heat.ts';
import { tree } from './sysfs.ts';

const NOW = 1_780_000_000_000;

interface Zone {
  temp: number | string;
  mode?: string;
  /** Type → temperature, both as the kernel writes them. */
  trips: Record<string, number>;
}

function zonesOf(zones: Zone[]): string {
  return tree({
    'cooling_device0/type': 'Fan',
    ...Object.fromEntries(
      zones.flatMap(({ temp, mode = 'enabled', trips }, number) => {
        const zone = `thermal_zone${number}`;
        return [
          [`${zone}/temp`, temp],
          [`${zone}/mode`, mode],
          ...Object.entries(trips).flatMap(([type, at], trip) => [
            [`${zone}/trip_point_${trip}_type`, type],
            [`${zone}/trip_point_${trip}_temp`, at],
          ]),
        ];
      }),
    ),
  });
}

const LAPTOP = { active: 60_000, passive: 90_000, hot: 98_000, critical: 105_000 };
const at = (temp: number | string, trips: Zone['trips'] = LAPTOP, mode?: string): Zone => ({
  ...{ temp, trips, ...(mode && { mode }) },
});

describe('heat on Linux', () => {
  it.each<[string, Zone[], string]>([
    ['cool', [at(45_000)], 'nominal'],
    ['the fan turns', [at(60_000)], 'fair'],
    ['throttled', [at(91_000)], 'serious'],
    ['about to switch off', [at(98_000)], 'critical'],
    ['the hottest of all counts', [at(45_000), at(93_000), at(61_000)], 'serious'],
    [
      'trip points that are not set',
      [at(45_000, { passive: 0, hot: -274_000, critical: 105_000 })],
      'nominal',
    ],
    ['a zone that is switched off', [at(95_000, LAPTOP, 'disabled'), at(45_000)], 'nominal'],
    ['a sensor that sleeps', [at('', { critical: 100_000 }), at(45_000)], 'nominal'],
  ])('D9 G5 %s', (_, zones, heat) => {
    expect(thermalZones(zonesOf(zones)).read(NOW)).toMatchObject({ ok: true, value: heat });
  });

  it.each<[string, Zone[]]>([
    ['no zones', []],
    ['zones without trip points', [at(45_000, {})]],
    ['sensors that give nothing', [at('')]],
  ])('D9 %s: unknown, and why', (_, zones) => {
    expect(thermalZones(zonesOf(zones)).read(NOW)).toMatchObject({
      ...{ ok: false, reason: 'no sensor tells when it is too hot' },
    });
  });

  it('D9 where there are no thermal zones it says so', () => {
    const root = join(tree({}), 'thermal');
    expect(thermalZones(root).read(NOW)).toMatchObject({ reason: 'it does not exist here' });
  });

  it('D9 a sensor is asked every ten seconds, and at once where the clock goes back', () => {
    const root = zonesOf([at(45_000)]);
    const probe = thermalZones(root);
    const heat = (now: number) => {
      const reading = probe.read(now);
      return reading.ok && reading.value;
    };
    const is = (temp: number) => writeFileSync(join(root, 'thermal_zone0/temp'), `${temp}\n`);
    expect(heat(NOW)).toBe('nominal');
    is(95_000);
    expect(heat(NOW + 9_999)).toBe('nominal');
    expect(heat(NOW + 10_000)).toBe('serious');
    is(45_000);
    expect(heat(NOW)).toBe('nominal');
  });
});
