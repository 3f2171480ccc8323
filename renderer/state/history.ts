import type { HistoryRow, JobRow } from '../../main/surfaces/contract.ts';
import type { Client } from '../client.ts';

type State = JobRow['state'];
/** A job in History; what it waited for and took is told of those that have been out. */
export type PastJob = JobRow & Partial<HistoryRow>;

interface Filter {
  id: string;
  name: string;
  /** Null: whatever has been out or has ended. */
  states: readonly State[] | null;
  /** What an empty list means. */
  empty: string;
}

export const FILTERS: readonly [Filter, ...Filter[]] = [
  {
    id: 'ran',
    name: 'what ran',
    states: null,
    empty:
      'Nothing has run yet. Each job is kept here with its story: why it waited, when it gave way, what it took.',
  },
  { id: 'waiting', name: 'waiting', states: ['queued', 'deferred'], empty: 'Nothing waits.' },
  { id: 'failed', name: 'failed', states: ['failed'], empty: 'Nothing has failed.' },
  { id: 'missed', name: 'missed', states: ['missed'], empty: 'Nothing was missed.' },
  { id: 'cancelled', name: 'cancelled', states: ['cancelled'], empty: 'Nothing was cancelled.' },
];

/**
 * Pages of jobs, the newest first. The host lists one state at a time: a page of each is asked for,
 * and the newest of them are the page.
 */
export function jobPages(client: Client, states: readonly State[] | null) {
  return async (last: PastJob | undefined, limit: number): Promise<PastJob[]> => {
    const page = { limit, ...(last ? { before: last.id } : {}) };
    if (states === null) return client.call('jobs.history', page);
    const pages = await Promise.all(
      states.map((state) => client.call('jobs.list', { state, ...page })),
    );
    return pages
      .flat()
      .sort((a, b) => b.id - a.id)
      .slice(0, limit);
  };
}

/** What is known of one job's past, or null where it has not been out yet. */
export async function pastOf(client: Client, id: number): Promise<HistoryRow | null> {
  const [row] = await client.call('jobs.history', { before: id + 1, limit: 1 });
  return row?.id === id ? row : null;
}
