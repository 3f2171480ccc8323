import type { Tier } from '../../../base/config-schema.ts';
import { LullError } from '../../../base/errors.ts';
import type { DueCursor, SchedulesTable, StoredSchedule } from '../../../base/store/schedules.ts';
import { type Admit, type Decision, titleOf } from '../work-request.ts';
import { type MissedPolicy, type Plan, type PlannedJob, planMissed } from './missed.ts';
import { droppedBetween, LAST_INSTANT, type Rule } from './rule.ts';

export interface ClockPassParts {
  /** Runs `work` in one immediate transaction. */
  tx<T>(work: () => T): T;
  schedules: SchedulesTable;
  /** Records what happened, in the transaction. `job` is the job it is about, or null. */
  record(at: number, kind: string, job: number | null, payload: object): void;
  /** Whether everything is paused; asked inside the transaction. */
  paused(now: number): boolean;
  admit: Admit;
  /** Whether a gate keeps jobs of this tier from starting now. */
  held(tier: Tier): boolean;
  /**
   * Counts `occurrences` more onto a job that has not started yet, and moves its latest start to
   * `expiresAt` where that is not null. False, with nothing changed, when the job no longer waits.
   */
  countOnto(job: number, occurrences: number, expiresAt: number | null): boolean;
}

export interface PassResult {
  /** Jobs admitted, in order. */
  admitted: number[];
  /** Schedules that moved on. */
  moved: number;
  /** Due rows were left for the next pass. */
  more: boolean;
}

export type ClockPass = (now: number, maximum?: number) => PassResult;

/**
 * The clock's pass. In one transaction it takes up to `maximum` (1 to 1000) due schedules, oldest due
 * time first, asks admission for at most as many jobs, and moves each schedule on by exactly what was
 * decided. While everything is paused, due work stays due; where the queue is full, it stays due and
 * `wake.job.deferred` is recorded once. An occurrence that falls due while an earlier one still waits
 * in a tier that a gate holds is counted onto that job, unless the policy is replay.
 *
 * A pass that was cut short is followed by one that starts behind it, so that schedules which cannot
 * be admitted never hide the ones after them.
 */
export function createClockPass(parts: ClockPassParts): ClockPass {
  let cursor: DueCursor | null = null;
  return (now, maximum = 100) => {
    if (!Number.isInteger(now) || now < 0 || now > LAST_INSTANT) {
      throw new LullError('invalid', `a pass at ${now} is at no moment`);
    }
    if (!Number.isInteger(maximum) || maximum < 1 || maximum > 1000) {
      throw new LullError('invalid', `a pass of ${maximum} must be one of 1 to 1000`);
    }
    const result = parts.tx(() =>
      parts.paused(now) ? IDLE : takeDue(parts, now, maximum, cursor),
    );
    cursor = result.more ? result.cursor : null;
    return { admitted: result.admitted, moved: result.moved, more: result.more };
  };
}

type Taken = PassResult & { cursor: DueCursor | null };
const IDLE: Taken = { admitted: [], moved: 0, more: false, cursor: null };

function takeDue(
  parts: ClockPassParts,
  now: number,
  maximum: number,
  from: DueCursor | null,
): Taken {
  const rows = parts.schedules.due(now, from, maximum);
  const admitted: number[] = [];
  let moved = 0;
  let cursor = from;
  for (const row of rows) {
    const room = maximum - admitted.length;
    if (room === 0) return { admitted, moved, more: true, cursor };
    const taken = takeOne(parts, row, now, room);
    admitted.push(...taken.jobs);
    if (taken.moved) moved += 1;
    if (taken.cut) return { admitted, moved, more: true, cursor };
    cursor = { nextDue: row.nextDue as number, id: row.id };
  }
  return { admitted, moved, more: rows.length === maximum, cursor };
}

interface TakenOne {
  jobs: number[];
  moved: boolean;
  /** Jobs of this schedule were left for the next pass. */
  cut: boolean;
}

