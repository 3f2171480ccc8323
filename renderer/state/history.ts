import type { JobRow } from '../../main/surfaces/contract.ts';
import type { Client } from '../client.ts';

type State = JobRow['state'];

interface Filter {
  id: string;
  name: string;
  states: readonly State[];
  /** What an empty list means. */
  empty: string;
}

export const FILTERS: readonly [Filter, ...Filter[]] = [
  {
    id: 'ended',
    name: 'what ran',
    states: ['done', 'failed', 'cancelled', 'missed'],
    empty: 'Nothing has run yet. Each job that ends is kept here with its story, for 90 days.',
  },
  {
    id: 'waiting',
    name: 'waiting',
    states: ['queued', 'deferred'],
    empty: 'Nothing waits.',
  },
  { id: 'failed', name: 'failed', states: ['failed'], empty: 'Nothing has failed.' },
  { id: 'missed', name: 'missed', states: ['missed'], empty: 'Nothing was missed.' },
  { id: 'cancelled', name: 'cancelled', states: ['cancelled'], empty: 'Nothing was cancelled.' },
];

/**
 * Pages of jobs in any of some states, the newest first. The host lists one state at a time: a page of
 * each is asked for, and the newest of them are the page.
 */
export function jobPages(client: Client, states: readonly State[]) {
  return async (last: JobRow | undefined, limit: number): Promise<JobRow[]> => {
    const pages = await Promise.all(
      states.map((state) =>
        client.call('jobs.list', { state, limit, ...(last ? { before: last.id } : {}) }),
      ),
    );
    return pages
      .flat()
      .sort((a, b) => b.id - a.id)
      .slice(0, limit);
  };
}
