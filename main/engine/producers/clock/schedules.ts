import { type Failure, failure, ok, type Result } from '../../../base/errors.ts';
import { canonicalJson } from '../../../base/ids.ts';
import type {
  ScheduleBody,
  SchedulesTable,
  StoredSchedule,
} from '../../../base/store/schedules.ts';
import { nearest } from '../../../base/suggest.ts';
import { routeText } from '../route.ts';
import type { MissedPolicy } from './missed.ts';
import { sourcePrefix } from './pass.ts';
import { type Occurrence, preview } from './preview.ts';
import { countBetween, droppedBetween, nextAfter, type Rule } from './rule.ts';
import { checkSchedule, ruleFault, type ScheduleSpec, storedBody } from './spec.ts';
import { ruleText } from './words.ts';

/** A schedule as it is shown. Times are epoch milliseconds. */
export interface Schedule extends ScheduleSpec {
  revision: number;
  ruleText: string;
  enabled: boolean;
  /** Null while disabled, and when no occurrence follows. */
  nextDue: number | null;
  /** Occurrences that became a job, were counted onto another's job, were neither. */
  admittedCount: number;
  coalescedCount: number;
  droppedCount: number;
  /** Occurrences without a job of their own: coalesced and dropped together. */
  missedCount: number;
  /** Three different moments: a job was admitted, a job began to run, a job that ran has ended. */
  lastAdmittedAt: number | null;
  lastStartedAt: number | null;
  lastFinishedAt: number | null;
}

export type ScheduleEdit = Partial<Omit<ScheduleSpec, 'id'>>;

export interface Schedules {
  /** Stores a new schedule; its first occurrence may already be due, and waits for the next pass. */
  add(spec: ScheduleSpec): Result<Schedule>;
  /**
   * Makes a new revision. With a new rule the next due time lies after now, and what the old rule
   * left open is counted as missed; otherwise the due time stays.
   */
  edit(id: string, edit: ScheduleEdit): Result<Schedule>;
  /** Turns it on; the next due time is the rule's first after now, whatever passed meanwhile. */
  enable(id: string): Result<Schedule>;
  /** Turns it off; admitted work stays, what was due and not admitted is counted as missed. */
  disable(id: string): Result<Schedule>;
  list(): Schedule[];
  get(id: string): Result<Schedule>;
  /** The next `count` occurrences of a schedule, or of a rule that is not stored yet. */
  preview(of: { id: string } | { rule: Rule }, count: number): Result<Occurrence[]>;
}

export interface SchedulesParts {
  tx<T>(work: () => T): T;
  schedules: SchedulesTable;
  now(): number;
}

/** Jobs looked at for the times of a schedule; older ones do not change what is shown. */
const RECENT_JOBS = 20;

