import { type Config, HEAVY_TIERS, type Tier } from '../../base/config-schema.ts';
import { type Job, type LoadKey, sameLoadKey, type Waiver } from '../queue/job.ts';
import type { Facts } from './facts.ts';

export type GateId = 'pause' | 'power' | 'memory' | 'hours' | 'apps' | 'presence' | 'model';

/** What a closed gate stops: nothing, the heavy tiers, every start, or all but one load key. */
export type Blocks = 'none' | 'heavy' | 'all' | 'other-models';

/** Everything a gate may look at. Gates are pure: the same input has the same verdict, always. */
export interface GateInput {
  facts: Facts;
  /** Wall time of the snapshot, epoch ms. */
  now: number;
  config: Config;
  pauses: { all: { until: number | null } | null; heavy: { until: number | null } | null };
  /** The load key of the model-using job that is out, if any (the pinned tier does not count). */
  inFlight: { key: LoadKey; jobId: number; title: string } | null;
  /** Seconds the machine has been awake since the last wake; null when no wake was seen. */
  awakeSeconds: number | null;
  /** The owner's own word on presence, while it lasts; null when there is none. */
  override: { present: boolean; until: number | null } | null;
}

export interface Verdict {
  id: GateId;
  open: boolean;
  blocks: Blocks;
  /** A stable word for programs, for example `active`, `floor`, `paused`. */
  code: string;
  /** One plain sentence for people; the same for the same facts. */
  reason: string;
  /** What has to happen, as the end of "Waiting for …"; null while open. */
  waitsFor: string | null;
  /** Which part of a job's waiver lets that job pass; null where nothing does. */
  waivedBy: 'presence' | 'hours' | 'heavyPause' | 'battery' | null;
  /** The earliest moment this verdict can change by the clock alone, epoch ms; null when unknown. */
  changesAt: number | null;
}

export type Gate = (input: GateInput) => Verdict;

/** What the claim may take: the tiers that no gate blocks. */
export interface Admittance {
  verdicts: readonly Verdict[];
  /** Nothing at all may start. */
  halted: boolean;
  blockedTiers: ReadonlySet<Tier>;
}

/** Whether a verdict keeps this job from starting (or asks it to stop), its waiver considered. */
export function holds(
  verdict: Verdict,
  job: Pick<Job, 'tier' | 'numCtx' | 'waiver'>,
  inFlight: GateInput['inFlight'],
): boolean {
  if (verdict.open || isWaived(verdict, job.waiver)) return false;
  switch (verdict.blocks) {
    case 'none':
      return false;
    case 'heavy':
      return HEAVY_TIERS.has(job.tier);
    case 'all':
      return true;
    case 'other-models':
      return job.tier !== 'pinned' && !(inFlight && sameLoadKey(inFlight.key, job));
  }
}

function isWaived(verdict: Verdict, waiver: Waiver | null): boolean {
  return waiver !== null && verdict.waivedBy !== null && waiver[verdict.waivedBy];
}

/** The verdict of a gate with nothing against any job. */
export function opened(
  id: GateId,
  code: string,
  reason: string,
  changesAt: number | null = null,
): Verdict {
  return {
    id,
    open: true,
    blocks: 'none',
    code,
    reason,
    waitsFor: null,
    waivedBy: null,
    changesAt,
  };
}
