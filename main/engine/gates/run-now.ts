import type { Job, Waiver } from '../queue/job.ts';
import { type GateInput, holds, type Verdict } from './gate.ts';
import { listed } from './words.ts';

/** A gate that is closed for a job, and what it says. */
export interface Standing {
  gate: Verdict['id'];
  code: string;
  reason: string;
}

/** What "run now" would do for one waiting job. */
export interface RunNow {
  /** Without the time of the owner's word. */
  waiver: Omit<Waiver, 'at'>;
  /** Closed now, and passed by the owner's word. */
  waives: Standing[];
  /** Closed now, and waited for all the same; `onBattery`: passed where the owner says so. */
  waits: (Standing & { onBattery: boolean })[];
  /** What is waived, now and until the job ends, in words. */
  text: string;
}

/**
 * What the owner's word lets one job pass until it ends: presence, the hours and the pause of heavy
 * work, and battery where they say so. Never the floor, heat, what fits into memory, or one model in
 * flight. Pure.
 */
export function runNow(
  job: Pick<Job, 'tier' | 'numCtx' | 'title'>,
  look: { input: Pick<GateInput, 'inFlight'>; verdicts: readonly Verdict[] },
  onBattery: boolean,
): RunNow {
  const waiver = { presence: true, hours: true, heavyPause: true, battery: onBattery };
  const { inFlight } = look.input;
  const bare = { ...job, waiver: null };
  const waived = { ...job, waiver: { ...waiver, at: 0 } };
  const closed = look.verdicts.filter((verdict) => holds(verdict, bare, inFlight));
  const waits = closed.filter((verdict) => holds(verdict, waived, inFlight));
  const waives = closed.filter((verdict) => !waits.includes(verdict));
  return {
    waiver,
    waives: waives.map(standing),
    waits: waits.map((one) => ({ ...standing(one), onBattery: one.waivedBy === 'battery' })),
    text: inWords(onBattery, waits),
  };
}

function standing({ id, code, reason }: Verdict): Standing {
  return { gate: id, code, reason };
}

function inWords(onBattery: boolean, waits: readonly Verdict[]): string {
  const passes = ['your presence', 'your hours', 'a pause of heavy work'];
  if (onBattery) passes.push('battery power');
  const line = `It runs in spite of ${listed(passes)}, until it ends.`;
  const still = waits.flatMap(({ waitsFor }) => (waitsFor === null ? [] : [waitsFor]));
  return still.length > 0 ? `${line} First it still waits for ${listed(still)}.` : line;
}
