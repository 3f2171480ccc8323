import { type GateInput, holds, type Verdict } from '../gates/gate.ts';
import { ON_MAINS, supplyOf } from '../gates/power.ts';

/** `unknown`: nobody can tell; the owner then counts as here, and the record does not claim it. */
export type PresenceState = 'here' | 'away' | 'unknown';
export type PowerState = 'mains' | 'battery' | 'unknown';

/** What one look at the machine says to the record. */
export interface Sighting {
  /** Epoch ms. */
  now: number;
  presence: PresenceState;
  power: PowerState;
  /** What holds heavy work back, as `gate` or `gate/code`; `open` where nothing does. */
  hold: string;
  /** Battery charge, 0–100; null where there is none or it is unknown. */
  percent: number | null;
}

const HEAVY = { tier: 'synthesis', numCtx: 0, waiver: null } as const;

/** What a look at the gates says to the record. Pure. */
export function sightingOf(look: {
  input: Pick<GateInput, 'now' | 'facts'>;
  verdicts: readonly Verdict[];
}): Sighting {
  const { now, facts } = look.input;
  const presence = look.verdicts.find(({ id }) => id === 'presence');
  const held = look.verdicts.find((one) => one.id !== 'model' && holds(one, HEAVY, null));
  const supply = supplyOf(facts);
  return {
    now,
    presence: presence?.code === 'idle-unknown' ? 'unknown' : presence?.open ? 'away' : 'here',
    power: supply === 'unknown' ? 'unknown' : ON_MAINS.has(supply) ? 'mains' : 'battery',
    hold: held ? holdName(held) : 'open',
    percent: facts.percent,
  };
}

/** Why the owner counts as here does not matter to the record, and changes often. */
function holdName({ id, code }: Verdict): string {
  return id === 'presence' ? id : `${id}/${code}`;
}
