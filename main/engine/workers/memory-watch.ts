import type { Clock } from '../../base/clock.ts';
import type { WorkerProcess } from './port.ts';

const EVERY_MS = 1000;

/**
 * Looks once a second at the memory a worker holds, and tells once when that is more than it may be;
 * beside V8's own limit, which does not see buffers. Returns the end of the watch.
 */
export function watchMemory(
  clock: Clock,
  worker: Pick<WorkerProcess, 'residentBytes'>,
  mostBytes: number,
  onOver: () => void,
): () => void {
  let stopped = false;
  let cancel = clock.timer(EVERY_MS, look);

  async function look(): Promise<void> {
    const bytes = await worker.residentBytes();
    if (stopped) return;
    if (bytes !== null && bytes > mostBytes) onOver();
    else cancel = clock.timer(EVERY_MS, look);
  }

  return () => {
    stopped = true;
    cancel();
  };
}
