import type { Tier } from '../../base/config-schema.ts';
import type { JobState } from '../../base/store/job-states.ts';

/** Priorities: a smaller number goes first. Aging lifts a waiting job to INTERACTIVE at most. */
export const PRIORITY = { reactive: 0, interactive: 10, default: 50, background: 100 } as const;

/** What counts against which capacity; housekeeping counts against none. */
export type JobClass = 'light' | 'heavy' | 'housekeeping';

/** Where a result belongs: local output, or a channel account and a numeric recipient. */
export interface Route {
  channel: string;
  recipient: string;
}

/** A job as stored. Times are epoch milliseconds; null means "not", never zero. */
export interface Job {
  id: number;
  kind: string;
  tier: Tier;
  /** Context window in tokens; with the tier it is the load key. */
  numCtx: number;
  class: JobClass;
  priority: number;
  state: JobState;
  /** One line for people. */
  title: string;
  payload: unknown;
  /** Identity of what asked for it, unique; null for work without one. */
  source: string | null;
  session: string | null;
  /** Immutable scope, for example a SKU. */
  subject: string | null;
  route: Route;
  /** The job this one tries again. */
  retryOf: number | null;
  /** How many further requests were folded into this one. */
  coalesced: number;
  attempts: number;
  maxAttempts: number;
  uncleanExits: number;
  checkpoint: unknown;
  waiver: Waiver | null;
  result: string | null;
  error: string | null;
  reasonCode: string | null;
  reason: string | null;
  notBefore: number | null;
  expiresAt: number | null;
  reviveAt: number | null;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  claimNo: number;
  claimedByRun: number | null;
  leaseExpiresAt: number | null;
  /** When the owner asked to cancel it while it ran; it ends as cancelled, even after a crash. */
  cancelAskedAt: number | null;
}

/** What "run now" lets one job pass, by the owner's word; never the floor, the RAM ceiling or heat. */
export interface Waiver {
  presence: boolean;
  hours: boolean;
  heavyPause: boolean;
  battery: boolean;
  at: number;
}

export interface NewJob {
  kind: string;
  tier: Tier;
  numCtx: number;
  title: string;
  priority?: number;
  class?: JobClass;
  payload?: unknown;
  source?: string | null;
  session?: string | null;
  subject?: string | null;
  route?: Route;
  retryOf?: number | null;
  maxAttempts?: number;
  notBefore?: number | null;
  expiresAt?: number | null;
}

/** The right to finish one running job: void once the row was claimed anew. */
export interface Claim {
  readonly job: Job;
  readonly id: number;
  readonly claimNo: number;
}

/** (tier, window): what must be resident to run a job. */
export interface LoadKey {
  tier: Tier;
  numCtx: number;
}

export function sameLoadKey(a: LoadKey, b: LoadKey): boolean {
  return a.tier === b.tier && a.numCtx === b.numCtx;
}
