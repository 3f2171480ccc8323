import { TIERS, type Tier } from '../../base/config-schema.ts';
import type { LoadRow, LoadTally, ModelsTable } from '../../base/store/models.ts';
import type { Loader } from './loader.ts';
import type { ModelSettings } from './residency.ts';

/** Models as views show them. Bytes are bytes; GB anywhere are decimal. */
export interface ModelsStatus {
  /** The owner has named a server or a model. */
  chosen: boolean;
  /** The offline model serves, whatever is chosen. */
  forced: boolean;
  budgetBytes: number;
  /** What is charged for all that is resident, as last seen. */
  usedBytes: number;
  residents: {
    server: string;
    model: string;
    numCtx: number | null;
    /** Null: cannot be known. */
    bytes: number | null;
    /** Loaded by Lull; others belong to other programs and are never unloaded by it. */
    ours: boolean;
    role: 'pinned' | 'worker' | 'embedder';
    /** Its server does not say what is in memory: it may be there. */
    presumed: boolean;
  }[];
  lineup: { tier: Tier; server: string; label: string; model: string; numCtx: number }[];
  /** Newest first. */
  loads: LoadRow[];
  /** Since the given moment. */
  tally: LoadTally;
}

const ROWS_SHOWN = 20;

/** A read for views: nothing is asked of a server. */
export function modelsStatus(
  settings: ModelSettings,
  loader: Pick<Loader, 'residents'>,
  table: Pick<ModelsTable, 'recent' | 'tally'>,
  since: number,
): Omit<ModelsStatus, 'chosen' | 'forced'> {
  const residents = loader.residents().map(({ cost, ...one }) => {
    const { server, model, numCtx, ours, role, presumed } = one;
    return { server, model, numCtx, bytes: cost, ours, role, presumed };
  });
  return {
    ...memoryUse(settings, loader),
    residents,
    lineup: TIERS.map((tier) => {
      const entry = settings.lineup[tier];
      const label = settings.servers.get(entry.server)?.label ?? entry.server;
      return { tier, label, ...entry };
    }),
    loads: table.recent(ROWS_SHOWN),
    tally: table.tally(since),
  };
}

/** How much of the budget is taken, as last seen. */
export function memoryUse(
  { budgetBytes }: Pick<ModelSettings, 'budgetBytes'>,
  loader: Pick<Loader, 'residents'>,
): { budgetBytes: number; usedBytes: number } {
  const usedBytes = loader.residents().reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  return { budgetBytes, usedBytes };
}

/** The models in use as one line, for example `llama3.2:latest on Ollama`; each named once. */
export function lineupLine(settings: ModelSettings): string {
  const texts = TIERS.map((tier) => {
    const { server, model } = settings.lineup[tier];
    const holder = settings.servers.get(server);
    const label = holder?.label ?? server;
    return holder?.weightless ? label : `${model} on ${label}`;
  });
  return [...new Set(texts)].join(', ');
}
