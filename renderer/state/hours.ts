/** Hours as the config has them: an earlier `to` is one of the next day. */
export interface Hours {
  days?: string[];
  from: string;
  to: string;
  zone?: string;
}

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export const DAY_NAMES: Readonly<Record<string, string>> = {
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
};

/** What a new entry begins with. */
export function newHours(weekly: boolean): Hours {
  return weekly ? { days: [...DAYS], from: '20:00', to: '08:00' } : { from: '22:00', to: '08:00' };
}

/** The value of a setting as entries, and back; no entries are no hours at all. */
export function entriesOf(value: unknown): Hours[] {
  if (Array.isArray(value)) return value as Hours[];
  return typeof value === 'object' && value !== null ? [value as Hours] : [];
}

export function settingOf(entries: readonly Hours[], weekly: boolean): unknown {
  if (entries.length === 0) return null;
  return weekly ? entries : entries[0];
}
