import type { Clock } from '../../base/clock.ts';
import type { Verdict } from '../gates/gate.ts';
import type { ModelPort } from '../models/port.ts';
import { closingCauses } from './closing.ts';
import type { YieldCause } from './handler.ts';
import type { Log } from './ports.ts';
import { backOff } from './wake-plan.ts';

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
  /**
   * Gives back what a heavy job leaves that ran in spite of such a gate, at the owner's word, and what
   * a server still holds that kept it or did not answer: asked anew at a pass, but ever more rarely. To be
   * called with what the worker lane runs, once a pass has started there what it could.
   */
  giveRest(runs: 'heavy' | 'light' | null): void;
}

/** Gives memory back when the owner or a program of theirs needs it, once each time. */
export function memoryBack(
  models: Pick<ModelPort, 'releaseWorker'>,
  clock: Pick<Clock, 'monotonic'>,
  log: Log,
  quit: AbortSignal,
): MemoryBack {
  let owed: YieldCause | null = null;
  let needed: YieldCause | null = null;
  let leaves = false;
  let unsureInARow = 0;
  let askAgainAt = Number.NEGATIVE_INFINITY;

  function askAnew(): void {
    unsureInARow = 0;
    askAgainAt = Number.NEGATIVE_INFINITY;
  }

  function owe(cause: YieldCause): void {
    if (FREES_MEMORY.has(cause)) owed = cause;
  }

  function give(): void {
    if (owed === null) return;
    const cause = owed;
    owed = null;
    leaves = false;
    models.releaseWorker(cause).then(
      (isSure) => {
        if (isSure) return askAnew();
        leaves = true;
        unsureInARow += 1;
        askAgainAt = clock.monotonic() + backOff(unsureInARow);
      },
      (error) => {
        if (!quit.aborted) log.warn({ cause, error: String(error) }, 'memory was not given back');
      },
    );
  }

  return {
    owe,
    give,
    note(verdicts) {
      // The owner may come back while a pause, say, holds heavy work too.
      const cause = closingCauses(verdicts, HEAVY).find((one) => FREES_MEMORY.has(one)) ?? null;
      if (cause !== null && needed === null) owe(cause);
      needed = cause;
    },
    giveRest(runs) {
      if (needed === null || runs === 'heavy') {
        leaves = needed !== null;
        askAnew();
      } else if (runs === null && leaves && clock.monotonic() >= askAgainAt) {
        owe(needed);
        give();
      }
    },
  };
}
