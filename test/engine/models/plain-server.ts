import { type Clock, sleep } from '../../../main/base/clock.ts';
import {
  type ChatRequest,
  type ChatTurn,
  FULL_MANNER,
  type InstalledModel,
  type Manner,
  ModelError,
  type ModelServer,
  type ModelShape,
  type ResidentModel,
} from '../../../main/engine/models/server.ts';

const GB = 1e9;

/** A model of the plain server: what it really uses, and what can be computed of it. */
export interface PlainModel {
  gb: number;
  /** False: no shape is known, so that the formula cannot cost it. */
  known?: boolean;
  trainedContext?: number;
}

/**
 * A model server in this process, on the test's clock, with its memory in plain sight. Estimates come
 * out as `gb` exactly when the window is the smallest (the margin is taken off the file).
 */
export class PlainServer implements ModelServer {
  readonly name: string;
  readonly label: string;
  readonly calls: string[] = [];
  readonly memory = new Map<string, ResidentModel>();
  readonly models: Record<string, PlainModel>;
  /** Models that do not leave when asked. */
  readonly stuck = new Set<string>();
  readonly #clock: Clock;
  loadMs = 0;
  chatMs = 0;
  unloadMs = 0;
  /** The list is of the moment it was asked for, and arrives so much later. */
  listMs = 0;
  down: ModelError | null = null;
  /** Reports the file instead of the memory. */
  reportsFile = false;
  /** What it lets others do, where that is less than all. */
  ways: Partial<Manner> = {};
  /** The window of each load, where none can be asked for. */
  ownWindow = 4096;

  constructor(clock: Clock, models: Record<string, PlainModel>, name = 'den') {
    this.#clock = clock;
    this.models = models;
    this.name = name;
    this.label = name;
  }

  /** Another program loads a model. */
  byOthers(model: string, numCtx = 4096, gb = this.models[model]?.gb ?? 1): void {
    this.memory.set(model, { name: model, digest: `d-${model}`, bytes: gb * GB, numCtx });
  }

  async manner(): Promise<Manner> {
    return { ...FULL_MANNER, ...this.ways };
  }

  async ping(): Promise<string> {
    this.#fail();
    return '1';
  }

  async installed(): Promise<InstalledModel[]> {
    this.#fail();
    return Object.entries(this.models).map(([name, model]) => ({
      name,
      digest: `d-${name}`,
      bytes: fileOf(model),
      remote: false,
      embedding: false,
      tools: true,
    }));
  }

  async resident(): Promise<ResidentModel[]> {
    this.#fail();
    const list = [...this.memory.values()].map((one) => ({ ...one, bytes: this.#bytesOf(one) }));
    if (this.ways.tells === false) {
      return Object.keys(this.models).map((name) => {
        return { name, digest: `d-${name}`, bytes: null, numCtx: null };
      });
    }
    if (this.listMs > 0) await sleep(this.#clock, this.listMs);
    return list;
  }

  async describe(model: string): Promise<ModelShape | null> {
    this.#fail();
    const found = this.models[model];
    if (!found || found.known === false) return null;
    return {
      architecture: 'plain',
      fileBytes: fileOf(found),
      layers: 1,
      kvHeads: 0,
      keyLength: 1,
      valueLength: 1,
      vocabulary: null,
      embeddingLength: 1,
      heads: 1,
      trainedContext: found.trainedContext ?? null,
      unusual: false,
    };
  }

  async load(
    model: string,
    numCtx: number,
    keepAliveMinutes: number | null,
    signal?: AbortSignal,
  ): Promise<void> {
    this.#fail();
    this.calls.push(`load ${model} ${numCtx} ${keepAliveMinutes}`);
    if (this.loadMs > 0) await sleep(this.#clock, this.loadMs, signal);
    if (signal?.aborted) throw new ModelError('aborted', 'stopped');
    this.#fail();
    if (this.ways.swaps) this.memory.clear();
    const trained = this.models[model]?.trainedContext ?? numCtx;
    const window = this.ways.setsWindow === false ? this.ownWindow : numCtx;
    this.byOthers(model, Math.min(window, trained));
  }

  async unload(model: string): Promise<void> {
    this.#fail();
    this.calls.push(`unload ${model}`);
    if (this.stuck.has(model)) return;
    if (this.unloadMs === 0) this.memory.delete(model);
    else this.#clock.timer(this.unloadMs, () => this.memory.delete(model));
  }

  async chat(request: ChatRequest, signal: AbortSignal): Promise<ChatTurn> {
    this.#fail();
    this.calls.push(`chat ${request.model} ${request.numCtx}`);
    if (this.chatMs > 0) await sleep(this.#clock, this.chatMs, signal);
    return { text: 'yes', toolCalls: [], ended: 'stop', promptTokens: 1, outputTokens: 1 };
  }

  #bytesOf({ name, bytes }: ResidentModel): number | null {
    if (this.ways.measures === false) return null;
    return this.reportsFile ? fileOf(this.models[name] ?? { gb: 1 }) : bytes;
  }

  #fail(): void {
    if (this.down) throw this.down;
  }
}

function fileOf({ gb }: PlainModel): number {
  const bytes = gb * GB;
  return bytes > 11 * 2 ** 30 ? Math.floor(bytes / 1.1) : bytes - 2 ** 30;
}
