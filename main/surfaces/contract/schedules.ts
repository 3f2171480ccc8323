import { z } from 'zod';
import { tier } from '../../base/config-schema.ts';
import { scheduleRule } from '../../base/schedule-rule.ts';
import { at, command, destination, identity, prompt } from './fields.ts';

/** Schedules and what comes of them. */

export const missedPolicy = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('coalesce') }),
  z.object({ kind: z.literal('skip') }),
  z.object({ kind: z.literal('within'), seconds: z.int().min(1).max(31_536_000) }),
  z.object({ kind: z.literal('replay'), atMost: z.int().min(1).max(1000) }),
]);

export const scheduleRow = z.object({
  id: z.string(),
  revision: z.int(),
  prompt: z.string(),
  session: z.string(),
  tier: tier.nullable(),
  rule: scheduleRule,
  /** The rule in words. */
  ruleText: z.string(),
  missed: missedPolicy,
  to: z.string(),
  enabled: z.boolean(),
  nextDue: at.nullable(),
  /** Occurrences that did not become a job of their own. */
  missedCount: z.int(),
  /** Of these, the ones that were folded into another's job. */
  coalescedCount: z.int(),
  lastAdmittedAt: at.nullable(),
  lastStartedAt: at.nullable(),
  lastFinishedAt: at.nullable(),
});

export const occurrence = z.object({
  at,
  /** Local time in the schedule's zone, for people. */
  local: z.string(),
  /** What is unusual about it (a daylight-saving night, a dropped day), or null. */
  note: z.string().nullable(),
});

const scheduleFields = {
  prompt,
  session: identity.default('shop'),
  tier: tier.nullable().default(null),
  to: destination,
  rule: scheduleRule,
  missed: missedPolicy.default({ kind: 'coalesce' }),
};

export const schedulesCommands = {
  'schedule.add': command(false, z.strictObject({ id: identity, ...scheduleFields }), scheduleRow),
  'schedule.edit': command(
    false,
    z.strictObject({
      id: identity,
      prompt: prompt.optional(),
      tier: tier.nullable().optional(),
      rule: scheduleRule.optional(),
      missed: missedPolicy.optional(),
    }),
    scheduleRow,
  ),
  'schedule.enable': command(false, z.strictObject({ id: identity }), scheduleRow),
  'schedule.disable': command(false, z.strictObject({ id: identity }), scheduleRow),
  'schedule.list': command(true, z.strictObject({}), z.array(scheduleRow)),
  'schedule.preview': command(
    true,
    z.strictObject({
      id: identity.optional(),
      rule: scheduleRule.optional(),
      count: z.int().min(1).max(100).default(5),
    }),
    z.array(occurrence),
  ),
} as const;
