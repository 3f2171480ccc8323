import { z } from 'zod';
import type { ReadPort, Shelf } from '../../engine/workers/shelves.ts';
import type { HistoryReader, Remembered } from './history.ts';

/** The name of the shelf that holds what the job's own session remembers. */
export const SESSION = 'session';

/** The shelf, for one session: its turns are one page. */
export function sessionShelf(turns: () => readonly Remembered[]): Shelf {
  return {
    get: () => null,
    page: (after) => (after === '' ? turns() : []),
    count: () => turns().length,
  };
}

const remembered = z.array(z.object({ prompt: z.string(), result: z.string() }));
const MOST = 20;

/** The same, from a worker process. */
export function sessionReader(reads: ReadPort): HistoryReader {
  return async () => remembered.parse(await reads.page(SESSION, '', MOST));
}
