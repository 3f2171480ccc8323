import type { MachineReadings } from '../machine.ts';
import { attempt, known, type Reading, unknown } from '../reading.ts';
import type { PowerSource } from './power-sources.ts';
import { SMART_BATTERY, type SmartBattery } from './smart-battery.ts';

export type PowerReadings = Pick<
  MachineReadings,
  'powerSource' | 'onBattery' | 'percent' | 'charging' | 'draining'
>;

const SOURCE = 'power sources';

/** A current under this, in mA, is a battery that is held, not one that gives power. Ours. */
const DRAIN_MILLIAMPERES = -100;
/** Plugged in, a battery drains when it gave power at two readings this far apart, in ms. Ours. */
const DRAIN_MS = 30_000;

export interface Power {
  /** `now` is wall time, epoch ms. */
  read(now: number): PowerReadings;
}

/**
 * The supply, its charge and what it does. A machine without a battery is told apart from one whose
 * sources could not be read by the battery's driver.
 */
export function power(list: () => PowerSource[], battery: SmartBattery): Power {
  let losingSince: number | null = null;

  /** A weak plug, or work that takes more than it gives, drains the battery all the same. */
  function drainsPlugged(now: number, charging: boolean | null): Reading<boolean> {
    const current = attempt(SMART_BATTERY, () => known(SMART_BATTERY, battery.milliamperes()));
    if (!current.ok) {
      losingSince = null;
      return charging ? known(SOURCE, false) : current;
    }
    if (current.value >= DRAIN_MILLIAMPERES) losingSince = null;
    else if (losingSince === null || losingSince > now) losingSince = now;
    return known(SMART_BATTERY, losingSince !== null && now - losingSince >= DRAIN_MS);
  }

  function drainingOf(supply: Supply, now: number): Reading<boolean> {
    if (!supply.plugged) losingSince = null;
    if (!supply.plugged) return known(SOURCE, true);
    if (supply.kind === 'ups') return known(SOURCE, false);
    return drainsPlugged(now, supply.charging);
  }

  return {
    read(now) {
      const sources = attempt<PowerSource[]>(SOURCE, () => known(SOURCE, list()));
      if (!sources.ok) return all(sources);
      const supply = supplyOf(sources.value);
      if (supply === null) return withoutSources(battery);
      const { kind, plugged, percent, charging } = supply;
      return {
        powerSource: known(SOURCE, kind === 'ups' ? 'ups' : plugged ? 'mains' : 'battery'),
        onBattery: known(SOURCE, !plugged),
        percent: percent === null ? unknown(SOURCE, NO_CHARGE) : known(SOURCE, percent),
        charging: charging === null ? unknown(SOURCE, NO_WORD) : known(SOURCE, charging),
        draining: drainingOf(supply, now),
      };
    },
  };
}

const NO_CHARGE = 'the battery does not say how full it is';
const NO_WORD = 'the battery does not say whether it is charging';

type Supply = Omit<PowerSource, 'size'>;

/**
 * What the machine lives on: its own batteries, unless the UPS before them has lost mains, or there
 * are none. Null where there is no source at all.
 */
function supplyOf(sources: readonly PowerSource[]): Supply | null {
  const ofKind = (kind: PowerSource['kind']) => sources.filter((source) => source.kind === kind);
  const [batteries, upses] = [ofKind('battery'), ofKind('ups')];
  const plugged = batteries.every((battery) => battery.plugged);
  const lost = upses.filter((ups) => !ups.plugged);
  if (batteries.length > 0 && (!plugged || lost.length === 0)) return together(batteries);
  if (lost.length > 0) return together(lost);
  return upses.length > 0 ? together(upses) : null;
}

function together(sources: readonly PowerSource[]): Supply {
  const told = sources.filter(({ percent }) => percent !== null);
  const size = told.reduce((sum, source) => sum + source.size, 0);
  const charge = told.reduce((sum, source) => sum + (source.percent as number) * source.size, 0);
  const charging = sources.map((source) => source.charging);
  return {
    kind: sources[0]?.kind ?? 'battery',
    plugged: sources.every((source) => source.plugged),
    percent: told.length === 0 ? null : charge / size,
    charging: charging.includes(true) ? true : charging.includes(false) ? false : null,
  };
}

/** An empty list is what a desktop gives, and what a failure looks like. */
function withoutSources(battery: SmartBattery): PowerReadings {
  const installed = attempt(SMART_BATTERY, () => known(SMART_BATTERY, battery.installed()));
  const source = `${SOURCE}, ${SMART_BATTERY}`;
  if (!installed.ok) {
    return all(unknown(source, `macOS lists none, and ${SMART_BATTERY}: ${installed.reason}`));
  }
  if (installed.value)
    return all(unknown(source, 'macOS lists none, though a battery is installed'));
  return {
    powerSource: known(source, 'none'),
    onBattery: known(source, false),
    percent: unknown(source, 'there is no battery'),
    charging: known(source, false),
    draining: known(source, false),
  };
}

function all(nothing: ReturnType<typeof unknown>): PowerReadings {
  return {
    powerSource: nothing,
    onBattery: nothing,
    percent: nothing,
    charging: nothing,
    draining: nothing,
  };
}
