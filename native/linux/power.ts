import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, known, type Reading, unknown } from '../reading.ts';

export interface PowerReadings {
  powerSource: Reading<'mains' | 'battery' | 'ups' | 'none'>;
  onBattery: Reading<boolean>;
  percent: Reading<number>;
  charging: Reading<boolean>;
  draining: Reading<boolean>;
}

/** One entry of the kernel's power supply class, as far as it matters here. */
interface Supply {
  name: string;
  type: string;
  /** For batteries and UPSes: Charging, Discharging, Not charging, Full, Unknown. */
  status: string | null;
  /** For plugs: whether they give power. */
  online: boolean | null;
  percent: number | null;
  /** Energy when full, in one unit for all batteries of a machine; null where not told. */
  full: number | null;
  /** Power or current now, its size only: the sign differs between drivers. */
  rate: number | null;
}

/** `/sys/class/power_supply` (kernel ABI, sysfs-class-power). `root` is that folder. */
export function readPower(root: string): PowerReadings {
  const source = root;
  const read = attempt<Supply[]>(source, () => known(source, supplies(root)));
  if (!read.ok) {
    return {
      powerSource: read,
      onBattery: read,
      percent: read,
      charging: read,
      draining: read,
    };
  }
  const ofType = (type: string) => read.value.filter((supply) => supply.type === type);
  const [batteries, upses] = [ofType('Battery'), ofType('UPS')];
  if (batteries.length === 0 && upses.length === 0) return withoutBattery(source);
  const stores = batteries.length > 0 ? batteries : upses;
  const plugged = pluggedIn(read.value.filter(({ type }) => !STORES.has(type)));
  const { powerSource, onBattery } = suppliedBy(stores, plugged, source);
  const charging = stores.some(({ status }) => status === 'Charging');
  return {
    powerSource: batteries.length === 0 && powerSource.ok ? known(source, 'ups') : powerSource,
    onBattery,
    percent: percentOf(stores, source),
    charging: known(source, charging),
    draining: drainingOf([...batteries, ...upses], source),
  };
}

const STORES: ReadonlySet<string> = new Set(['Battery', 'UPS']);

function withoutBattery(source: string): PowerReadings {
  return {
    powerSource: known(source, 'none'),
    onBattery: known(source, false),
    percent: unknown(source, 'there is no battery'),
    charging: known(source, false),
    draining: known(source, false),
  };
}

/** Whether any plug gives power; null where no plug is known or none can be read. */
function pluggedIn(plugs: readonly Supply[]): boolean | null {
  if (plugs.some(({ online }) => online)) return true;
  return plugs.some(({ online }) => online === false) ? false : null;
}

/** The plug decides where it can be read; otherwise what the batteries are doing. */
function suppliedBy(
  stores: readonly Supply[],
  plugged: boolean | null,
  source: string,
): Pick<PowerReadings, 'powerSource' | 'onBattery'> {
  const supplied = plugged ?? suppliedByStatus(stores);
  if (supplied === null) {
    const statuses = stores.map(({ name, status }) => `${name} is ${status ?? 'silent'}`);
    const nothing = unknown(source, `no plug can be read, and ${statuses.join(', ')}`);
    return { powerSource: nothing, onBattery: nothing };
  }
  return {
    powerSource: known(source, supplied ? 'mains' : 'battery'),
    onBattery: known(source, !supplied),
  };
}

function suppliedByStatus(stores: readonly Supply[]): boolean | null {
  if (stores.some(({ status }) => status === 'Discharging')) return false;
  const held = new Set(['Charging', 'Full', 'Not charging']);
  return stores.some(({ status }) => status !== null && held.has(status)) ? true : null;
}

/** Some firmware says Discharging at a rate of zero for a battery it merely holds. */
function drainingOf(stores: readonly Supply[], source: string): Reading<boolean> {
  if (stores.every(({ status }) => status === null || status === 'Unknown')) {
    return unknown(source, 'the battery does not say what it is doing');
  }
  const emptying = stores.some(({ status, rate }) => status === 'Discharging' && rate !== 0);
  return known(source, emptying);
}

/** The charge over all batteries, weighed by their size where all of them tell it. */
function percentOf(stores: readonly Supply[], source: string): Reading<number> {
  const told = stores.filter((store) => store.percent !== null);
  if (told.length === 0) return unknown(source, 'the battery does not say how full it is');
  const weighed = told.every(({ full }) => full !== null && full > 0);
  let charge = 0;
  let size = 0;
  for (const store of told) {
    const weight = weighed ? (store.full as number) : 1;
    charge += (store.percent as number) * weight;
    size += weight;
  }
  return known(source, charge / size);
}

function supplies(root: string): Supply[] {
  return readdirSync(root)
    .map((name) => supply(root, name))
    .filter((found) => found !== null);
}

/** Null for what does not power this machine (a mouse), and for an empty bay. */
function supply(root: string, name: string): Supply | null {
  const text = (file: string): string | null => {
    try {
      return readFileSync(join(root, name, file), 'utf8').trim();
    } catch {
      return null;
    }
  };
  const number = (file: string): number | null => {
    const value = text(file);
    return value !== null && /^-?\d+$/.test(value) ? Number(value) : null;
  };
  const type = text('type');
  if (type === null) throw new Error(`${join(root, name, 'type')} cannot be read`);
  if (text('scope') === 'Device' || number('present') === 0) return null;
  const store = STORES.has(type);
  const percent = store ? number('capacity') : null;
  const rate = number('power_now') ?? number('current_now');
  return {
    name,
    type,
    status: store ? text('status') : null,
    online: store ? null : flag(number('online')),
    percent: percent === null ? null : Math.min(100, Math.max(0, percent)),
    full: number('energy_full') ?? number('charge_full'),
    rate: rate === null ? null : Math.abs(rate),
  };
}

function flag(value: number | null): boolean | null {
  return value === null ? null : value > 0;
}

/** The firmware's platform profile, where `low-power` is the owner's wish to save. `sys` is `/sys`. */
export function readLowPower(sys: string): Reading<boolean> {
  const file = join(sys, 'firmware/acpi/platform_profile');
  return attempt(file, () => known(file, readFileSync(file, 'utf8').trim() === 'low-power'));
}
