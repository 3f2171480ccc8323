import { type Clock, sleep } from '../../base/clock.ts';
import type { Tier } from '../../base/config-schema.ts';
import type { ModelsTable, NewLoadRow } from '../../base/store/models.ts';
import type { LoadKey } from '../queue/job.ts';
import { breach, planLoad, type RefusalCode } from './ceiling.ts';
import type { Costs } from './costs.ts';
import type { LineupEntry } from './lineup.ts';
import type { ModelSettings, Residency, Seen } from './residency.ts';
import { FULL_MANNER, ModelError, type ModelFault, type ModelServer } from './server.ts';
import type { Evictor } from './unloading.ts';

/** A resident model, ready for calls. */
export interface LoadedModel {
  readonly server: ModelServer;
  readonly model: string;
  /** The window a prompt may fill, tokens: what the server gave, which may be less than asked. */
  readonly numCtx: number;
  /** The window to send with every call: another one would make the server load it again. */
  readonly sendCtx: number;
  readonly keepAliveMinutes: number | null;
}

export type LoadResult =
  | { ok: true; model: LoadedModel; swapped: boolean }
  | { ok: false; code: RefusalCode; reason: string }
  | { ok: false; code: 'fault'; fault: ModelFault; reason: string };

/** One wish for a model, from the look at what is there to the answer. */
export interface Attempt {
  readonly key: LoadKey;
  readonly entry: LineupEntry;
  readonly server: ModelServer;
  readonly signal: AbortSignal | undefined;
  /** Makes the answer, and holds the model in the same instant. */
  readonly ready: (numCtx: number, sendCtx: number, swapped?: boolean) => LoadResult;
}

export interface LoadingParts {
  readonly clock: Clock;
  readonly table: Pick<ModelsTable, 'record'>;
  readonly settings: () => ModelSettings;
  readonly costs: Costs;
  readonly view: Residency;
  readonly out: Evictor;
  /** Calls of ours run on it. */
  readonly isHeld: (one: Seen) => boolean;
}

export interface Loading {
  /** The answer when the model is there with the right window; null when it must be loaded. */
  alreadyThere(at: Attempt, residents: readonly Seen[]): LoadResult | null;
  /** Makes room and loads, or refuses before anything was asked. One at a time. Throws ModelError. */
  loadWithin(at: Attempt): Promise<LoadResult>;
}

/** After the server says loaded, its list may lag. */
const LISTED_WITHIN_MS = 5_000;
const MOST_ROUNDS = 6;
/** After these the server may still be loading: it is asked to stop. */
const MAY_GO_ON: ReadonlySet<ModelFault> = new Set(['aborted', 'stalled', 'truncated']);

