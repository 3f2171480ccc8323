import { toFailure } from '../../base/errors.ts';
import { WorkerFault } from '../workers/fault.ts';
import type { Outcome, YieldCause } from './handler.ts';

/** Between the death of a worker process and the next try. */
const AFTER_DEATH_MS = 2000;

/**
 * The one place where what a handler throws becomes an outcome. `asked` is the cause the run was
 * asked to stop for, if any; `overran` says that its own deadline passed. A full disk is no fault of
 * the work: it waits for space. A worker process that died may have been ended by the system, so the
 * work is tried again from its checkpoint while it has attempts; what a worker did wrong by itself
 * (late, too large, against the protocol) it would do again.
 */
export function outcomeOfThrow(
  error: unknown,
  asked: YieldCause | null,
  overran: { seconds: number } | null,
): Outcome {
  if (overran) return { kind: 'failed', error: `ran longer than its ${overran.seconds} s` };
  if (asked) return { kind: 'yielded', cause: asked };
  if (error instanceof WorkerFault && (error.kind === 'died' || error.kind === 'unstarted')) {
    return { kind: 'retry', error: error.message, afterMs: AFTER_DEATH_MS };
  }
  const { code, message } = toFailure(error);
  if (code === 'disk_full')
    return { kind: 'deferred', code: 'disk-full', reason: message, reviveAt: null };
  const text = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', error: text || 'the handler failed without saying why' };
}
