import type { CatalogueModel } from './catalogue.ts';
import type { Faults } from './faults.ts';
import { HttpFault, pause } from './http.ts';
import type { ServerLog } from './log.ts';

/** A model in memory. */
export interface Runner {
  readonly model: CatalogueModel;
  readonly numCtx: number;
  /** The window was in the request, not the server's own choice. */
  readonly explicit: boolean;
  refs: number;
  keepAliveMs: number;
  expiresAt: number;
  stuckPolls: number;
  timer: NodeJS.Timeout | undefined;
  /** Requests of one model go one after another. */
  slot: Promise<void>;
}

export interface MemoryParts {
  readonly log: ServerLog;
  readonly faults: () => Faults;
  readonly loadMs: () => number;
  readonly mostLoaded: number;
  /** The window of a load that names none. */
  readonly ownWindow: (model: CatalogueModel) => number;
  /** A request with another window, or with none after one, loads the model again. */
  readonly reloads: boolean;
  /** How long a model stays after its last request, unless one says otherwise. */
  readonly keepAliveMs: number;
  /** What a failed load says. */
  readonly words: { outOfMemory: string; killed: string; canceled: string };
}

export const FOREVER_MS = Number.MAX_SAFE_INTEGER / 2;

/** What is in memory, and the one queue of loads: one at a time, everything that needs one waits. */
export class Memory {
  readonly #parts: MemoryParts;
  readonly #loaded = new Map<string, Runner>();
  readonly #loading = new Map<string, number>();
  #line: Promise<unknown> = Promise.resolve();

  constructor(parts: MemoryParts) {
    this.#parts = parts;
  }

