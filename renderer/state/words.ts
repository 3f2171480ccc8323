import type { DraftRow, JobRow } from '../../main/surfaces/contract.ts';

/** How numbers, moments and states are written in the panel. */

export function money(cents: number, currency: string): string {
  return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(cents / 100);
}

/** As the host's own sentences have it: twenty-four hours, wherever the owner lives. */
const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

export function clockTime(at: number): string {
  return new Intl.DateTimeFormat(undefined, TIME).format(at);
}

/** Time of day for today, with the date otherwise. `now` is epoch ms. */
export function moment(at: number, now: number): string {
  if (isSameDay(at, now)) return clockTime(at);
  const format = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', ...TIME });
  return format.format(at);
}

/** `Today`, `Yesterday`, or the date. */
export function day(at: number, now: number): string {
  if (isSameDay(at, now)) return 'Today';
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  if (isSameDay(at, yesterday.getTime())) return 'Yesterday';
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'full' }).format(at);
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
  return `${n.toLocaleString()} ${n === 1 ? one : many}`;
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
