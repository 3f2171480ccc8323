import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config-schema.ts';
import { canonicalJson } from '../../base/ids.ts';
import type { Store } from '../../base/store/database.ts';
import { modelsTable } from '../../base/store/models.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { type Discovery, discover, portsToTry } from './discovery.ts';
import { embedderOf, type Lineup, lineupOf } from './lineup.ts';
import { createLoader, type Loader } from './loader.ts';
import { type ModelPort, modelPort } from './port.ts';
import { BUDGET_SHARE } from './proposal.ts';
import type { ModelSettings } from './residency.ts';
import type { ModelServer } from './server.ts';
import { OFFLINE_SERVER, offlineServer } from './servers/offline.ts';
import { ollamaServer } from './servers/ollama.ts';
import { openaiServer } from './servers/openai.ts';
import { lineupLine, type ModelsStatus, memoryUse, modelsStatus } from './status.ts';
import type { Patience } from './watchdog.ts';

/** Opens the way to one configured server; not asked for the offline one. */
export type Connect = (
  server: Config['models']['servers'][number],
) => ModelServer & { close(): Promise<void> };

export interface ModelsParts {
  readonly clock: Clock;
  readonly store: Store;
  readonly config: () => Config;
  /** RAM of this machine, bytes. */
  readonly totalMemoryBytes: number;
  /** `--model offline`: every tier is served by the offline model. */
  readonly forceOffline?: boolean;
  /** Milliseconds each call of the offline model takes; for tests that stop the host in one. */
  readonly offlineDelayMs?: number;
  readonly patience?: Patience;
  /** How a configured server is reached; left out: over the network, by its kind. */
  readonly connect?: Connect | undefined;
  /** The key of a configured server; left out: none needs one. */
  readonly keyOf?: Secrets['keyOf'];
  /** A token for one call of a job. */
  readonly grant?: Secrets['grant'];
  /** Loopback ports that are looked at for servers. */
  readonly ports?: readonly number[];
  /** A model has come or gone. */
  readonly onChange?: () => void;
}

export interface Models {
  readonly loader: Loader;
  /** The loader as the supervisor uses it. */
  readonly port: ModelPort;
  lineup(): Lineup;
  /** The servers of the configuration that are reached over a network; the offline one is not. */
  servers(): ModelServer[];
  /** One line for the status: what serves, once each. */
  line(): string;
  status(since: number): ModelsStatus;
  /** Models loaded since the given moment. */
  loadsSince(from: number): number;
  /** How much of the budget is taken, as last seen. */
  memory(): { budgetBytes: number; usedBytes: number };
  /** Looks for servers and models on this machine, and proposes a lineup; nothing is loaded or changed. */
  discover(signal?: AbortSignal): Promise<Discovery>;
  /** Drops connections; nothing is unloaded. */
  close(): Promise<void>;
}

/** From this much RAM on, the pinned model stays for ever; below, 30 idle minutes. */
const ROOMY_BYTES = 32e9;
const PINNED_IDLE_MINUTES = 30;

/** The room of models: servers, lineup and loader, all following the configuration as it changes. */
export function openModels(parts: ModelsParts): Models {
  const { clock } = parts;
  const table = modelsTable(parts.store.db);
  const keyOf = parts.keyOf ?? (() => null);
  const offline = offlineServer({ clock, delayMs: parts.offlineDelayMs ?? 0 });
  let built = { key: '', servers: new Map<string, ModelServer>(), close: async () => {} };

  let settled: { of: Config['models']; settings: ModelSettings } | null = null;

  function serversOf(models: Config['models']): ReadonlyMap<string, ModelServer> {
    const key = canonicalJson(models.servers);
    if (built.key === key) return built.servers;
    void built.close();
    built = { key, ...buildServers(models.servers) };
    return built.servers;
  }

  const connect: Connect =
    parts.connect ??
    ((one) => {
      const { name, kind, url } = one;
      const patience = parts.patience ? { patience: parts.patience } : {};
      return kind === 'openai'
        ? openaiServer({ clock, name, url: url as string, key: keyOf(one), ...patience })
        : ollamaServer({ clock, name, url, ...patience });
    });

  function buildServers(list: Config['models']['servers']) {
    const servers = new Map<string, ModelServer>([[OFFLINE_SERVER, offline]]);
    const closes: (() => Promise<void>)[] = [];
    for (const one of list) {
      const { name, kind } = one;
      if (kind === 'offline') {
        servers.set(name, offlineServer({ clock, name, delayMs: parts.offlineDelayMs ?? 0 }));
        continue;
      }
      const server = connect(one);
      servers.set(name, server);
      closes.push(server.close);
    }
    const close = async () => void (await Promise.all(closes.map((one) => one())));
    return { servers, close };
  }

  /** Asked for several times a pass; a changed configuration is another object. */
  function settings(): ModelSettings {
    const { models } = parts.config();
    if (settled?.of !== models) settled = { of: models, settings: settingsOf(models) };
    return settled.settings;
  }

  function settingsOf(models: Config['models']): ModelSettings {
    const { totalMemoryBytes, forceOffline = false } = parts;
    return {
      lineup: lineupOf(models, forceOffline),
      embedder: embedderOf(models),
      servers: serversOf(models),
      budgetBytes:
        models.budgetGb === null ? totalMemoryBytes * BUDGET_SHARE : models.budgetGb * 1e9,
      keepAliveMinutes: models.keepAliveMinutes,
      pinnedKeepAliveMinutes: totalMemoryBytes < ROOMY_BYTES ? PINNED_IDLE_MINUTES : null,
    };
  }

  const { onChange } = parts;
  const loader = createLoader({ clock, table, settings, ...(onChange && { onChange }) });
  return {
    loader,
    port: modelPort(loader, clock, parts.grant),
    lineup: () => settings().lineup,
    servers: () => [...settings().servers.values()].filter((server) => !server.weightless),
    line: () => lineupLine(settings()),
    loadsSince: (from) => table.tally(from).loads,
    memory: () => memoryUse(settings(), loader),
    status(since) {
      const { servers, tiers } = parts.config().models;
      const chosen = servers.length + Object.keys(tiers).length > 0;
      const forced = parts.forceOffline ?? false;
      return { chosen, forced, ...modelsStatus(settings(), loader, table, since) };
    },
    discover(signal) {
      const configured = parts.config().models.servers;
      const { budgetBytes } = settings();
      const ports = parts.ports ?? portsToTry();
      const ramBytes = parts.totalMemoryBytes;
      return discover({ clock, configured, keyOf, ramBytes, budgetBytes, ports }, signal);
    },
    async close() {
      loader.close();
      await built.close();
    },
  };
}