  /** A runner for this request, loaded first if need be; give it back with `release`. */
  async acquire(
    model: CatalogueModel,
    numCtx: number | undefined,
    keepAliveMs: number | undefined,
    gone: AbortSignal,
  ): Promise<Runner> {
    const there = this.#fitting(model, numCtx);
    if (there) return this.#hold(there, keepAliveMs);
    if (this.#parts.faults().loads === 'second-fails' && this.#loading.size > 0) {
      throw new HttpFault(500, this.#parts.words.killed);
    }
    const { name } = model;
    this.#loading.set(name, (this.#loading.get(name) ?? 0) + 1);
    const turn = this.#line.then(() => this.#load(model, numCtx, gone));
    this.#line = turn.catch(() => {});
    try {
      return this.#hold(await turn, keepAliveMs);
    } finally {
      const left = (this.#loading.get(name) ?? 1) - 1;
      if (left === 0) this.#loading.delete(name);
      else this.#loading.set(name, left);
    }
  }

  release(runner: Runner): void {
    runner.refs -= 1;
    if (runner.refs > 0 || this.#loaded.get(runner.model.name) !== runner) return;
    if (runner.keepAliveMs === 0) {
      this.#drop(runner);
      return;
    }
    runner.expiresAt = Date.now() + runner.keepAliveMs;
    if (runner.keepAliveMs > 2 ** 31 - 1) return;
    runner.timer = setTimeout(() => this.#drop(runner), runner.keepAliveMs);
    runner.timer.unref();
  }

  /** Only a request: the model leaves when nothing runs on it. False when it is not there. */
  unload(model: CatalogueModel): boolean {
    this.#parts.log.add({ kind: 'unload-asked', model: model.name });
    const runner = this.#loaded.get(model.name);
    if (!runner) return false;
    runner.keepAliveMs = 0;
    runner.expiresAt = Date.now();
    const { stuckUnload } = this.#parts.faults();
    if (stuckUnload !== undefined) {
      runner.stuckPolls = stuckUnload === 'forever' ? Number.POSITIVE_INFINITY : stuckUnload;
    }
    if (runner.refs === 0) this.#drop(runner);
    return true;
  }

  /** Leaves memory at once, whatever runs on it. */
  evict(runner: Runner): void {
    runner.stuckPolls = 0;
    this.#drop(runner);
  }

  /** What is there, for a list that a client asked for; such a list is one poll. */
  polled(): Runner[] {
    const runners = [...this.#loaded.values()];
    for (const runner of runners) this.#countDown(runner);
    return runners;
  }

  get(name: string): Runner | undefined {
    return this.#loaded.get(name);
  }

  names(): string[] {
    return [...this.#loaded.keys()];
  }

  loading(): string[] {
    return [...this.#loading.keys()];
  }

  clear(): void {
    for (const runner of this.#loaded.values()) clearTimeout(runner.timer);
    this.#loaded.clear();
  }

  #fitting(model: CatalogueModel, numCtx: number | undefined): Runner | undefined {
    const runner = this.#loaded.get(model.name);
    if (!runner || !this.#parts.reloads) return runner;
    if (numCtx === undefined) return runner.explicit ? undefined : runner;
    return runner.numCtx === windowOf(model, numCtx) ? runner : undefined;
  }

  #hold(runner: Runner, keepAliveMs: number | undefined): Runner {
    clearTimeout(runner.timer);
    runner.refs += 1;
    if (keepAliveMs !== undefined) runner.keepAliveMs = keepAliveMs;
    return runner;
  }

  async #load(
    model: CatalogueModel,
    numCtx: number | undefined,
    gone: AbortSignal,
  ): Promise<Runner> {
    const there = this.#fitting(model, numCtx);
    if (there) return there;
    const old = this.#loaded.get(model.name);
    if (old) await this.#whenIdle(old, gone);
    while (this.#loaded.size >= this.#parts.mostLoaded) await this.#evictOne(gone);
    const { log, words } = this.#parts;
    const window = windowOf(model, numCtx ?? this.#parts.ownWindow(model));
    log.add({ kind: 'load-start', model: model.name, numCtx: window });
    if (!(await pause(this.#parts.loadMs(), gone))) {
      log.add({ kind: 'load-abort', model: model.name });
      throw new HttpFault(499, words.canceled);
    }
    if (this.#parts.faults().outOfMemory) throw new HttpFault(500, words.outOfMemory);
    const { keepAliveMs } = this.#parts;
    const runner: Runner = {
      model,
      numCtx: window,
      explicit: numCtx !== undefined,
      refs: 0,
      keepAliveMs,
      expiresAt: Date.now() + keepAliveMs,
      stuckPolls: 0,
      timer: undefined,
      slot: Promise.resolve(),
    };
    this.#loaded.set(model.name, runner);
    log.add({ kind: 'load-end', model: model.name, numCtx: window });
    return runner;
  }

  async #whenIdle(runner: Runner, gone: AbortSignal): Promise<void> {
    while (runner.refs > 0) {
      if (!(await pause(5, gone))) throw new HttpFault(499, this.#parts.words.canceled);
    }
    if (this.#loaded.get(runner.model.name) === runner) this.#drop(runner);
  }

  async #evictOne(gone: AbortSignal): Promise<void> {
    const idle = [...this.#loaded.values()].filter((runner) => runner.refs === 0);
    const first = idle.sort((a, b) => a.keepAliveMs - b.keepAliveMs)[0];
    if (first) this.evict(first);
    else if (!(await pause(5, gone))) throw new HttpFault(499, this.#parts.words.canceled);
  }

  #drop(runner: Runner): void {
    clearTimeout(runner.timer);
    if (runner.stuckPolls > 0) return;
    if (this.#loaded.get(runner.model.name) !== runner) return;
    this.#loaded.delete(runner.model.name);
    this.#parts.log.add({ kind: 'unloaded', model: runner.model.name });
  }

  #countDown(runner: Runner): void {
    if (runner.stuckPolls === 0) return;
    runner.stuckPolls -= 1;
    if (runner.stuckPolls === 0 && runner.refs === 0) this.#drop(runner);
  }
}

function windowOf(model: CatalogueModel, numCtx: number): number {
  return Math.max(4, Math.min(numCtx, Number(model.info.context_length ?? numCtx)));
}
