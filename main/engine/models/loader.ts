import type { Clock } from '../../base/clock.ts';
import type { Tier } from '../../base/config-schema.ts';
import type { ModelsTable } from '../../base/store/models.ts';
import type { LoadKey } from '../queue/job.ts';
import { unlessAborted } from './aborting.ts';
import { modelCosts } from './costs.ts';
import { idleModels } from './idle.ts';
import { declaredBytes, type LineupEntry } from './lineup.ts';
import {
  type Attempt,
  isModel,
  keepAliveOf,
  type LoadedModel,
  type LoadResult,
  loading,
} from './loading.ts';
import { type ModelSettings, residency, type Seen } from './residency.ts';
import {
  type ChatRequest,
  type ChatTurn,
  ModelError,
  type ModelFault,
  type ModelServer,
} from './server.ts';
import { evictor, idOf, type Named } from './unloading.ts';

export interface Released {
  /** From the asking until it was seen gone, milliseconds. */
  readonly millis: number;
  readonly unloaded: string[];
  /** Asked to leave and still in memory. */
  readonly stuck: string[];
  /** A model of ours may be there, or come: its server did not answer, or loads it on unasked. */
  readonly unsure: boolean;
}

export type HandleRequest = Omit<ChatRequest, 'model' | 'numCtx' | 'keepAliveMinutes'>;

export interface LoaderParts {
  readonly clock: Clock;
  readonly table: ModelsTable;
  readonly settings: () => ModelSettings;
  /** A model has come or gone: deferred jobs may fit now. */
  readonly onChange?: () => void;
}

export interface Loader {
  /**
   * Makes the tier's model resident with this window, within the budget and the count. Refusals and
   * server faults are values; nothing is asked of a server before the whole set is known to fit.
   */
  ensure(key: LoadKey, signal?: AbortSignal): Promise<LoadResult>;
  /**
   * One call on the key's model. It is made sure of again first, since a server may have dropped it:
   * no load happens that the budget did not allow. Throws ModelError: `busy` when there is no room now.
   */
  chat(key: LoadKey, request: HandleRequest, signal: AbortSignal): Promise<ChatTurn>;
  /** Unloads what Lull loaded outside the pinned slot and no call runs on; waits until it has left. */
  releaseWorker(cause: string): Promise<Released>;
  releasePinned(cause: string): Promise<Released>;
  /** Looks at every server. */
  observe(signal?: AbortSignal): Promise<Seen[]>;
  /** What the last looks saw. */
  residents(): Seen[];
  /** Keys that need no load now, as far as last seen. */
  loadedKeys(): LoadKey[];
  /** Whether a load or an unload was seen since the last call. */
  takeChange(): boolean;
  /** No timer of its own is left; nothing is unloaded. */
  close(): void;
}

/**
 * The two-slot loader: one pinned model, one worker, one memory budget over all servers. Loads go one
 * at a time; a model that calls of ours run on is never moved.
 */
