import type { NoticesTable } from '../base/store/notices.ts';
import { oneLine } from './view-model/text.ts';

/**
 * Everything the owner is told without having asked, and nothing else. Told once per cause: while a
 * notice is open, the same cause is only counted.
 */
export type Cause =
  | { kind: 'disk-full'; what: string }
  | { kind: 'server-unreachable'; server: string; message: string }
  | { kind: 'server-denies'; server: string; message: string }
  | { kind: 'interrupted'; run: number | null; reported: number; requeued: number }
  | { kind: 'given-up'; job: number; title: string }
  | { kind: 'config-broken'; message: string }
  | { kind: 'order-failed'; draft: number; message: string }
  | { kind: 'merge-failed'; draft: number; message: string }
  | { kind: 'job-failed'; title: string; message: string }
  | { kind: 'result-held'; message: string }
  | { kind: 'import-problems'; file: string; skipped: number }
  | { kind: 'condition-problem'; condition: string; message: string }
  | { kind: 'cadence-problem'; message: string }
  /** A backup was put in the place of the database; the sentence tells from when, and what is lost. */
  | { kind: 'restored'; text: string }
  | { kind: 'changes-lost'; log: string }
  | { kind: 'backup-failing'; message: string }
  /** What happened while the owner was away; the sentence is the digest's own. */
  | { kind: 'digest'; text: string };

/** What makes two notices the same one; every Cause is one of these. */
export type CauseIdentity =
  | { kind: 'disk-full' | 'interrupted' | 'config-broken' | 'result-held' | 'digest' }
  | { kind: 'server-unreachable' | 'server-denies'; server: string }
  | { kind: 'restored' | 'changes-lost' | 'backup-failing' | 'cadence-problem' }
  | { kind: 'given-up'; job: number }
  | { kind: 'order-failed'; draft: number }
  | { kind: 'merge-failed'; draft: number }
  | { kind: 'job-failed'; title: string }
  | { kind: 'import-problems'; file: string }
  | { kind: 'condition-problem'; condition: string };

/** The identity of a cause as stored. A job that fails every night by one title is one cause. */
export function causeKey(cause: CauseIdentity): string {
  switch (cause.kind) {
    case 'server-unreachable':
    case 'server-denies':
      return `${cause.kind}:${cause.server}`;
    case 'given-up':
      return `${cause.kind}:${cause.job}`;
    case 'order-failed':
    case 'merge-failed':
      return `${cause.kind}:${cause.draft}`;
    case 'job-failed':
      return `${cause.kind}:${cause.title}`;
    case 'import-problems':
      return `${cause.kind}:${cause.file}`;
    case 'condition-problem':
      return `${cause.kind}:${cause.condition}`;
    default:
      return cause.kind;
  }
}

/** What the owner reads: one line, what happened and what follows from it. */
export function causeText(cause: Cause): string {
  return oneLine(sentence(cause), 400);
}

function sentence(cause: Cause): string {
  switch (cause.kind) {
    case 'disk-full':
      return `The disk is full: ${cause.what}. Free some space; Lull goes on by itself.`;
    case 'server-unreachable':
      return `The model server ${oneLine(cause.server, 100)} cannot be reached: ${cause.message}. Its work waits.`;
    case 'server-denies':
      return `Work for the ${oneLine(cause.server, 100)} model waits: ${cause.message}.`;
    case 'interrupted':
      return interrupted(cause.run, cause.reported, cause.requeued);
    case 'given-up':
      return `"${oneLine(cause.title, 100)}" was running at three unclean exits and is not started again by itself.`;
    case 'config-broken':
      return `${cause.message}. The last valid settings stay in force.`;
    case 'order-failed':
      return `Order ${cause.draft} was approved but not written: ${cause.message}.`;
    case 'merge-failed':
      return `Draft ${cause.draft} was approved but not merged: ${cause.message}.`;
    case 'job-failed':
      return `"${oneLine(cause.title, 100)}" failed: ${cause.message}.`;
    case 'result-held':
      return `A finished result cannot be stored yet: ${cause.message}. It is kept and tried again.`;
    case 'import-problems':
      return `${count(cause.skipped, 'row')} of ${oneLine(cause.file, 100)} could not be imported.`;
    case 'condition-problem':
      return `The watch "${oneLine(cause.condition, 100)}" cannot see its product: ${cause.message}.`;
    case 'changes-lost':
      return `Lull ended without warning, and its last changes could not be read: they are lost. Their log is kept: ${cause.log}.`;
    case 'backup-failing':
      return `No backup has been made for days: ${cause.message}. It is tried every hour.`;
    case 'cadence-problem':
      return `A roster is not gone round: ${cause.message}.`;
    case 'restored':
    case 'digest':
      return cause.text;
  }
}

function interrupted(run: number | null, reported: number, requeued: number): string {
  const parts = [
    reported > 0 &&
      `${count(reported, 'job')} stopped half-way and can be run again from its draft`,
    requeued > 0 && `${count(requeued, 'job')} queued again`,
  ].filter((part) => part !== false);
  return `Lull ended without warning${run === null ? '' : ` in run ${run}`}: ${parts.join('; ')}.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

export interface Notifier {
  /** True when this opened the notice; false when it was open and is only counted. */
  raise(cause: Cause, at: number, draft?: number | null): boolean;
  /** The cause is over: its notice closes by itself. */
  settle(cause: CauseIdentity, at: number): void;
  /** Opens a new notice; an open one of the same cause gives way to it. */
  replace(cause: Cause, at: number): void;
}

export function notifier(table: Pick<NoticesTable, 'raise' | 'settle'>): Notifier {
  return {
    raise: (cause, at, draft = null) => table.raise(causeKey(cause), causeText(cause), at, draft),
    settle: (cause, at) => void table.settle(causeKey(cause), at),
    replace(cause, at) {
      table.settle(causeKey(cause), at);
      table.raise(causeKey(cause), causeText(cause), at);
    },
  };
}
