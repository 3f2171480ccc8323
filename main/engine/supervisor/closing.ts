import { holds, type Verdict } from '../gates/gate.ts';
import type { Job } from '../queue/job.ts';
import type { YieldCause } from './handler.ts';

/** Gate (and code, where it matters) of a closed verdict → the cause a running job is given. */
const CAUSES: Readonly<Record<string, YieldCause>> = {
  'power/floor': 'floor',
  'power/low-power': 'low-power',
  'power/thermal': 'heat',
  power: 'battery',
  memory: 'memory',
  hours: 'hours',
  apps: 'exclusive-app',
  presence: 'returned',
  pause: 'paused',
};

/**
 * Whether the gates ask a running job to stop, and why: the first closed verdict that holds it. The
 * single-model gate is about starts: it never stops what it let start.
 */
export function closingCause(
  verdicts: readonly Verdict[],
  job: Pick<Job, 'tier' | 'numCtx' | 'waiver'>,
): YieldCause | null {
  return closingCauses(verdicts, job)[0] ?? null;
}

/** The same of every closed verdict that holds it. */
export function closingCauses(
  verdicts: readonly Verdict[],
  job: Pick<Job, 'tier' | 'numCtx' | 'waiver'>,
): YieldCause[] {
  return verdicts
    .filter((one) => one.id !== 'model' && holds(one, job, null))
    .map(({ id, code }) => CAUSES[`${id}/${code}`] ?? CAUSES[id] ?? 'paused');
}
