import type { Verdict } from '../gates/gate.ts';
import type { ModelPort } from '../models/port.ts';
import { closingCause } from './closing.ts';
import type { YieldCause } from './handler.ts';
import type { Log } from './ports.ts';

/** When one of these stops heavy work, the machine needs its memory for something else. */
const FREES_MEMORY: ReadonlySet<YieldCause> = new Set([
  'returned',
  'battery',
  'floor',
  'low-power',
  'memory',
  'exclusive-app',
]);
const HEAVY = { tier: 'synthesis', numCtx: 0, waiver: null } as const;

export interface MemoryBack {
  /** Looks whether a gate has just closed for such a cause; an idle model counts like a busy one. */
  note(verdicts: readonly Verdict[]): void;
  /** A job has yielded for this cause. */
  owe(cause: YieldCause): void;
  /** Unloads what Lull loaded, where that is owed; to be called while no worker job runs. */
  give(): void;
}

/** Gives memory back when the owner or a program of theirs needs it, once each time. */
export function memoryBack(
  models: Pick<ModelPort, 'releaseWorker'>,
  log: Log,
  quit: AbortSignal,
): MemoryBack {
  let owed: YieldCause | null = null;
  let wasNeeded = false;

  function owe(cause: YieldCause): void {
    if (FREES_MEMORY.has(cause)) owed = cause;
  }

  return {
    owe,
    note(verdicts) {
      const cause = closingCause(verdicts, HEAVY);
      const isNeeded = cause !== null && FREES_MEMORY.has(cause);
      if (isNeeded && !wasNeeded) owe(cause);
      wasNeeded = isNeeded;
    },
    give() {
      if (owed === null) return;
      const cause = owed;
      owed = null;
      models.releaseWorker(cause).catch((error) => {
        if (!quit.aborted) log.warn({ cause, error: String(error) }, 'memory was not given back');
      });
    },
  };
}