export function loading(parts: LoadingParts): Loading {
  const { clock, settings, costs, view, out } = parts;
  let lastRefusal = '';

  function alreadyThere(at: Attempt, residents: readonly Seen[]): LoadResult | null {
    const { key, entry } = at;
    const found = residents.find((one) => isModel(one, entry));
    if (!found || found.presumed || out.isLeaving(found)) return null;
    const { numCtx, askedCtx } = found;
    if (found.ownWindow) return at.ready(numCtx ?? key.numCtx, key.numCtx);
    if (found.ours) {
      return askedCtx === key.numCtx ? at.ready(numCtx ?? key.numCtx, key.numCtx) : null;
    }
    // Another program's model is used as it is: our own window would load it again under its feet.
    return numCtx !== null && numCtx >= key.numCtx ? at.ready(numCtx, numCtx) : null;
  }

  async function loadWithin(at: Attempt): Promise<LoadResult> {
    const { key, entry, server, signal } = at;
    let swapped = false;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const residents = await view.look(server, signal);
      const there = alreadyThere(at, residents);
      if (there) return there;
      const cost = await costs.ofTarget(server, entry.model, key.numCtx, signal);
      if (cost.remote) return at.ready(key.numCtx, key.numCtx);
      const { measures: measured } = (await server.manner?.(signal)) ?? FULL_MANNER;
      const wanted = { ...entry, tier: key.tier, cost: cost.bytes, measured };
      // One that may be there already: it takes the room that it is given, and needs no load.
      const presumed = residents.find((one) => isModel(one, entry) && one.presumed);
      const others = residents.filter((one) => one !== presumed).map(withHolds);
      const plan = planLoad(wanted, others, settings().budgetBytes);
      if (!plan.go) return refused(at, plan.code, plan.reason);
      if (plan.unload.length === 0 && presumed) {
        return at.ready(presumed.numCtx ?? key.numCtx, key.numCtx, swapped);
      }
      if (plan.unload.length === 0) return load(at, swapped);
      for (const one of plan.unload as Seen[]) {
        // A call may have begun on it while another was leaving: then the plan no longer holds.
        if (parts.isHeld(one)) break;
        const holder = settings().servers.get(one.server) as ModelServer;
        const left = await out.putOut(holder, one, `room for ${entry.model}`, signal);
        if (left && one.role === 'worker' && key.tier !== 'pinned') swapped = true;
      }
    }
    return refused(at, 'ceiling', 'what is in memory keeps changing');
  }

  async function load(at: Attempt, swapped: boolean): Promise<LoadResult> {
    const { key, entry, server, signal } = at;
    const row = { server: server.name, model: entry.model, tier: key.tier, numCtx: key.numCtx };
    const started = clock.monotonic();
    const millis = () => Math.round(clock.monotonic() - started);
    record({ ...row, action: 'loading' });
    view.stir();
    try {
      await server.load(entry.model, key.numCtx, keepAliveOf(settings(), key.tier), signal);
    } catch (error) {
      record({ ...row, action: 'failed', millis: millis(), detail: String(error) });
      const fault = error instanceof ModelError ? error.fault : null;
      if (fault && MAY_GO_ON.has(fault)) void server.unload(entry.model).catch(() => {});
      throw error;
    } finally {
      view.stir();
    }
    const found = await listed(at);
    if (!found) {
      record({ ...row, action: 'failed', millis: millis(), detail: 'loaded, then not listed' });
      throw new ModelError('server', `${server.label} loaded ${entry.model} but does not list it`);
    }
    const effectiveCtx = found.numCtx ?? key.numCtx;
    record({
      ...row,
      action: 'load',
      effectiveCtx,
      bytes: found.bytes,
      millis: millis(),
      swapped,
    });
    view.stir();
    await costs.learn(server, found);
    return measured(at, effectiveCtx, swapped);
  }

  /** The estimate may have been too low: what turns out not to fit does not stay. */
  async function measured(at: Attempt, numCtx: number, swapped: boolean): Promise<LoadResult> {
    const residents = await view.look(at.server, at.signal);
    const own = residents.find((one) => isModel(one, at.entry));
    const others = residents.filter((one) => one !== own);
    const over = own?.cost ? breach(own.cost, others, settings().budgetBytes) : null;
    if (!own || !over || own.stays) return at.ready(numCtx, at.key.numCtx, swapped);
    await out.putOut(at.server, own, 'larger than estimated');
    return refused(at, 'ceiling', over);
  }

  /** The model as the server lists it after a load, or null. */
  async function listed({ server, entry, signal }: Attempt) {
    const until = clock.monotonic() + LISTED_WITHIN_MS;
    for (;;) {
      const models = await server.resident(signal);
      const found = models.find((one) => one.name === entry.model);
      if (found || clock.monotonic() >= until) return found ?? null;
      await sleep(clock, 250, signal);
    }
  }

  function withHolds(one: Seen): Seen {
    return { ...one, fixed: parts.isHeld(one) || out.isStuck(one) };
  }

  /** The same refusal again and again is one row. */
  function refused(at: Attempt, code: RefusalCode, reason: string): LoadResult {
    const { server, model } = at.entry;
    const text = JSON.stringify([server, model, at.key.numCtx, reason]);
    const row = { server, model, tier: at.key.tier, numCtx: at.key.numCtx };
    if (text !== lastRefusal) record({ ...row, action: 'refused', detail: `${code}: ${reason}` });
    lastRefusal = text;
    return { ok: false, code, reason };
  }

  function record(row: Omit<NewLoadRow, 'at'>): void {
    if (row.action !== 'refused') lastRefusal = '';
    parts.table.record({ ...row, at: clock.now() });
  }

  return { alreadyThere, loadWithin };
}

/** Minutes a tier's model stays after its last call; null: for ever. */
export function keepAliveOf(settings: ModelSettings, tier: Tier): number | null {
  return tier === 'pinned' ? settings.pinnedKeepAliveMinutes : settings.keepAliveMinutes;
}

export function isModel(one: { server: string; model: string }, entry: LineupEntry): boolean {
  return one.server === entry.server && one.model === entry.model;
}
