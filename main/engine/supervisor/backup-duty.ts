import type { Clock } from '../../base/clock.ts';
import type { Duty } from './ports.ts';

const DAY_MS = 86_400_000;
/** A host that has just started has better things to do. */
const FIRST_LOOK_MS = 600_000;
const TRY_AGAIN_MS = 3_600_000;
/** Without a good one for so long, the owner is told. */
const OVERDUE_MS = 3 * DAY_MS;

export interface BackupDutyParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** When the last one was made, epoch ms; null where none was. */
  readonly newestAt: () => number | null;
  readonly make: () => Promise<unknown>;
  /** Nothing runs. */
  readonly idle: () => boolean;
  /** One was made (null), or could not be; `overdue` when it has been missing for days. */
  readonly onMade: (error: unknown | null, overdue: boolean) => void;
}

export interface BackupDuty extends Duty {
  /** Resolves when none is under way. */
  settled(): Promise<void>;
}

/**
 * A backup a day, made while nothing runs. It follows the re-read of durable state and never wakes the
 * machine by itself. One that fails is tried again within the hour.
 */
export function backupDuty(parts: BackupDutyParts): BackupDuty {
  const { clock } = parts;
  const startedAt = clock.now();
  let look = clock.monotonic() + FIRST_LOOK_MS;
  let under: Promise<void> | null = null;

  async function make(last: number | null): Promise<void> {
    try {
      await parts.make();
      parts.onMade(null, false);
    } catch (error) {
      look = clock.monotonic() + TRY_AGAIN_MS;
      parts.onMade(error, clock.now() - (last ?? startedAt) >= OVERDUE_MS);
    } finally {
      under = null;
    }
  }

  return {
    name: 'backup',
    nextDueAt: () => null,
    runOnce(now) {
      if (under || clock.monotonic() < look || !parts.idle()) return 0;
      const last = parts.newestAt();
      // A date in the future was written under a clock that was wrong: it says nothing.
      if (last !== null && now - last < DAY_MS && last <= now) {
        look = clock.monotonic() + FIRST_LOOK_MS;
        return 0;
      }
      under = make(last);
      return 0;
    },
    settled: async () => void (await under),
  };
}
