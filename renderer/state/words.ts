import type { DraftRow, JobRow } from '../../main/surfaces/contract.ts';

/**
 * How numbers, moments and states are written in the panel: as the host writes them in its own
 * sentences, so that one thing reads the same everywhere. (A first formatter of the browser's own
 * would also cost more than the rest of a small page.)
 */

/** `$1,234.50`, `€15.00`, as in the host's own sentences; integer cents. */
export function money(cents: number, currency: string): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const [whole, rest] = [digits.slice(0, -2), digits.slice(-2)];
  const sign = cents < 0 ? '-' : '';
  if (currency === 'USD') return `${sign}$${number(Number(whole))}.${rest}`;
  return formatOf(currency).format(`${sign}${whole}.${rest}` as `${number}`);
}

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string): Intl.NumberFormat {
  const known = formats.get(currency);
  if (known) return known;
  const two = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency, ...two });
  formats.set(currency, format);
  return format;
}

/** `10,000`. */
export function number(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `17.3 GB`, decimal, as in the host's own sentences. */
export function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** `422 kB`, `1.3 MB`, decimal, as the command line says it. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `07:05`. */
export function clockTime(at: number): string {
  const when = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(when.getHours())}:${two(when.getMinutes())}`;
}

/** Time of day for today, with the date otherwise: `3 Dec 07:05`. `now` is epoch ms. */
export function moment(at: number, now: number): string {
  if (isSameDay(at, now)) return clockTime(at);
  return `${date(at, now)} ${clockTime(at)}`;
}

/** `Today`, `Yesterday`, or `Monday, 30 Nov`. */
export function day(at: number, now: number): string {
  if (isSameDay(at, now)) return 'Today';
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  if (isSameDay(at, yesterday.getTime())) return 'Yesterday';
  return `${DAYS[new Date(at).getDay()]}, ${date(at, now)}`;
}

function date(at: number, now: number): string {
  const when = new Date(at);
  const year = when.getFullYear() === new Date(now).getFullYear() ? '' : ` ${when.getFullYear()}`;
  return `${when.getDate()} ${MONTHS[when.getMonth()]}${year}`;
}

function isSameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

/** A span in its two largest units: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`; `under 0.1 s`. */
export function span(ms: number): string {
  if (ms < 100) return 'under 0.1 s';
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return pair(minutes, 'min', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return pair(hours, 'h', minutes % 60, 'min');
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function pair(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

export const DRAFT_STATE: Readonly<Record<DraftRow['state'], string>> = {
  pending: 'waits for you',
  approved: 'being carried out',
  applied: 'approved',
  'apply-failed': 'not carried out',
  dismissed: 'dismissed',
  superseded: 'replaced',
};

export const DRAFT_KIND: Readonly<Record<DraftRow['kind'], string>> = {
  order: 'order',
  text: 'text, not checked',
  report: 'report',
  cycle: 'cycle',
};

export const JOB_STATE: Readonly<Record<JobRow['state'], string>> = {
  queued: 'waiting',
  running: 'running',
  deferred: 'put off',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  missed: 'missed',
};
