import type { Clock } from '../../base/clock.ts';
import type { ModelsTable, OwnedModel } from '../../base/store/models.ts';
import type { Resident } from './ceiling.ts';
import type { Costs } from './costs.ts';
import type { Lineup, LineupEntry } from './lineup.ts';
import {
  FULL_MANNER,
  type Manner,
  ModelError,
  type ModelServer,
  type ResidentModel,
} from './server.ts';
import { idOf } from './unloading.ts';

/** The owner's choices as they are now; read anew for every decision. */
export interface ModelSettings {
  readonly lineup: Lineup;
  readonly embedder: LineupEntry | null;
  readonly servers: ReadonlyMap<string, ModelServer>;
  /** Bytes all resident models may use together. */
  readonly budgetBytes: number;
  /** Minutes a worker model stays after its last call. */
  readonly keepAliveMinutes: number;
  /** The same for the pinned model; null: for ever. */
  readonly pinnedKeepAliveMinutes: number | null;
}

export interface Seen extends Resident {
  /** The window that was asked for when Lull loaded it: the server may have given less. */
  readonly askedCtx: number | null;
  /** The window is its server's: no load changes it. */
  readonly ownWindow: boolean;
  /** Its server lists it and does not say what is in memory. */
  readonly presumed: boolean;
  /** Its server keeps it until told: the time it may stay is Lull's to keep. */
  readonly keptByLull: boolean;
}

export interface ResidencyParts {
  readonly clock: Clock;
  readonly table: Pick<ModelsTable, 'owned' | 'record'>;
  readonly costs: Costs;
  readonly settings: () => ModelSettings;
  /** Told when a model has come or gone since the last look. */
  readonly onChange: () => void;
}

export interface Residency {
  /**
   * Asks the servers what is in memory. Never throws for a server that is not `required`: one that
   * refuses the connection holds nothing; of one that does not answer in time, what was last seen.
   */
  look(required: ModelServer | null, signal?: AbortSignal): Promise<Seen[]>;
  /** The same of one server alone. Throws ModelError. */
  lookAt(server: ModelServer, signal?: AbortSignal): Promise<Seen[]>;
  /** What the last looks saw. */
  last(): Seen[];
  /** Servers that are left alone for a while, for they did not answer. */
  silent(): string[];
  /** A load or an unload begins or ends: looks that began before it no longer count. */
  stir(): void;
}

/** A load that was asked for and not seen to finish is still ours for so long, while the machine is awake. */
const LOADING_GRACE_MS = 15 * 60_000;
/** A server that does not answer is left alone for so long. */
const REST_MS = 60_000;