export function createLoader(parts: LoaderParts): Loader {
  const { clock, table, settings } = parts;
  const costs = modelCosts({
    clock,
    table,
    declared(server, model, numCtx) {
      const { lineup, embedder } = settings();
      const entries = [...Object.values(lineup), ...(embedder ? [embedder] : [])];
      return declaredBytes(entries, server, model, numCtx);
    },
  });
  const view = residency({ clock, table, costs, settings, onChange: noteChange });
  const out = evictor({ clock, table, stir: view.stir });
  const calls = new Map<string, number>();
  const isHeld = (one: Named) => (calls.get(idOf(one)) ?? 0) > 0;
  const { alreadyThere, loadWithin } = loading({
    clock,
    table,
    settings,
    costs,
    view,
    out,
    isHeld,
  });
  const idle = idleModels({
    clock,
    isHeld,
    stayMinutes: (one) => keepAliveOf(settings(), one.role === 'pinned' ? 'pinned' : 'routine'),
    async putOut(one) {
      const holder = settings().servers.get(one.server);
      if (holder && (await out.putOut(holder, one, 'idle'))) await view.look(null);
    },
  });
  let changed = false;
  let line: Promise<unknown> = Promise.resolve();

  function noteChange(): void {
    changed = true;
    parts.onChange?.();
  }

  /** One at a time. Who is told to stop while waiting for its turn does not wait on. */
  function exclusive<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = line.then(() => {
      if (signal?.aborted) throw new ModelError('aborted', STOPPED);
      return work();
    });
    line = turn.catch(() => {});
    return unlessAborted(turn, signal, STOPPED);
  }

  async function acquire(
    key: LoadKey,
    signal: AbortSignal | undefined,
    hold: (model: LoadedModel) => void,
  ): Promise<LoadResult> {
    const entry = settings().lineup[key.tier];
    const server = settings().servers.get(entry.server);
    if (!server) return faulty('not_found', `no model server is called "${entry.server}"`);
    const keepAliveMinutes = keepAliveOf(settings(), key.tier);
    const ready: Attempt['ready'] = (numCtx, sendCtx, swapped = false) => {
      const model = { server, model: entry.model, numCtx, sendCtx, keepAliveMinutes };
      hold(model);
      return { ok: true, model, swapped };
    };
    if (server.weightless) return ready(key.numCtx, key.numCtx);
    const at = { key, entry, server, signal, ready };
    try {
      const there = alreadyThere(at, await view.lookAt(server, signal));
      return there ?? (await exclusive(() => loadWithin(at), signal));
    } catch (error) {
      if (error instanceof ModelError) return faulty(error.fault, error.message);
      throw error;
    } finally {
      idle.note(view.last());
    }
  }

  async function chat(key: LoadKey, request: HandleRequest, signal: AbortSignal) {
    let id = '';
    const result = await acquire(key, signal, ({ server, model }) => {
      id = idOf({ server: server.name, model });
      calls.set(id, (calls.get(id) ?? 0) + 1);
    });
    if (!result.ok) {
      const fault = result.code === 'never-fits' ? 'out_of_memory' : 'busy';
      throw new ModelError(result.code === 'fault' ? result.fault : fault, result.reason);
    }
    const { server, model, sendCtx, keepAliveMinutes } = result.model;
    try {
      return await server.chat({ ...request, model, numCtx: sendCtx, keepAliveMinutes }, signal);
    } finally {
      calls.set(id, (calls.get(id) ?? 1) - 1);
      idle.used({ server: server.name, model });
      idle.note(view.last());
    }
  }

  /** A load that was stopped may come to its end all the same, after it was told to leave. */
  function isUnsure(): boolean {
    const silent = view.silent();
    const there = new Set(view.last().map(idOf));
    return table
      .owned()
      .some(
        (one) =>
          silent.includes(one.server) || (one.effectiveCtx === null && !there.has(idOf(one))),
      );
  }

  /** Not in line with the loads: memory the owner needs back does not wait for a slow server. */
  async function release(cause: string, leaves: (one: Seen) => boolean): Promise<Released> {
    const started = clock.monotonic();
    const result = { unloaded: [] as string[], stuck: [] as string[] };
    for (const one of (await view.look(null)).filter((each) => each.ours && leaves(each))) {
      if (isHeld(one)) continue;
      const holder = settings().servers.get(one.server) as ModelServer;
      const left = await out.putOut(holder, one, cause);
      (left ? result.unloaded : result.stuck).push(one.model);
    }
    if (result.unloaded.length > 0) await view.look(null);
    return { ...result, unsure: isUnsure(), millis: Math.round(clock.monotonic() - started) };
  }

  return {
    ensure: (key, signal) => acquire(key, signal, () => {}),
    chat,
    releaseWorker: (cause) => release(cause, (one) => one.role !== 'pinned'),
    releasePinned: (cause) => release(cause, (one) => one.role === 'pinned'),
    async observe(signal) {
      const seen = await view.look(null, signal);
      idle.note(view.last());
      return seen;
    },
    residents: view.last,
    loadedKeys() {
      const { lineup, servers } = settings();
      return (Object.entries(lineup) as [Tier, LineupEntry][]).flatMap(([tier, entry]) => {
        if (servers.get(entry.server)?.weightless) return [{ tier, numCtx: entry.numCtx }];
        const there = view.last().filter((one) => isModel(one, entry));
        return there.flatMap(({ ownWindow, askedCtx }) => {
          const numCtx = ownWindow ? entry.numCtx : askedCtx;
          return numCtx === null ? [] : [{ tier, numCtx }];
        });
      });
    },
    takeChange() {
      const was = changed;
      changed = false;
      return was;
    },
    close: idle.close,
  };
}

function faulty(fault: ModelFault, reason: string): LoadResult {
  return { ok: false, code: 'fault', fault, reason };
}

const STOPPED = 'the load was stopped';
