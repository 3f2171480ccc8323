import type { Config, Tier } from '../../base/config-schema.ts';
import type { LoadKey } from '../queue/job.ts';
import type { Facts } from './facts.ts';

export type GateId = 'power' | 'pause' | 'presence' | 'model';

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
  /** A stable word for programs, for example `present`, `floor`, `paused`. */
  code: string;
  /** One plain sentence for people; the same for the same facts. */
  reason: string;
  /** The earliest moment this verdict can change by the clock alone, epoch ms; null when unknown. */
  changesAt: number | null;
}

export type Gate = (input: GateInput) => Verdict;

/** What the claim may take: tiers that no gate blocks, for a job with the given waiver. */
export interface Admittance {
  verdicts: readonly Verdict[];
  /** Nothing at all may start. */
  halted: boolean;
  blockedTiers: ReadonlySet<Tier>;
}
