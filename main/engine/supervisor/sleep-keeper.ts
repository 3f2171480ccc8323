import { type SystemSleepHold, systemSleepHold } from '../../../native/index.ts';
import type { Clock } from '../../base/clock.ts';
import { HEAVY_TIERS } from '../../base/config-schema.ts';
import { failure, ok, type Result } from '../../base/errors.ts';
import type { Verdict } from '../gates/gate.ts';
import { ON_MAINS } from '../gates/power.ts';
import type { Flight } from './run-job.ts';

/**
 * Keeps the system from going to sleep by itself; the display may. A hold ends by itself a quarter of
 * an hour after it was last taken, and with the process that took it.
 */
export interface SleepHold {
  /** Takes the hold, or takes it anew. `reason` is what the system shows for it. */
  hold(reason: string): void;
  /** Safe where nothing is held. */
  release(): void;
  /** Tries it out: by what sleep is held off, in a sentence, or why it cannot be. Never rejects. */
  check(): Promise<Result<string>>;
}

export interface SleepKeeper {
  /** Takes or releases the hold by what runs now; to be called at each pass. */
  note(flights: readonly Flight[], verdicts: readonly Verdict[]): void;
  release(): void;
}

const REASON = 'Lull: heavy work is running on mains';
/** Well before the hold ends by itself. */
const RENEW_MS = 10 * 60_000;

/**
 * Holds system sleep off while a heavy job runs on mains, and only then: one that was asked to stop
 * (return, pause, battery, quit) holds nothing any more.
 */
export function sleepKeeper(hold: SleepHold, clock: Pick<Clock, 'monotonic'>): SleepKeeper {
  let heldAt: number | null = null;

  function release(): void {
    if (heldAt === null) return;
    heldAt = null;
    hold.release();
  }

  return {
    release,
    note(flights, verdicts) {
      if (!isWanted(flights, verdicts)) return release();
      const now = clock.monotonic();
      if (heldAt !== null && now - heldAt < RENEW_MS) return;
      heldAt = now;
      hold.hold(REASON);
    },
  };
}

function isWanted(flights: readonly Flight[], verdicts: readonly Verdict[]): boolean {
  const power = verdicts.find(({ id }) => id === 'power');
  const onMains = power?.open === true && ON_MAINS.has(power.code as never);
  const works = ({ claim, asked }: Flight) => HEAVY_TIERS.has(claim.job.tier) && asked === null;
  return onMains && flights.some(works);
}

/** The hold where nothing can be held. */
export const NO_HOLD: SleepHold = {
  hold() {},
  release() {},
  check: async () => failure('failed', 'system sleep is not held off here'),
};

/** The hold of the system, as its native helper takes it. */
export function nativeHold(system: SystemSleepHold = systemSleepHold()): SleepHold {
  return {
    hold: system.hold,
    release: system.release,
    async check() {
      const tried = await system.check();
      return tried.ok
        ? ok(`system sleep is held off by ${tried.source} while heavy work runs on mains`)
        : failure(
            'failed',
            `system sleep cannot be held off: ${tried.source}: ${tried.reason}`,
            'heavy work that it interrupts goes on from its checkpoint',
          );
    },
  };
}
