/** How often an agent of a roster runs: once a UTC day, or once an ISO week. */
export const CADENCES = ['daily', 'weekly'] as const;
export type Cadence = (typeof CADENCES)[number];

/** One value for each cadence. */
export type ByCadence<T> = Record<Cadence, T>;

export function byCadence<T>(value: (cadence: Cadence) => T): ByCadence<T> {
  return { daily: value('daily'), weekly: value('weekly') };
}
