import type { Clock } from '../base/clock.ts';
import { changedSections } from './view-model/changed-sections.ts';
import type { PanelView } from './view-model/panel.ts';

export interface Publisher {
  /** Something a view shows may have changed: followers are told soon, once for many calls. */
  changed(): void;
  /** Calls `listener` with the sections that changed, until the returned function is called. */
  follow(listener: (changed: Partial<PanelView>) => void): () => void;
  stop(): void;
}

/** Changes in quick succession are told together. */
const GATHER_MS = 50;

/** Tells followers what changed since they were last told; reads nothing while nobody follows. */
export function publisher(
  clock: Clock,
  read: () => PanelView,
  onFault: (error: unknown) => void,
): Publisher {
  const listeners = new Set<(changed: Partial<PanelView>) => void>();
  let last: PanelView | null = null;
  let cancel: (() => void) | null = null;

  function tell(): void {
    cancel = null;
    if (listeners.size === 0) return;
    try {
      const next = read();
      const changed = last ? changedSections(last, next) : next;
      last = next;
      if (!changed) return;
      for (const listener of listeners) {
        try {
          listener(changed);
        } catch (error) {
          onFault(error);
        }
      }
    } catch (error) {
      onFault(error);
    }
  }

  return {
    changed() {
      if (listeners.size > 0) cancel ??= clock.timer(GATHER_MS, tell);
    },
    follow(listener) {
      // What came before the first follower is told whole: nobody knows what that page has seen.
      if (listeners.size === 0) last = null;
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    stop() {
      cancel?.();
      listeners.clear();
    },
  };
}
