import { type CatalogueModel, memoryOf } from './catalogue.ts';
import type { Faults } from './faults.ts';
import type { ServerLog } from './log.ts';

/** An answer with an error status; `text` goes into `{"error": …}`. */
export class HttpFault extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

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

export interface RunnersParts {
  log: ServerLog;
  faults: () => Faults;
  loadMs: () => number;
}

const DEFAULT_CONTEXT = 4096;
const DEFAULT_KEEP_ALIVE_MS = 300_000;
const MOST_LOADED = 3;

/** What is in memory, and the one queue of loads: one at a time, everything that needs one waits. */
export class Runners {
  readonly #parts: RunnersParts;
  readonly #loaded = new Map<string, Runner>();
  #line: Promise<unknown> = Promise.resolve();
  #loading = 0;

  constructor(parts: RunnersParts) {
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
    const { loads } = this.#parts.faults();
    if (loads === 'second-fails' && this.#loading > 0) {
      throw new HttpFault(500, 'llama-server process has terminated: signal: killed');
    }
    this.#loading += 1;
    const turn = this.#line.then(() => this.#load(model, numCtx, gone));
    this.#line = turn.catch(() => {});
    try {
      return this.#hold(await turn, keepAliveMs);
    } finally {
      this.#loading -= 1;
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

  /** Only a request: the model leaves when nothing runs on it. */
  unload(model: CatalogueModel): void {
    this.#parts.log.add({ kind: 'unload-asked', model: model.name });
    const runner = this.#loaded.get(model.name);
    if (!runner) return;
    runner.keepAliveMs = 0;
    runner.expiresAt = Date.now();
    const { stuckUnload } = this.#parts.faults();
    if (stuckUnload !== undefined) {
      runner.stuckPolls = stuckUnload === 'forever' ? Number.POSITIVE_INFINITY : stuckUnload;
    }
    if (runner.refs === 0) this.#drop(runner);
  }

  /** Leaves memory at once, whatever runs on it. */
  evict(runner: Runner): void {
    runner.stuckPolls = 0;
    this.#drop(runner);
  }

  /** The entries of `/api/ps`. */
  list(): Record<string, unknown>[] {
    const runners = [...this.#loaded.values()].sort((a, b) => b.expiresAt - a.expiresAt);
    const entries = runners.map((runner) => this.#entry(runner));
    for (const runner of runners) this.#countDown(runner);
    return this.#parts.faults().loads === 'twice' ? [...entries, ...entries] : entries;
  }

  names(): string[] {
    return [...this.#loaded.keys()];
  }

  clear(): void {
    for (const runner of this.#loaded.values()) clearTimeout(runner.timer);
    this.#loaded.clear();
  }

  #fitting(model: CatalogueModel, numCtx: number | undefined): Runner | undefined {
    const runner = this.#loaded.get(model.name);
    if (!runner) return undefined;
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
    while (this.#loaded.size >= MOST_LOADED) await this.#evictOne(gone);
    const window = windowOf(model, numCtx ?? DEFAULT_CONTEXT);
    const { log } = this.#parts;
    log.add({ kind: 'load-start', model: model.name, numCtx: window });
    if (!(await pause(this.#parts.loadMs(), gone))) {
      log.add({ kind: 'load-abort', model: model.name });
      throw new HttpFault(499, 'request canceled');
    }
    if (this.#parts.faults().outOfMemory) {
      throw new HttpFault(
        500,
        'llama-server reported out-of-memory during startup: failed to allocate',
      );
    }
    const runner: Runner = {
      model,
      numCtx: window,
      explicit: numCtx !== undefined,
      refs: 0,
      keepAliveMs: DEFAULT_KEEP_ALIVE_MS,
      expiresAt: Date.now() + DEFAULT_KEEP_ALIVE_MS,
      stuckPolls: 0,
      timer: undefined,
      slot: Promise.resolve(),
    };
    this.#loaded.set(model.name, runner);
    log.add({ kind: 'load-end', model: model.name, numCtx: window });
    return runner;
  }

  async #whenIdle(runner: Runner, gone: AbortSignal): Promise<void> {
    while (runner.refs > 0)
      if (!(await pause(5, gone))) throw new HttpFault(499, 'request canceled');
    if (this.#loaded.get(runner.model.name) === runner) this.#drop(runner);
  }

  async #evictOne(gone: AbortSignal): Promise<void> {
    const idle = [...this.#loaded.values()].filter((runner) => runner.refs === 0);
    const first = idle.sort((a, b) => a.keepAliveMs - b.keepAliveMs)[0];
    if (first) this.#drop(first);
    else if (!(await pause(5, gone))) throw new HttpFault(499, 'request canceled');
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

  #entry(runner: Runner): Record<string, unknown> {
    const { model, numCtx } = runner;
    const size = this.#sizeOf(runner);
    return {
      name: model.name,
      model: model.name,
      size,
      digest: model.digest,
      details: detailsOf(model),
      expires_at: this.#expiryOf(runner),
      size_vram: size,
      context_length: numCtx,
    };
  }

  #sizeOf({ model, numCtx }: Runner): number {
    const { sizeIsFile, numbers } = this.#parts.faults();
    if (numbers === 'beyond') return 2 ** 63;
    if (numbers === 'negative') return -(2 ** 63);
    if (numbers === 'fraction') return 1.5;
    return sizeIsFile ? model.bytes : memoryOf(model, numCtx);
  }

  #expiryOf(runner: Runner): string {
    switch (this.#parts.faults().expiresAt) {
      case 'past':
        return '2001-09-09T01:46:40.123456789Z';
      case 'far':
        return '2318-12-24T11:02:29.854775807+02:00';
      case 'zero':
        return '0001-01-01T00:00:00Z';
      case 'offset':
        return localTime(runner.expiresAt, -570);
      default:
        return localTime(runner.expiresAt, -new Date().getTimezoneOffset());
    }
  }
}

export function detailsOf(model: CatalogueModel): Record<string, unknown> {
  return {
    parent_model: '',
    format: model.format ?? 'gguf',
    family: model.architecture,
    families: [model.architecture],
    parameter_size: '3.2B',
    quantization_level: 'Q4_K_M',
  };
}

function windowOf(model: CatalogueModel, numCtx: number): number {
  return Math.max(4, Math.min(numCtx, Number(model.info.context_length ?? numCtx)));
}

/** Wall time with the server's own offset and nine digits, as Go writes it. */
function localTime(ms: number, offsetMinutes: number): string {
  const shifted = new Date(ms + offsetMinutes * 60_000).toISOString();
  const sign = offsetMinutes < 0 ? '-' : '+';
  const hours = String(Math.floor(Math.abs(offsetMinutes) / 60)).padStart(2, '0');
  const minutes = String(Math.abs(offsetMinutes) % 60).padStart(2, '0');
  return `${shifted.slice(0, -1)}456789${sign}${hours}:${minutes}`;
}

/** Waits; false when the client has gone meanwhile. */
export function pause(ms: number, gone: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (gone.aborted) return resolve(false);
    const timer = setTimeout(() => end(true), ms);
    const onGone = () => end(false);
    function end(stayed: boolean): void {
      clearTimeout(timer);
      gone.removeEventListener('abort', onGone);
      resolve(stayed);
    }
    gone.addEventListener('abort', onGone, { once: true });
  });
}
