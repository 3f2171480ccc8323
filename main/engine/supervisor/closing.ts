import { HEAVY_TIERS } from '../../base/config-schema.ts';
import type { Verdict } from '../gates/gate.ts';
import type { Job } from '../queue/job.ts';
import type { YieldCause } from './handler.ts';

/** Gate and code of a closed verdict → the cause a running job is given. */
const CAUSES: Readonly<Record<string, YieldCause>> = {
  'power/floor': 'floor',
  'power/low-power': 'low-power',
  'power/thermal': 'heat',
  power: 'battery',
  memory: 'memory',
  presence: 'returned',
  pause: 'paused',
};

/**
 * Whether the gates ask a running job to stop, and why: the first closed verdict that blocks its tier
 * and that its waiver does not cover. The single-model gate never stops what it let start.
 */
export function closingCause(verdicts: readonly Verdict[], job: Job): YieldCause | null {
  const verdict = verdicts.find((one) => one.id !== 'model' && stops(one, job));
  if (!verdict) return null;
  return CAUSES[`${verdict.id}/${verdict.code}`] ?? CAUSES[verdict.id] ?? 'paused';
}

/** Whether a waived job may start although its tier is blocked: every verdict in its way is waived. */
export function mayPass(verdicts: readonly Verdict[], job: Job): boolean {
  return !verdicts.some((verdict) => stops(verdict, job));
}

function stops(verdict: Verdict, job: Job): boolean {
  if (verdict.open || verdict.blocks === 'none') return false;
  if (verdict.blocks === 'heavy' && !HEAVY_TIERS.has(job.tier)) return false;
  if (verdict.blocks === 'other-models' && job.tier === 'pinned') return false;
  return !covers(job.waiver, verdict);
}

function covers(waiver: Job['waiver'], verdict: Verdict): boolean {
  if (!waiver || verdict.blocks !== 'heavy') return false;
  if (verdict.id === 'presence') return waiver.presence;
  if (verdict.id === 'pause') return waiver.heavyPause;
  return verdict.id === 'power' && verdict.code === 'battery' && waiver.battery;
}
