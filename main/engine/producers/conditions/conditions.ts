import type { Tier } from '../../../base/config-schema.ts';
import { type Failure, failure, ok, type Result } from '../../../base/errors.ts';
import type { ConditionsTable, StoredCondition } from '../../../base/store/conditions.ts';
import { nearest } from '../../../base/suggest.ts';
import { nameFault } from '../bounds.ts';
import { parseRoute, routeText } from '../route.ts';

/** A pass looks at every enabled condition, so their number is its bound. */
export const MOST_CONDITIONS = 100;

/** What an owner asks to be watched. */
export interface Watch {
  id: string;
  sku: string;
  session: string;
  /** `local`, or `telegram:ACCOUNT:ID`. */
  to: string;
  tier?: Tier | null;
}

export interface Condition extends Required<Watch> {
  enabled: boolean;
  armed: boolean;
  /** Episodes so far. */
  generation: number;
  /** Why the last pass could not observe it; null when it could. */
  problem: string | null;
}

export interface Conditions {
  /**
   * Watches a product. The same watch again changes nothing; a removed one is enabled and armed
   * again, its count of episodes kept. What it is bound to never changes.
   */
  watch(watch: Watch): Result<Condition>;
  /** Stops watching; work that was admitted stays. */
  unwatch(id: string): Result<Condition>;
  /** All, by id, removed ones included. */
  list(): Condition[];
}

export interface ConditionsParts {
  tx<T>(work: () => T): T;
  conditions: ConditionsTable;
  /** Whether the need of a product can be observed. */
  isKnown(sku: string): boolean;
  now(): number;
}

export function createConditions({ tx, conditions, isKnown, now }: ConditionsParts): Conditions {
  function reload(id: string): Result<Condition> {
    return ok(shown(conditions.get(id) as StoredCondition));
  }

  return {
    watch(input) {
      const fault =
        nameFault('id', input.id) ??
        nameFault('sku', input.sku) ??
        nameFault('session', input.session);
      if (fault) return fault;
      const route = parseRoute(input.to);
      if (!route.ok) return route;
      const id = input.id.trim();
      const binding = {
        session: input.session.trim(),
        subject: input.sku,
        tier: input.tier ?? null,
        ...route.value,
      };
      return tx(() => {
        const known = conditions.get(id);
        if (known && !isBoundTo(known, binding)) return boundElsewhere(known);
        if (known?.enabled === 1) return reload(id);
        const refusal = refuse(id, binding.subject);
        if (refusal) return refusal;
        if (known) conditions.enable(id);
        else conditions.insert(id, binding, now());
        return reload(id);
      });
    },
    unwatch(id) {
      return tx(() => {
        const known = conditions.get(id);
        if (!known) {
          const near = nearest(
            id,
            conditions.list().map((condition) => condition.id),
          );
          return failure(
            'not_found',
            `there is no condition "${id}"`,
            near ? `did you mean "${near}"?` : 'lull watch list shows them all',
          );
        }
        if (known.enabled === 1) conditions.disable(id);
        return reload(id);
      });
    },
    list: () => conditions.list().map(shown),
  };

  /** Why a product may not be watched under a new id; null when it may. */
  function refuse(id: string, sku: string): Failure | null {
    if (!isKnown(sku)) {
      return failure(
        'not_found',
        `${sku} cannot be watched: it is not in stock, or has no reorder point`,
        'import it first, with a reorder point: lull stock import FILE.csv',
      );
    }
    const other = conditions.watching(sku);
    if (other && other.id !== id) {
      return failure(
        'conflict',
        `${sku} is already watched by "${other.id}"`,
        `keep that one, or remove it first: lull watch remove ${other.id}`,
      );
    }
    if (conditions.enabledCount() >= MOST_CONDITIONS) {
      return failure(
        'refused',
        `${MOST_CONDITIONS} products are watched already, which is the most`,
        'remove one that is no longer needed: lull watch remove ID',
      );
    }
    return null;
  }
}

function isBoundTo(
  known: StoredCondition,
  binding: Pick<StoredCondition, 'session' | 'subject' | 'tier' | 'channel' | 'recipient'>,
): boolean {
  return (Object.keys(binding) as (keyof typeof binding)[]).every(
    (field) => known[field] === binding[field],
  );
}

function boundElsewhere(known: StoredCondition): Failure {
  return failure(
    'conflict',
    `"${known.id}" is bound to ${known.subject}, session ${known.session}, results to ${routeText(known)}`,
    'what a condition is bound to never changes: choose another id',
  );
}

function shown(row: StoredCondition): Condition {
  return {
    id: row.id,
    sku: row.subject,
    session: row.session,
    to: routeText(row),
    tier: row.tier,
    enabled: row.enabled === 1,
    armed: row.armed === 1,
    generation: row.generation,
    problem: row.problem,
  };
}
