import type { Tier } from '../../base/config-schema.ts';
import type { MissedPolicy } from '../../engine/producers/clock/missed.ts';
import type { Rule } from '../../engine/producers/clock/rule.ts';
import { manyLines, oneLine } from './text.ts';

const PROMPT_LENGTH = 20_000;

export interface ScheduleRow {
  id: string;
  revision: number;
  prompt: string;
  session: string;
  tier: Tier | null;
  rule: Rule;
  /** The rule in words. */
  ruleText: string;
  missed: MissedPolicy;
  /** `local`, or the channel and whom it reaches. */
  to: string;
  enabled: boolean;
  nextDue: number | null;
  missedCount: number;
  coalescedCount: number;
  lastAdmittedAt: number | null;
  lastStartedAt: number | null;
  lastFinishedAt: number | null;
}

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

/**
 * The rows are picked from what the producers give, which may hold more. Identities (ids, SKUs) are shown as they are: they are what the owner types back.
 */
export function scheduleRow(schedule: ScheduleRow): ScheduleRow {
  return {
    id: schedule.id,
    revision: schedule.revision,
    prompt: manyLines(schedule.prompt, PROMPT_LENGTH),
    session: schedule.session,
    tier: schedule.tier,
    rule: schedule.rule,
    ruleText: oneLine(schedule.ruleText),
    missed: schedule.missed,
    to: schedule.to,
    enabled: schedule.enabled,
    nextDue: schedule.nextDue,
    missedCount: schedule.missedCount,
    coalescedCount: schedule.coalescedCount,
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