function takeOne(parts: ClockPassParts, row: StoredSchedule, now: number, room: number): TakenOne {
  const rule = JSON.parse(row.rule) as Rule;
  const policy = JSON.parse(row.missed) as MissedPolicy;
  const due = row.nextDue as number;
  const plan = planMissed(rule, policy, due, now);
  const move = { parts, row, rule, policy, now, due };
  if (policy.kind !== 'replay' && fold(move, plan)) return { jobs: [], moved: true, cut: false };

  const jobs: number[] = [];
  for (const [index, planned] of plan.admit.entries()) {
    const decision = index < room ? parts.admit(requestOf(row, planned)) : null;
    if (!decision || decision.outcome === 'refused') {
      // What was decided so far stands; this occurrence is the next one due.
      if (index > 0) pass(move, planned.due, 0, plan.missed);
      if (decision && (index > 0 || row.deferred === 0)) {
        parts.schedules.defer(row.id);
        parts.record(now, 'wake.job.deferred', null, { job: row.id });
      }
      return { jobs, moved: index > 0, cut: !decision };
    }
    const next = plan.admit[index + 1]?.due ?? plan.next;
    if (take(move, planned, decision, next)) jobs.push(decision.job.id);
  }
  pass(move, plan.next, 0, plan.missed);
  return { jobs, moved: true, cut: false };
}

interface Move {
  parts: ClockPassParts;
  row: StoredSchedule;
  rule: Rule;
  policy: MissedPolicy;
  now: number;
  due: number;
}

/** Counts what is due onto the job that still waits; false where there is none that a gate holds. */
function fold(move: Move, plan: Plan): boolean {
  const { parts, row } = move;
  const planned = plan.admit[0];
  if (!planned || row.lastJob === null || row.lastTier === null) return false;
  if (!parts.held(row.lastTier)) return false;
  const occurrences = 1 + planned.coalesced;
  if (!parts.countOnto(row.lastJob, occurrences, planned.expiresAt)) return false;
  pass(move, plan.next, occurrences, plan.missed);
  return true;
}

/** Books one decided occurrence; true when it became a new job. */
function take(
  { parts, row, now }: Move,
  planned: PlannedJob,
  decision: Exclude<Decision, { outcome: 'refused' }>,
  nextDue: number | null,
): boolean {
  const { coalesced } = planned;
  if (decision.outcome === 'conflict') {
    parts.schedules.passed({ id: row.id, nextDue, coalesced: 0, missed: 1 + coalesced });
    recordMissed(parts, row.id, now, 1 + coalesced, 'conflict');
    return false;
  }
  const isNew = decision.outcome === 'admitted';
  const { id: job, tier } = decision.job;
  parts.schedules.admitted({
    id: row.id,
    nextDue,
    admitted: isNew ? 1 : 0,
    coalesced,
    job,
    tier,
    at: isNew ? now : (row.lastAdmittedAt ?? now),
  });
  if (isNew) {
    if (coalesced > 0) parts.countOnto(job, coalesced, null);
    parts.record(now, 'wake.job.enqueued', job, { job: row.id, work: job, coalesced });
  }
  return isNew;
}

/** Moves a schedule on past occurrences that got no job of their own, left-out days among them. */
function pass(move: Move, nextDue: number | null, coalesced: number, missed: number): void {
  const { parts, row, rule, policy, now, due } = move;
  const days = nextDue === null ? [] : droppedBetween(rule, due, nextDue);
  const dropped = days.reduce((sum, day) => sum + day.count, 0);
  parts.schedules.passed({ id: row.id, nextDue, coalesced, missed: missed + dropped });
  if (missed > 0) recordMissed(parts, row.id, now, missed, policy.kind);
  if (dropped > 0) recordMissed(parts, row.id, now, dropped, 'no-such-day');
}

function recordMissed(
  parts: ClockPassParts,
  id: string,
  now: number,
  missed: number,
  why: MissedPolicy['kind'] | 'conflict' | 'no-such-day',
): void {
  parts.record(now, 'wake.job.missed', null, { job: id, missed, why });
}

function requestOf(row: StoredSchedule, planned: PlannedJob) {
  return {
    source: sourceOf(row.id, row.revision, planned.due),
    session: row.session,
    title: titleOf(row.prompt),
    prompt: row.prompt,
    files: [],
    subject: null,
    tier: row.tier,
    route: { channel: row.channel, recipient: row.recipient },
    notBefore: null,
    expiresAt: planned.expiresAt,
  };
}

/** The identity of one occurrence of one revision. */
export function sourceOf(id: string, revision: number, due: number): string {
  return `${sourcePrefix(id, revision)}${due}`;
}

/** How the sources of a revision's occurrences begin. */
export function sourcePrefix(id: string, revision: number): string {
  return `job:${id}@${revision}:`;
}