export function residency(parts: ResidencyParts): Residency {
  const { clock, table, costs, settings } = parts;
  const seen = new Map<string, Seen[]>();
  const resting = new Map<string, number>();
  /** The load of each model that was not seen to finish, and since when: a load sleeps with its machine. */
  const unfinished = new Map<string, { at: number; since: number }>();
  let epoch = 0;
  let signature: string | null = null;

  async function lookAt(server: ModelServer, signal?: AbortSignal): Promise<Seen[]> {
    const before = epoch;
    const manner = (await server.manner?.(signal)) ?? FULL_MANNER;
    const listed = await server.resident(signal);
    const models = manner.tells ? listed : listed.filter((model) => isNamed(server, model));
    const costed = await Promise.all(
      models.map(async (model) => {
        const cost = await costs.ofResident(server, model, !manner.setsWindow);
        return { model, cost };
      }),
    );
    const owned = table.owned().filter((row) => row.server === server.name);
    const result = costed.map(({ model, cost }) => classify(server, model, cost, owned, manner));
    if (before === epoch) settleView(server.name, result, owned);
    return result;
  }

  /** A server that does not say what it holds is charged with all that the lineup runs on it. */
  function isNamed(server: ModelServer, model: ResidentModel): boolean {
    const { lineup, embedder } = settings();
    const entries = [...Object.values(lineup), ...(embedder ? [embedder] : [])];
    return entries.some((entry) => entry.server === server.name && entry.model === model.name);
  }

  function classify(
    server: ModelServer,
    model: ResidentModel,
    cost: number | null,
    owned: OwnedModel[],
    manner: Manner,
  ): Seen {
    const row = owned.find((one) => one.model === model.name && fits(one, model.numCtx));
    const askedCtx = row?.numCtx ?? model.numCtx;
    const { lineup, embedder } = settings();
    const is = (entry: LineupEntry | null) =>
      entry?.server === server.name && entry.model === model.name;
    const ownWindow = !manner.setsWindow;
    const pinned = is(lineup.pinned) && (ownWindow || askedCtx === lineup.pinned.numCtx);
    return {
      server: server.name,
      model: model.name,
      digest: model.digest,
      numCtx: model.numCtx,
      askedCtx,
      cost,
      ours: row !== undefined && manner.unloads,
      role: pinned ? 'pinned' : is(embedder) ? 'embedder' : 'worker',
      fixed: false,
      swapped: manner.swaps,
      stays: !manner.unloads,
      ownWindow,
      presumed: !manner.tells,
      keptByLull: !manner.expires,
    };
  }

  /** Whether a resident window is the one that our load had: another one is another's load. */
  function fits(row: OwnedModel, numCtx: number | null): boolean {
    if (numCtx === null) return true;
    return row.effectiveCtx === null ? numCtx <= row.numCtx : numCtx === row.effectiveCtx;
  }

  /** Remembers a look, records what left without our asking, and tells of a change. */
  function settleView(server: string, result: Seen[], owned: OwnedModel[]): void {
    seen.set(server, result);
    resting.delete(server);
    for (const row of owned) {
      if (result.some((one) => (one.ours || one.stays) && one.model === row.model)) continue;
      if (mayYetCome(row)) continue;
      table.record({ at: clock.now(), action: 'gone', server, model: row.model });
    }
    announce();
  }

  function mayYetCome(row: OwnedModel): boolean {
    const { at, effectiveCtx } = row;
    if (effectiveCtx !== null) return false;
    const key = idOf(row);
    const now = clock.monotonic();
    const known = unfinished.get(key);
    const load = known?.at === at ? known : { at, since: now };
    unfinished.set(key, load);
    return now - load.since < LOADING_GRACE_MS;
  }

  function announce(): void {
    const names = [...seen.values()]
      .flat()
      .map((one) => `${one.server}\n${one.model}\n${one.numCtx}`);
    const next = names.sort().join('\n\n');
    const changed = signature !== null && signature !== next;
    signature = next;
    if (changed) parts.onChange();
  }

  async function lookAtAny(server: ModelServer, signal?: AbortSignal): Promise<Seen[]> {
    const until = resting.get(server.name) ?? Number.NEGATIVE_INFINITY;
    if (clock.monotonic() < until) return seen.get(server.name) ?? [];
    try {
      return await lookAt(server, signal);
    } catch (error) {
      if (!(error instanceof ModelError) || error.fault === 'aborted') throw error;
      if (error.fault === 'unreachable') seen.set(server.name, []);
      resting.set(server.name, clock.monotonic() + REST_MS);
      return seen.get(server.name) ?? [];
    }
  }

  return {
    lookAt,
    async look(required, signal) {
      const servers = [...settings().servers.values()].filter((server) => !server.weightless);
      const lists = await Promise.all(
        servers.map((server) =>
          server.name === required?.name ? lookAt(server, signal) : lookAtAny(server, signal),
        ),
      );
      return lists.flat();
    },
    last() {
      const { servers } = settings();
      return [...seen].flatMap(([name, list]) => (servers.has(name) ? list : []));
    },
    silent() {
      const now = clock.monotonic();
      return [...resting].flatMap(([name, until]) => (now < until ? [name] : []));
    },
    stir() {
      epoch += 1;
    },
  };
}
