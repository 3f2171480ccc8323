import { HEAVY_TIERS, TIERS, type Tier } from '../../base/config-schema.ts';
import { exclusiveAppGate } from './exclusive-app.ts';
import type { Admittance, Gate, GateInput, Verdict } from './gate.ts';
import { hoursGate } from './hours.ts';
import { memoryGate } from './memory.ts';
import { modelGate } from './model.ts';
import { pauseGate } from './pause.ts';
import { powerGate } from './power.ts';
import { presenceGate } from './presence.ts';

/** Every gate, in the order in which the first that holds a job gives the reason for it. */
export const GATES: readonly Gate[] = [
  pauseGate,
  powerGate,
  memoryGate,
  hoursGate,
  exclusiveAppGate,
  presenceGate,
  modelGate,
];

/** Asks every gate about one snapshot and unites what they block. */
export function admittance(input: GateInput): Admittance {
  const verdicts = GATES.map((gate) => gate(input));
  const blockedTiers = new Set<Tier>();
  for (const verdict of verdicts) {
    for (const tier of blockedBy(verdict, input.inFlight)) blockedTiers.add(tier);
  }
  return {
    verdicts,
    halted: verdicts.some((verdict) => !verdict.open && verdict.blocks === 'all'),
    blockedTiers,
  };
}

function blockedBy(verdict: Verdict, inFlight: GateInput['inFlight']): Iterable<Tier> {
  if (verdict.open) return [];
  switch (verdict.blocks) {
    case 'none':
      return [];
    case 'heavy':
      return HEAVY_TIERS;
    case 'all':
      return TIERS;
    case 'other-models':
      return TIERS.filter((tier) => tier !== 'pinned' && tier !== inFlight?.key.tier);
  }
}

/** The earliest moment at which the clock alone can change one of these verdicts, epoch ms, or null. */
export function nextChange(verdicts: readonly Verdict[]): number | null {
  const moments = verdicts.map((verdict) => verdict.changesAt).filter((moment) => moment !== null);
  return moments.length > 0 ? Math.min(...moments) : null;
}
