import { type Config, TIERS, type Tier } from '../../base/config-schema.ts';
import { OFFLINE_MODEL, OFFLINE_SERVER } from './servers/offline.ts';
import { withTag } from './servers/ollama-names.ts';

type TierModel = NonNullable<Config['models']['embedder']>;

/** Windows in tokens for tiers whose model the owner did not choose. */
export const DEFAULT_WINDOWS: Readonly<Record<Tier, number>> = {
  pinned: 8192,
  routine: 16_384,
  synthesis: 32_768,
  stretch: 32_768,
};

/** What serves one tier. */
export interface LineupEntry {
  readonly server: string;
  readonly model: string;
  /** Context window in tokens, sent with every call. */
  readonly numCtx: number;
  /** What the owner says it uses with that window. */
  readonly memoryBytes?: number;
}

export type Lineup = Readonly<Record<Tier, LineupEntry>>;

/**
 * The model of each tier. A tier that the config does not name is served by the offline model; with
 * `forceOffline` (`--model offline`) every tier is. Names are written as their server lists them, so
 * that they can be compared with what is resident.
 */
export function lineupOf(models: Config['models'], forceOffline = false): Lineup {
  const entry = (tier: Tier): LineupEntry => {
    const chosen = models.tiers[tier];
    if (forceOffline || !chosen) {
      const numCtx = chosen?.numCtx ?? DEFAULT_WINDOWS[tier];
      return { server: OFFLINE_SERVER, model: OFFLINE_MODEL, numCtx };
    }
    return chosenEntry(models, chosen);
  };
  return Object.fromEntries(TIERS.map((tier) => [tier, entry(tier)])) as Record<Tier, LineupEntry>;
}

/** The embedder is charged to the budget and stands outside the count of two. */
export function embedderOf(models: Config['models']): LineupEntry | null {
  const { embedder } = models;
  return embedder && chosenEntry(models, embedder);
}

function chosenEntry(models: Config['models'], { memoryGb, ...chosen }: TierModel): LineupEntry {
  const declared = memoryGb === undefined ? {} : { memoryBytes: memoryGb * 1e9 };
  return { ...chosen, ...declared, model: asListed(models, chosen.server, chosen.model) };
}

function asListed(models: Config['models'], server: string, model: string): string {
  const kind = models.servers.find((one) => one.name === server)?.kind;
  if (kind === 'ollama') return withTag(model);
  return kind === 'offline' ? OFFLINE_MODEL : model;
}

/**
 * Bytes the owner declared for a model: the figure for the smallest window that covers this one; with
 * an unknown window, or one that the server sets by itself, the largest. Null: nothing is declared.
 */
export function declaredBytes(
  entries: readonly LineupEntry[],
  server: string,
  model: string,
  numCtx: number | null,
): number | null {
  const own = entries.filter(
    (one) => one.server === server && one.model === model && one.memoryBytes !== undefined,
  );
  const figures = own
    .filter((one) => numCtx === null || one.numCtx >= numCtx)
    .sort((a, b) => a.numCtx - b.numCtx)
    .map((one) => one.memoryBytes as number);
  if (figures.length === 0) return null;
  return numCtx === null ? Math.max(...figures) : (figures[0] as number);
}
