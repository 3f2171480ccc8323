import { type Clock, sleep } from '../../base/clock.ts';
import type { WorkerProcess } from './port.ts';

/** A worker that has said its last ends by itself in this time. */
const LEAVE_MS = 2000;

export interface Leaving {
  /** Ends an overdue or lying worker: SIGTERM, and SIGKILL after the grace. */
  end(worker: WorkerProcess, graceMs: number): void;
  /** Waits a moment for one that has done its work, and ends it when it does not go. */
  letGo(worker: WorkerProcess, graceMs: number): void;
  /** It is gone. */
  gone(worker: WorkerProcess): void;
  /** Ends at once whatever is left, because the host goes; resolves when all are gone, or soon. */
  close(): Promise<void>;
}

/** Workers whose run is over but whose process is not: none of them is waited for by the queue. */
export function leaving(clock: Clock): Leaving {
  const timers = new Map<WorkerProcess, () => void>();
  let emptied: (() => void) | null = null;

  function after(worker: WorkerProcess, ms: number, run: () => void): void {
    timers.get(worker)?.();
    timers.set(worker, clock.timer(ms, run));
  }

  function end(worker: WorkerProcess, graceMs: number): void {
    worker.terminate();
    after(worker, graceMs, worker.kill);
  }

  return {
    end,
    letGo: (worker, graceMs) => after(worker, LEAVE_MS, () => end(worker, graceMs)),
    gone(worker) {
      timers.get(worker)?.();
      timers.delete(worker);
      if (timers.size === 0) emptied?.();
    },
    async close() {
      if (timers.size === 0) return;
      const empty = new Promise<void>((resolve) => {
        emptied = resolve;
      });
      for (const [worker, cancel] of timers) {
        cancel();
        worker.kill();
      }
      await Promise.race([empty, sleep(clock, LEAVE_MS)]);
    },
  };
}
