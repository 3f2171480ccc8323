import type { Tier } from '../../base/config-schema.ts';
import type { MissedPolicy } from '../../engine/producers/clock/missed.ts';
import type { Rule } from '../../engine/producers/clock/rule.ts';
import type { Route } from '../../engine/queue/job.ts';
import { manyLines, oneLine } from './text.ts';

const PROMPT_LENGTH = 20_000;

/** A schedule with what became of it; its rule also in words. */
export interface ScheduleState {
  id: string;
  revision: number;
  prompt: string;
  session: string;
  tier: Tier | null;
  rule: Rule;
  ruleText: string;
  missed: MissedPolicy;
  route: Route;
  enabled: boolean;
  nextDue: number | null;
  missedCount: number;
  lastAdmittedAt: number | null;
  lastStartedAt: number | null;
  lastFinishedAt: number | null;
}

export type ScheduleRow = Omit<ScheduleState, 'route'> & { to: string };

export interface ConditionRow {
  id: string;
  sku: string;
  session: string;
  enabled: boolean;
  armed: boolean;
  generation: number;
  problem: string | null;
}

export interface ProductRow {
  sku: string;
  name: string;
  unit: string;
  onHand: number;
  reorderPoint: number | null;
  unitCostCents: number | null;
  needed: number;
  watched: boolean;
}

/** Identities (ids, SKUs) are shown as they are: they are what the owner types back. */
export function scheduleRow(schedule: ScheduleState): ScheduleRow {
  return {
    id: schedule.id,
    revision: schedule.revision,
    prompt: manyLines(schedule.prompt, PROMPT_LENGTH),
    session: schedule.session,
    tier: schedule.tier,
    rule: schedule.rule,
    ruleText: oneLine(schedule.ruleText),
    missed: schedule.missed,
    to: destination(schedule.route),
    enabled: schedule.enabled,
    nextDue: schedule.nextDue,
    missedCount: schedule.missedCount,
    lastAdmittedAt: schedule.lastAdmittedAt,
    lastStartedAt: schedule.lastStartedAt,
    lastFinishedAt: schedule.lastFinishedAt,
  };
}

export function conditionRow(condition: ConditionRow): ConditionRow {
  const { id, sku, session, enabled, armed, generation, problem } = condition;
  const shown = problem === null ? null : oneLine(problem, 400);
  return { id, sku, session, enabled, armed, generation, problem: shown };
}

export function productRow(product: Omit<ProductRow, 'watched'>, watched: boolean): ProductRow {
  return {
    sku: product.sku,
    name: oneLine(product.name, 300),
    unit: oneLine(product.unit, 40),
    onHand: product.onHand,
    reorderPoint: product.reorderPoint,
    unitCostCents: product.unitCostCents,
    needed: product.needed,
    watched,
  };
}

/** `local`, or the channel and whom it reaches. */
function destination({ channel, recipient }: Route): string {
  return recipient === '' ? channel : `${channel}:${recipient}`;
}
