import { TIERS, type Tier } from '../../../base/config-schema.ts';
import { type Failure, failure, ok, type Result } from '../../../base/errors.ts';
import { canonicalJson } from '../../../base/ids.ts';
import type { ScheduleBody } from '../../../base/store/schedules.ts';
import { isZone, nearestZone } from '../../../base/zone.ts';
import type { Route } from '../../queue/job.ts';
import { nameFault, promptFault } from '../bounds.ts';
import { parseRoute } from '../route.ts';
import { checkCron } from './cron.ts';
import type { MissedPolicy } from './missed.ts';
import { LAST_INSTANT, type Rule } from './rule.ts';

/** A schedule as its owner writes it. */
export interface ScheduleSpec {
  id: string;
  session: string;
  prompt: string;
  /** Null: the router decides. */
  tier: Tier | null;
  rule: Rule;
  missed: MissedPolicy;
  /** `local`, or `telegram:ACCOUNT:ID`. */
  to: string;
}

/** The longest interval and the longest window: 100 years and one year, in seconds. */
const LONGEST_INTERVAL = 3_153_600_000;
const LONGEST_WINDOW = 31_536_000;
const MOST_REPLAYED = 1_000;

/**
 * Checks all that later passes depend on, so that a schedule that is accepted can also run. The
 * failure is one line that names the field. Gives the spec, trimmed, and its route.
 */
export function checkSchedule(spec: ScheduleSpec): Result<{ spec: ScheduleSpec; route: Route }> {
  const fault =
    nameFault('id', spec.id) ??
    nameFault('session', spec.session) ??
    promptFault('prompt', spec.prompt) ??
    tierFault(spec.tier) ??
    ruleFault(spec.rule) ??
    missedFault(spec.missed);
  if (fault) return fault;
  const route = parseRoute(spec.to);
  if (!route.ok) return route;
  const trimmed = { ...spec, id: spec.id.trim(), session: spec.session.trim() };
  return ok({ spec: trimmed, route: route.value });
}

/** Null, or why no schedule can follow this rule. */
export function ruleFault(rule: Rule): Failure | null {
  if (rule.kind === 'cron') {
    if (!isZone(rule.zone)) {
      const near = nearestZone(rule.zone);
      return failure(
        'invalid',
        `zone "${rule.zone.slice(0, 100)}" is not a known time zone`,
        near ? `did you mean "${near}"?` : 'use a name such as Europe/Berlin',
      );
    }
    const line = checkCron(rule.expression);
    return line.ok ? null : line;
  }
  const { everySeconds, first } = rule;
  if (!Number.isInteger(everySeconds) || everySeconds < 1 || everySeconds > LONGEST_INTERVAL) {
    return failure(
      'invalid',
      `the interval is ${everySeconds} s; it must be a whole number of seconds from 1 to ${LONGEST_INTERVAL}`,
      'write it as 30s, 10m, 6h or 1d',
    );
  }
  if (!Number.isInteger(first) || first < 0 || first > LAST_INSTANT) {
    return failure(
      'invalid',
      `the first due time is ${first}; it must be a moment`,
      'write it as 2026-12-01T07:00:00Z',
    );
  }
  return null;
}

function missedFault(missed: MissedPolicy): Failure | null {
  if (missed.kind === 'within' && !wholeUpTo(missed.seconds, LONGEST_WINDOW)) {
    return failure('invalid', `the window is ${missed.seconds} s; it must be from 1 s to one year`);
  }
  if (missed.kind === 'replay' && !wholeUpTo(missed.atMost, MOST_REPLAYED)) {
    return failure(
      'invalid',
      `replay is ${missed.atMost}; it must be a whole number from 1 to ${MOST_REPLAYED}`,
    );
  }
  return null;
}

function tierFault(tier: Tier | null): Failure | null {
  if (tier === null || TIERS.includes(tier)) return null;
  return failure('invalid', `tier must be one of ${TIERS.join(', ')}`);
}

function wholeUpTo(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

/** A checked spec as its table keeps it. */
export function storedBody(spec: ScheduleSpec, route: Route): ScheduleBody {
  return {
    session: spec.session,
    prompt: spec.prompt,
    tier: spec.tier,
    rule: canonicalJson(spec.rule),
    missed: canonicalJson(spec.missed),
    channel: route.channel,
    recipient: route.recipient,
  };
}
