import { type Config, TIERS, type Tier } from '../../base/config-schema.ts';
import type { Discovery } from './discovery.ts';

type ModelsConfig = Config['models'];

/**
 * What the settings become when the owner takes a proposal: its servers beside those that are there,
 * its tiers in the place of those that were. `memoryGb`: figures that the owner has corrected.
 */
export function adoption(
  models: ModelsConfig,
  { servers, proposal }: Pick<Discovery, 'servers' | 'proposal'>,
  memoryGb: Partial<Record<Tier, number>> = {},
): Pick<ModelsConfig, 'servers' | 'tiers'> | null {
  const { tiers } = proposal;
  if (!tiers) return null;
  const used = new Set(TIERS.map((tier) => tiers[tier].server));
  const known = new Set(models.servers.map(({ name, url }) => `${name} ${url}`));
  const added = servers
    .filter((one) => !one.configured && used.has(one.name))
    .filter(({ name, url }) => !known.has(`${name} ${url}`)) // taken before
    .map(({ name, kind, url }) => ({ name, kind, url }));
  const chosen = TIERS.map((tier) => {
    const { server, model, numCtx, memoryGb: proposed } = tiers[tier];
    const figure = memoryGb[tier] ?? proposed;
    const memory = figure === undefined ? {} : { memoryGb: figure };
    return [tier, { server, model, numCtx, ...memory }] as const;
  });
  return {
    servers: [...models.servers, ...added],
    tiers: Object.fromEntries(chosen) as ModelsConfig['tiers'],
  };
}
