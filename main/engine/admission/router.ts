import { type Config, HEAVY_TIERS, type Tier } from '../../base/config-schema.ts';
import { classOf } from '../queue/birth.ts';
import { type JobClass, PRIORITY } from '../queue/job.ts';

/** How a kind of work is to be run. */
export interface Plan {
  kind: string;
  tier: Tier;
  /** Context window in tokens. */
  numCtx: number;
  priority: number;
  class: JobClass;
}

interface Rule {
  tier: Tier;
  /** Set where the tier's own priority would be wrong. */
  priority?: number;
  /** Upkeep that Lull asks itself for: never counted against the owner's work. */
  housekeeping?: true;
}

const { reactive, interactive, background } = PRIORITY;
const upkeep = (tier: Tier): Rule => ({ tier, priority: background, housekeeping: true });

/**
 * The tier of every known kind. Upkeep waits behind everything else whatever its tier; a shadow run
 * is planned as the dream it is compared with. A kind that is not listed is routine work.
 */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['route', { tier: 'pinned' }],
  ['classify', { tier: 'pinned' }],
  ['watchdog', { tier: 'pinned' }],
  ['ambassador', { tier: 'pinned' }],
  ['vault_sync', upkeep('pinned')],
  ['chat_sync', upkeep('pinned')],
  ['chat_events', upkeep('pinned')],
  ['integrate', upkeep('pinned')],
  ['code_sync', upkeep('pinned')],
  ['code_backfill', upkeep('pinned')],
  ['curate', upkeep('synthesis')],
  ['dream', upkeep('synthesis')],
  ['shadow', upkeep('synthesis')],
  ['compact', upkeep('synthesis')],
  ['synthesize', { tier: 'synthesis' }],
  ['research', { tier: 'synthesis' }],
  ['ambassador_task', { tier: 'synthesis' }],
  // One turn of a schedule or a stock condition, and one piece of work for the next lull.
  ['brief', { tier: 'routine', priority: PRIORITY.default }],
  ['task', { tier: 'synthesis', priority: background }],
  // One turn of a roster: the owner's own agent, at work while the machine is free.
  ['cycle', { tier: 'synthesis', priority: background }],
]);

const ROUTINE: Rule = { tier: 'routine' };

/** Windows of the default lineup, tokens. */
const WINDOWS: Readonly<Record<Tier, number>> = {
  pinned: 8192,
  routine: 16_384,
  synthesis: 32_768,
  stretch: 32_768,
};

/** The pinned model answers at once, heavy work waits for a lull, the rest comes in between. */
function priorityOf(tier: Tier): number {
  if (tier === 'pinned') return reactive;
  return HEAVY_TIERS.has(tier) ? background : interactive;
}

export interface Router {
  /** Deterministic; a tier or priority that is given goes before the rule's. */
  plan(
    kind: string,
    given?: { tier?: Tier | null | undefined; priority?: number | undefined },
  ): Plan;
}

/** Rules first: tier, priority and class by kind, the window by the configured lineup. */
export function createRouter(config: () => { models: Pick<Config['models'], 'tiers'> }): Router {
  return {
    plan(kind, given = {}) {
      const rule = RULES.get(kind) ?? ROUTINE;
      const tier = given.tier ?? rule.tier;
      return {
        kind,
        tier,
        numCtx: config().models.tiers[tier]?.numCtx ?? WINDOWS[tier],
        priority: given.priority ?? rule.priority ?? priorityOf(tier),
        class: classOf({ tier, class: rule.housekeeping && 'housekeeping' }),
      };
    },
  };
}
