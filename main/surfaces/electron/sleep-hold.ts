import type { Clock } from '../../base/clock.ts';
import { HEAVY_TIERS } from '../../base/config-schema.ts';
import type { PanelView } from '../contract.ts';

/** Keeps the system from sleeping by itself until the returned function is called. */
export type HoldSleep = (name: string) => () => void;

/** What a hold is called where the system lists them. */
export const HOLD_NAME = 'Lull: heavy work is running on mains';
/** A hold that nobody confirms ends by itself. */
const LONGEST_HOLD_MS = 15 * 60_000;
/** How the power gate names what counts as mains. */
const ON_MAINS: ReadonlySet<string> = new Set(['mains', 'no-battery', 'ups']);

/** Whether sleep may be held off: while a heavy job runs on mains, and only then. */
export function wantsHold({ running, status }: Pick<PanelView, 'running' | 'status'>): boolean {
  const power = status.gates.find(({ id }) => id === 'power');
  const heavy = running.some(({ tier, state }) => state === 'running' && HEAVY_TIERS.has(tier));
  return heavy && power?.open === true && ON_MAINS.has(power.code);
}

export interface SleepHold {
  /** Takes or releases the hold, as this view wants it. */
  follow(view: Pick<PanelView, 'running' | 'status'>): void;
  release(): void;
}

/**
 * `confirm` is asked when a hold has lasted for its whole time: with a view that still wants it the
 * hold begins anew, otherwise, or when no answer comes, it stays released.
 */
export function sleepHold(
  clock: Clock,
  hold: HoldSleep,
  confirm: () => Promise<Pick<PanelView, 'running' | 'status'> | null>,
): SleepHold {
  let held: { end: () => void; cancel: () => void } | null = null;

  function release(): void {
    held?.cancel();
    held?.end();
    held = null;
  }

  function follow(view: Pick<PanelView, 'running' | 'status'>): void {
    if (!wantsHold(view)) release();
    else if (!held) {
      held = { end: hold(HOLD_NAME), cancel: clock.timer(LONGEST_HOLD_MS, renew) };
    }
  }

  function renew(): void {
    release();
    void confirm().then((view) => {
      if (view) follow(view);
    });
  }

  return { follow, release };
}
