import type { ModelFault } from './server.ts';

export type Treatment =
  /** Try again: an attempt is spent. */
  | { kind: 'retry'; afterMs: number }
  /** Conditions must change first: the attempt is given back. */
  | { kind: 'defer'; afterMs: number }
  /** The same, and no time of day tells when: another key, other settings. */
  | { kind: 'wait' }
  /** Trying again gives the same. */
  | { kind: 'fail' };

const LONGEST_MS = 15 * 60_000;

const RULES: Readonly<Record<ModelFault, { kind: Treatment['kind']; firstMs: number }>> = {
  unreachable: { kind: 'defer', firstMs: 30_000 },
  busy: { kind: 'defer', firstMs: 10_000 },
  loading: { kind: 'defer', firstMs: 10_000 },
  denied: { kind: 'wait', firstMs: 0 },
  out_of_memory: { kind: 'defer', firstMs: 5 * 60_000 },
  aborted: { kind: 'defer', firstMs: 0 },
  truncated: { kind: 'retry', firstMs: 5_000 },
  malformed: { kind: 'retry', firstMs: 1_000 },
  stalled: { kind: 'retry', firstMs: 60_000 },
  server: { kind: 'retry', firstMs: 15_000 },
  not_found: { kind: 'fail', firstMs: 0 },
  unsupported: { kind: 'fail', firstMs: 0 },
  context_too_long: { kind: 'fail', firstMs: 0 },
};

/**
 * What to do about a fault: the wait doubles with each attempt (the first is 1) and never passes
 * 15 minutes. Pure; the caller decides how many attempts a job has.
 */
export function treatment(fault: ModelFault, attempt = 1): Treatment {
  const { kind, firstMs } = RULES[fault];
  if (kind === 'fail' || kind === 'wait') return { kind };
  const afterMs = Math.min(firstMs * 2 ** Math.min(Math.max(attempt, 1) - 1, 20), LONGEST_MS);
  return { kind, afterMs };
}
