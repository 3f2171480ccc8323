import { describe, expect, it } from 'vitest';
import { readAvailable, readPressure } from '../../native/linux/memory.ts';
import { tree } from './sysfs.ts';

const pressure = (some: string, full: string) =>
  tree({
    'pressure/memory': `some avg10=${some} avg60=0.00 avg300=0.00 total=1\nfull avg10=${full} avg60=0.00 avg300=0.00 total=0`,
  });

describe('memory by the kernel', () => {
  it('D9 G5 available memory is in decimal gigabytes', () => {
    const proc = tree({
      meminfo: 'MemTotal:       32000000 kB\nMemFree: 1 kB\nMemAvailable:   15625000 kB',
    });
    expect(readAvailable(proc)).toMatchObject({ ok: true, value: 16 });
    const real = readAvailable('/proc');
    expect(real.ok && real.value > 0 && real.value < 100_000).toBe(true);
  });

  it.each([
    ['0.00', '0.00', 'normal'],
    ['9.99', '3.00', 'normal'],
    ['10.00', '0.00', 'warn'],
    ['60.10', '9.99', 'warn'],
    ['60.10', '10.00', 'critical'],
  ])('D9 G5 some tasks waiting %s %% and all %s %% is %s', (some, full, level) => {
    expect(readPressure(pressure(some, full))).toMatchObject({ ok: true, value: level });
  });

  it('D9 G5 what is missing or unreadable is unknown, with the reason', () => {
    const empty = tree({ meminfo: 'MemTotal: 1 kB', 'pressure/memory': 'nothing' });
    expect(readAvailable(empty)).toEqual({
      ok: false,
      reason: `${empty}/meminfo does not name MemAvailable`,
      source: `${empty}/meminfo`,
    });
    expect(readPressure(empty)).toMatchObject({ ok: false });
    expect(readPressure('/nowhere')).toMatchObject({ reason: 'it does not exist here' });
  });
});