export function createSchedules({ tx, schedules, now }: SchedulesParts): Schedules {
  function shown(row: StoredSchedule): Schedule {
    const rule = JSON.parse(row.rule) as Rule;
    const times = lastTimes(row);
    return {
      id: row.id,
      revision: row.revision,
      session: row.session,
      prompt: row.prompt,
      tier: row.tier,
      rule,
      ruleText: ruleText(rule),
      missed: JSON.parse(row.missed) as MissedPolicy,
      to: routeText(row),
      enabled: row.enabled === 1,
      nextDue: row.nextDue,
      admittedCount: row.admittedCount,
      coalescedCount: row.coalescedCount,
      droppedCount: row.missedCount,
      missedCount: row.coalescedCount + row.missedCount,
      lastAdmittedAt: row.lastAdmittedAt,
      ...times,
    };
  }

  function lastTimes(row: StoredSchedule) {
    const recent = schedules.times(sourcePrefix(row.id, row.revision), RECENT_JOBS);
    return {
      lastStartedAt: recent.startedAt ?? row.lastStartedAt,
      lastFinishedAt: recent.finishedAt ?? row.lastFinishedAt,
    };
  }

  function reload(id: string): Result<Schedule> {
    const row = schedules.get(id);
    return row ? ok(shown(row)) : unknown(id);
  }

  function unknown(id: string) {
    const near = nearest(id, schedules.ids());
    return failure(
      'not_found',
      `there is no schedule "${id}"`,
      near ? `did you mean "${near}"?` : 'lull schedule list shows them all',
    );
  }

  /** Changes one schedule in one transaction. */
  function change(id: string, work: (row: StoredSchedule, at: number) => Failure | null) {
    return tx((): Result<Schedule> => {
      const row = schedules.get(id);
      if (!row) return unknown(id);
      return work(row, now()) ?? reload(id);
    });
  }

  return {
    add(input) {
      const checked = checkSchedule(input);
      if (!checked.ok) return checked;
      const { spec, route } = checked.value;
      return tx(() => {
        if (schedules.get(spec.id)) {
          return failure(
            'conflict',
            `a schedule "${spec.id}" exists already`,
            `change it with lull schedule edit ${spec.id}, or choose another name`,
          );
        }
        const at = now();
        const body = storedBody(spec, route);
        const due = spec.rule.kind === 'interval' ? spec.rule.first : nextAfter(spec.rule, at);
        schedules.insert(spec.id, body, due, at);
        schedules.addRevision(spec.id, 1, at, canonicalJson(body));
        return reload(spec.id);
      });
    },
    edit(id, edit) {
      return change(id, (row, at) => {
        const old = shown(row);
        const checked = checkSchedule({
          id,
          session: edit.session ?? old.session,
          prompt: edit.prompt ?? old.prompt,
          tier: edit.tier === undefined ? old.tier : edit.tier,
          rule: edit.rule ?? old.rule,
          missed: edit.missed ?? old.missed,
          to: edit.to ?? old.to,
        });
        if (!checked.ok) return checked;
        const body = storedBody(checked.value.spec, checked.value.route);
        if (isSame(body, row)) return null;
        const moved = row.enabled === 1 && body.rule !== row.rule;
        schedules.revise({
          ...body,
          id,
          nextDue: moved ? nextAfter(checked.value.spec.rule, at) : row.nextDue,
          missedCount: moved ? openAt(row, at) : 0,
          ...lastTimes(row),
          at,
        });
        schedules.addRevision(id, row.revision + 1, at, canonicalJson(body));
        return null;
      });
    },
    enable: (id) =>
      change(id, (row, at) => {
        if (row.enabled === 0) {
          schedules.enable(id, nextAfter(JSON.parse(row.rule) as Rule, at), at);
        }
        return null;
      }),
    disable: (id) =>
      change(id, (row, at) => {
        if (row.enabled === 1) schedules.disable(id, openAt(row, at), at);
        return null;
      }),
    list: () => schedules.list().map(shown),
    get: reload,
    preview(of, count) {
      let rule: Rule;
      if ('rule' in of) {
        const fault = ruleFault(of.rule);
        if (fault) return fault;
        rule = of.rule;
      } else {
        const row = schedules.get(of.id);
        if (!row) return unknown(of.id);
        rule = JSON.parse(row.rule) as Rule;
      }
      return ok(preview(rule, now(), count));
    },
  };
}

function isSame(body: ScheduleBody, row: ScheduleBody): boolean {
  return (Object.keys(body) as (keyof ScheduleBody)[]).every((key) => body[key] === row[key]);
}

/** How many occurrences were due at `now` and are not accounted for, left-out days among them. */
function openAt(row: StoredSchedule, now: number): number {
  if (row.nextDue === null || row.nextDue > now) return 0;
  const rule = JSON.parse(row.rule) as Rule;
  const dropped = droppedBetween(rule, row.nextDue, now);
  return (
    1 + countBetween(rule, row.nextDue, now) + dropped.reduce((sum, day) => sum + day.count, 0)
  );
}
