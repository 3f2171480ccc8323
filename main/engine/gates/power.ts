import type { Facts } from './facts.ts';
import { type GateInput, opened, type Verdict } from './gate.ts';
import { percentInWords } from './words.ts';

/**
 * What the machine lives on. `draining` is plugged in and losing charge all the same; `ups-battery` a
 * UPS without mains. Only `mains`, `no-battery` and `ups` count as mains; `unknown` counts as battery.
 */
export type Supply =
  | 'mains'
  | 'no-battery'
  | 'ups'
  | 'battery'
  | 'draining'
  | 'ups-battery'
  | 'unknown';

export const ON_MAINS: ReadonlySet<Supply> = new Set(['mains', 'no-battery', 'ups']);

/** Where facts contradict each other, the one that says battery is believed. */
export function supplyOf(facts: Facts): Supply {
  const { powerSource, onBattery, draining, charging } = facts;
  if (powerSource === 'ups') {
    if (onBattery || draining) return 'ups-battery';
    return onBattery === false || draining === false || charging ? 'ups' : 'unknown';
  }
  if (powerSource === 'battery' || onBattery) return 'battery';
  if (draining) return powerSource === 'mains' || onBattery === false ? 'draining' : 'battery';
  if (powerSource === 'none') return 'no-battery';
  if (powerSource === 'mains' || onBattery === false || charging) return 'mains';
  return 'unknown';
}

/** The supply with its charge, for the middle of a line: `on mains, 87 %`. */
export function supplyInWords(facts: Facts): string {
  const supply = supplyOf(facts);
  return facts.percent === null || supply === 'no-battery'
    ? SUPPLY[supply].words
    : `${SUPPLY[supply].words}, ${percentInWords(facts.percent)}`;
}

interface SupplyWords {
  words: string;
  /** How the sentence begins; the charge follows it. */
  reason: string;
  /** How heavy work waits on this supply, and for what; empty where it does not. */
  wait: string;
  waitsFor: string;
}

const SUPPLY: Readonly<Record<Supply, SupplyWords>> = {
  mains: { words: 'on mains', reason: 'On mains', wait: '', waitsFor: '' },
  'no-battery': {
    words: 'on mains, no battery',
    reason: 'On mains: this machine has no battery',
    wait: '',
    waitsFor: '',
  },
  ups: {
    words: 'on mains through a UPS',
    reason: 'On mains through a UPS',
    wait: '',
    waitsFor: '',
  },
  battery: {
    words: 'on battery',
    reason: 'On battery',
    wait: 'heavy work waits for mains',
    waitsFor: 'mains',
  },
  draining: {
    words: 'plugged in but losing charge',
    reason: 'Plugged in, but the battery is losing charge',
    wait: 'heavy work waits until it stops',
    waitsFor: 'the battery to stop losing charge',
  },
  'ups-battery': {
    words: 'on UPS battery',
    reason: 'Mains is gone and the UPS is on its battery',
    wait: 'heavy work waits for mains',
    waitsFor: 'mains',
  },
  unknown: {
    words: 'power unknown',
    reason: 'Whether this machine is on mains is unknown, so it counts as on battery',
    wait: 'heavy work waits',
    waitsFor: 'a sign of mains',
  },
};

const HEAT = ['nominal', 'fair', 'serious', 'critical'] as const;

/**
 * Energy and heat. At or below the floor and not on mains nothing starts; then, for heavy work only:
 * heat at the limit, battery, Low Power Mode. Heat is named before battery, because a job that may
 * run on battery by the owner's word may still not run hot.
 */
export function powerGate({ facts, config }: GateInput): Verdict {
  const { power } = config;
  const supply = supplyOf(facts);
  const onMains = ON_MAINS.has(supply);
  const { reason, wait, waitsFor } = SUPPLY[supply];
  const charge = facts.percent === null ? '' : ` (${percentInWords(facts.percent)})`;
  const shed = {
    id: 'power',
    open: false,
    blocks: 'heavy',
    waivedBy: null,
    changesAt: null,
  } as const;

  if (!onMains && facts.percent !== null && facts.percent <= power.floorPercent) {
    const floor = percentInWords(power.floorPercent);
    return {
      ...shed,
      blocks: 'all',
      code: 'floor',
      reason: `The battery is at ${percentInWords(facts.percent)}: at ${floor} or less nothing starts until it charges.`,
      waitsFor: 'the battery to charge',
    };
  }
  if (isHot(facts.thermal, power.thermalLimit)) {
    return {
      ...shed,
      code: 'thermal',
      reason: `The machine is hot (${facts.thermal}, and the limit is ${power.thermalLimit}): heavy work waits until it has cooled.`,
      waitsFor: 'the machine to cool down',
    };
  }
  const isLow = facts.lowPower === true && power.shedInLowPowerMode;
  if (!onMains && power.shedOnBattery) {
    return {
      ...shed,
      code: supply === 'unknown' ? 'power-unknown' : supply,
      reason: `${reason}${charge}${isLow ? ', in Low Power Mode' : ''}: ${wait}.`,
      waitsFor,
      // The word that a job may run on battery says nothing of Low Power Mode.
      waivedBy: isLow ? null : 'battery',
    };
  }
  if (isLow) {
    return {
      ...shed,
      code: 'low-power',
      reason: 'Low Power Mode is on: heavy work waits until it is off.',
      waitsFor: 'Low Power Mode to end',
    };
  }
  if (!onMains) {
    return opened('power', 'battery-allowed', `${reason}${charge}; the settings allow heavy work.`);
  }
  return opened('power', supply, supply === 'no-battery' ? `${reason}.` : `${reason}${charge}.`);
}

function isHot(thermal: Facts['thermal'], limit: GateInput['config']['power']['thermalLimit']) {
  return thermal !== null && limit !== 'off' && HEAT.indexOf(thermal) >= HEAT.indexOf(limit);
}
