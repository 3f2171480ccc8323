import { LullError, toFailure } from '../../../base/errors.ts';
import type { ConditionsTable, StoredCondition } from '../../../base/store/conditions.ts';
import { type Admit, titleOf } from '../work-request.ts';

/** What is known of a product's need: how many units are missing, and what to ask for. */
export interface Need {
  needed: number;
  prompt: string;
}

export interface ConditionPassParts {
  /** Runs `work` in one immediate transaction. */
  tx<T>(work: () => T): T;
  conditions: ConditionsTable;
  /** A number that is another one where anything was written in between. */
  written(): number;
  /** Records what happened, in the transaction. `job` is the job it is about, or null. */
  record(at: number, kind: string, job: number | null, payload: object): void;
  /** Whether everything is paused; asked inside the transaction. */
  paused(now: number): boolean;
  admit: Admit;
  /** The need of a product; null when it cannot be observed. */
  needOf(sku: string): Need | null;
}

export interface ConditionPassResult {
  /** Jobs admitted, in order. */
  admitted: number[];
  /** Conditions whose need could not be observed, where it still could in the pass before. */
  problems: { condition: string; problem: string }[];
  /** Conditions whose state changed. */
  moved: number;
}

export type ConditionPass = (now: number, maximum?: number) => ConditionPassResult;

/**
 * The stock pass: looks at every enabled condition once, in one transaction, and admits one job for
 * each shortage that begins, `maximum` (1 to 100) at most. An episode is a shortage as observed: it
 * begins with a positive need while armed, and ends when a pass sees no need. A recovery between two
 * passes is not seen. What cannot be admitted stays armed; what cannot be observed is noted on the
 * condition, and the others go on.
 */
export function createConditionPass(parts: ConditionPassParts): ConditionPass {
  /** `written` at a look that found nothing to do: while it stays, there is nothing. */
  let quietAt: number | null = null;
  return (now, maximum = 100) => {
    if (!Number.isInteger(now) || now < 0) {
      throw new LullError('invalid', `a pass at ${now} is at no moment`);
    }
    if (!Number.isInteger(maximum) || maximum < 1 || maximum > 100) {
      throw new LullError('invalid', `a pass of ${maximum} must be one of 1 to 100`);
    }
    const result: ConditionPassResult = { admitted: [], problems: [], moved: 0 };
    // Most passes find everything as it was: those need no transaction, and often not even a look.
    const written = parts.written();
    if (written === quietAt) return result;
    if (!parts.conditions.enabled().some((one) => mayMove(parts, one))) {
      quietAt = written;
      return result;
    }
    return parts.tx(() => {
      if (parts.paused(now)) return result;
      for (const condition of parts.conditions.enabled()) {
        if (result.admitted.length >= maximum) break;
        if (look(parts, condition, now, result)) result.moved += 1;
      }
      return result;
    });
  };
}

/** Whether a look could change anything about this condition. */
function mayMove(parts: ConditionPassParts, condition: StoredCondition): boolean {
  const observed = observe(parts, condition.subject);
  if ('problem' in observed) return condition.problem !== observed.problem;
  const isShort = observed.needed > 0;
  return condition.problem !== null || isShort === (condition.armed === 1);
}

/** Looks at one condition; true when anything about it changed. */
function look(
  parts: ConditionPassParts,
  condition: StoredCondition,
  now: number,
  result: ConditionPassResult,
): boolean {
  const observed = observe(parts, condition.subject);
  if ('problem' in observed) return note(parts, condition, observed.problem, result);
  if (observed.needed <= 0) {
    const healed = note(parts, condition, null, result);
    if (condition.armed === 1) return healed;
    parts.conditions.arm(condition.id);
    return true;
  }
  if (condition.armed === 0) return note(parts, condition, null, result);
  const generation = condition.generation + 1;
  const decision = parts.admit({
    source: `stock-condition:${condition.id}:${generation}`,
    session: condition.session,
    title: titleOf(observed.prompt),
    prompt: observed.prompt,
    files: [],
    subject: condition.subject,
    tier: condition.tier,
    route: { channel: condition.channel, recipient: condition.recipient },
    notBefore: null,
    expiresAt: null,
  });
  if (decision.outcome === 'conflict') {
    const problem = `its episode ${generation} is already the name of other work, job ${decision.job.id}`;
    return note(parts, condition, problem, result);
  }
  const healed = note(parts, condition, null, result);
  if (decision.outcome === 'refused') return healed;
  const { id: work } = decision.job;
  parts.conditions.trigger(condition.id, generation);
  if (decision.outcome === 'admitted') {
    result.admitted.push(work);
    const { id, subject } = condition;
    parts.record(now, 'stock.condition.triggered', work, {
      condition: id,
      subject,
      generation,
      work,
    });
  }
  return true;
}

function observe(parts: ConditionPassParts, sku: string): Need | { problem: string } {
  try {
    return (
      parts.needOf(sku) ?? {
        problem: `the need of ${sku} is not known: it is not in stock, or has no reorder point`,
      }
    );
  } catch (error) {
    const { code, message } = toFailure(error);
    // A database that cannot be read is no fault of one product.
    if (code === 'failed' || code === 'invalid' || code === 'not_found')
      return { problem: message };
    throw error;
  }
}

/** Writes the problem down where it is new, or wipes it where it is gone; true when it changed. */
function note(
  parts: ConditionPassParts,
  condition: StoredCondition,
  problem: string | null,
  result: ConditionPassResult,
): boolean {
  if (condition.problem === problem) return false;
  parts.conditions.setProblem(condition.id, problem);
  if (problem !== null) result.problems.push({ condition: condition.id, problem });
  return true;
}
