import { toFailure } from '../../base/errors.ts';
import type { Outcome, YieldCause } from './handler.ts';

/**
 * The one place where what a handler throws becomes an outcome. `asked` is the cause the run was
 * asked to stop for, if any; `overran` says that its own deadline passed. A full disk is no fault of
 * the work: it waits for space.
 */
export function outcomeOfThrow(
  error: unknown,
  asked: YieldCause | null,
  overran: { seconds: number } | null,
): Outcome {
  if (overran) return { kind: 'failed', error: `ran longer than its ${overran.seconds} s` };
  if (asked) return { kind: 'yielded', cause: asked };
  const { code, message } = toFailure(error);
  if (code === 'disk_full')
    return { kind: 'deferred', code: 'disk-full', reason: message, reviveAt: null };
  const text = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', error: text || 'the handler failed without saying why' };
}
