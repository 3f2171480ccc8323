import type { Clock } from '../../base/clock.ts';
import type { Seen } from './residency.ts';
import { idOf, type Named } from './unloading.ts';

export interface IdleParts {
  readonly clock: Clock;
  /** Minutes a model may stay unused; null: for ever. */
  readonly stayMinutes: (one: Seen) => number | null;
  readonly isHeld: (one: Named) => boolean;
  readonly putOut: (one: Seen) => Promise<unknown>;
}

export interface Idle {
  /** What is in memory now: the time of each model of ours begins when it is first seen. */
  note(seen: readonly Seen[]): void;
  /** A call on it has ended: its time begins anew. */
  used(one: Named): void;
  close(): void;
}

/** Keeps the time that models of ours may stay unused, for servers that keep them until told. */
export function idleModels({ clock, stayMinutes, isHeld, putOut }: IdleParts): Idle {
  const timers = new Map<string, { one: Seen; cancel: () => void }>();

  function drop(key: string): void {
    timers.get(key)?.cancel();
    timers.delete(key);
  }

  function arm(one: Seen): void {
    const minutes = stayMinutes(one);
    drop(idOf(one));
    if (minutes === null) return;
    const cancel = clock.timer(minutes * 60_000, () => {
      timers.delete(idOf(one));
      // The end of the call that runs on it begins its time anew.
      if (!isHeld(one)) void putOut(one).catch(() => {});
    });
    timers.set(idOf(one), { one, cancel });
  }

  return {
    note(seen) {
      const kept = seen.filter((one) => one.ours && one.keptByLull);
      const keys = new Set(kept.map(idOf));
      for (const key of timers.keys()) if (!keys.has(key)) drop(key);
      for (const one of kept) if (!timers.has(idOf(one)) && !isHeld(one)) arm(one);
    },
    used(one) {
      const known = timers.get(idOf(one));
      if (known) arm(known.one);
    },
    close() {
      for (const key of timers.keys()) drop(key);
    },
  };
}
