import type { Push } from './contract.ts';

export interface PushQueue {
  /** Sends the push now, or folds it into what waits while the reader is behind. */
  offer(push: Push): void;
  /** The reader has caught up: sends what waits. */
  drained(): void;
}

/**
 * Keeps one slow reader from filling memory: while `send` says that the reader is behind, later
 * pushes are folded into one. A push replaces whole sections, so the last of each is all that counts.
 */
export function pushQueue(send: (push: Push) => boolean): PushQueue {
  let behind = false;
  let waiting: Push | null = null;
  return {
    offer(push) {
      if (behind) {
        waiting = waiting
          ? { event: push.event, changed: { ...waiting.changed, ...push.changed } }
          : push;
      } else behind = !send(push);
    },
    drained() {
      behind = false;
      const next = waiting;
      waiting = null;
      if (next) behind = !send(next);
    },
  };
}
