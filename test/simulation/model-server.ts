import type { Connect } from '../../main/engine/models/models.ts';
import {
  type ChatRequest,
  type ChatTurn,
  type InstalledModel,
  ModelError,
  type ModelFault,
  type ModelServer,
  type ResidentModel,
} from '../../main/engine/models/server.ts';
import { nextTurn } from '../../main/engine/models/servers/offline-script.ts';
import type { Random } from './random.ts';
import { MINUTE, type Mortal, SECOND, type Timeline } from './timeline.ts';

export interface SimModel {
  readonly name: string;
  readonly gb: number;
  /** What the server says it uses; null: the truth. */
  reported: number | null;
}

interface Loaded {
  model: SimModel;
  numCtx: number;
  by: 'lull' | 'other';
  until: number;
  /** Tries to unload it have no effect before (time awake); 0: nobody tried. */
  sticksUntil: number;
  /** Listed from then on. */
  listedFrom: number;
}

/** How the server behaves for a while. */
export interface Mood {
  /** Every call, or the share of calls that fails, with one of these. */
  faults: readonly ModelFault[];
  share: number;
  /** Says yes to an unload and keeps the model for so long. */
  sticky: number;
  /** Takes so long to list what it has loaded. */
  lag: number;
  /** Reports this share of what a model uses. */
  tells: number;
  /** Answers with words and calls that mean nothing. */
  babbles: boolean;
  /** Never ends an answer. */
  stalls: boolean;
  /** Every answer takes so many times as long. */
  slowness: number;
}

export const WELL: Mood = {
  faults: [],
  share: 0,
  sticky: 0,
  lag: 0,
  tells: 1,
  babbles: false,
  stalls: false,
  slowness: 1,
};

/** What a host does to a server, or hears from it. */
export type ServerEffect =
  | { kind: 'load'; server: string; model: string; numCtx: number }
  | { kind: 'loaded'; server: string; model: string; numCtx: number }
  | { kind: 'unload'; server: string; model: string }
  | { kind: 'chat'; server: string; model: string; numCtx: number }
  | { kind: 'answer'; server: string; model: string }
  | { kind: 'told'; server: string; models: readonly ResidentModel[] };

/** How long an adapter waits for a byte before it calls an answer stalled. */
const STALLED_AFTER = 10 * MINUTE;

/** One model server: what it has in memory outlives the hosts that talk to it. */
export class SimServer {
  readonly name: string;
  readonly models: readonly SimModel[];
  mood: Mood = WELL;
  readonly resident = new Map<string, Loaded>();
  /** Calls of the living host that run now. */
  readonly calls = new Set<{ model: string; host: Mortal }>();
  readonly #time: Timeline;
  readonly #random: Random;
  readonly #told: (effect: ServerEffect) => void;

  constructor(
    name: string,
    models: readonly SimModel[],
    parts: { time: Timeline; random: Random; told: (effect: ServerEffect) => void },
  ) {
    this.name = name;
    this.models = models;
    this.#time = parts.time;
    this.#random = parts.random;
    this.#told = parts.told;
  }

  /** What is in memory now, in truth: what has had its time is gone, whether or not anybody looked. */
  inMemory(): Loaded[] {
    this.#expire();
    return [...this.resident.values()];
  }

  /** Another program loads a model, or (null) has no more use for any. */
  foreign(model: string | null, numCtx = 4096): void {
    for (const [name, one] of this.resident) if (one.by === 'other') this.resident.delete(name);
    if (model !== null) this.#put(model, numCtx, 'other', Number.POSITIVE_INFINITY);
  }

  /** Whoever asked has gone: nobody waits for what runs. */
  hostDied(): void {
    for (const call of this.calls) if (!call.host.alive) this.calls.delete(call);
  }

  /** Everything leaves memory: the server was started anew. */
  restart(): void {
    this.resident.clear();
  }

  clientFor(host: Mortal): ModelServer & { close(): Promise<void> } {
    const call = <T>(ms: number, answer: () => T, signal?: AbortSignal) =>
      this.#call(host, ms, answer, signal);
    return {
      name: this.name,
      label: this.name,
      ping: (signal) => call(5, () => 'simulated', signal),
      installed: (signal) => call(10, () => this.#installed(), signal),
      resident: (signal) =>
        call(
          5,
          () => {
            const models = this.#listed();
            this.#told({ kind: 'told', server: this.name, models });
            return models;
          },
          signal,
        ),
      describe: (_model, signal) => call(10, () => null, signal),
      load: (model, numCtx, keepAliveMinutes, signal) =>
        this.#load(host, model, numCtx, keepAliveMinutes, signal),
      unload: (model, signal) => this.#unload(host, model, signal),
      chat: (request, signal) => this.#chat(host, request, signal),
      close: async () => {},
    };
  }

  async #load(
    host: Mortal,
    model: string,
    numCtx: number,
    keepAliveMinutes: number | null,
    signal?: AbortSignal,
  ): Promise<void> {
    const known = this.#known(model);
    this.#told({ kind: 'load', server: this.name, model, numCtx });
    const ms = Math.round(known.gb * 600 * this.mood.slowness) + this.#random.whole(0, 2000);
    // The server loads on, whether or not the one who asked still lives.
    const stays = keepAliveMinutes === null ? Number.POSITIVE_INFINITY : keepAliveMinutes * MINUTE;
    const cancel = this.#time.awake(ms, () => {
      this.#put(model, numCtx, 'lull', stays);
      this.#told({ kind: 'loaded', server: this.name, model, numCtx });
    });
    const goesOn = this.#random.chance(0.5);
    signal?.addEventListener('abort', () => !goesOn && cancel(), { once: true });
    await this.#call(host, ms + 1, () => {}, signal);
  }

  #unload(host: Mortal, model: string, signal?: AbortSignal): Promise<void> {
    this.#told({ kind: 'unload', server: this.name, model });
    const { sticky } = this.mood;
    return this.#call(
      host,
      20,
      () => {
        const one = this.resident.get(model);
        if (!one) return;
        if (sticky > 0 && one.sticksUntil === 0) one.sticksUntil = this.#time.monotonic + sticky;
        if (this.#time.monotonic >= one.sticksUntil) this.resident.delete(model);
      },
      signal,
    );
  }

  async #chat(host: Mortal, request: ChatRequest, signal: AbortSignal): Promise<ChatTurn> {
    const { model, numCtx } = request;
    this.#expire();
    const call = { model, host };
    this.calls.add(call);
    this.#told({ kind: 'chat', server: this.name, model, numCtx });
    // Like Ollama, it loads what it does not have.
    if (!this.resident.has(model)) this.#put(model, numCtx, 'lull', 5 * MINUTE);
    // A large model writes slowly: long enough for the owner to come back in the middle.
    const words = this.#random.whole(2, numCtx > 20_000 ? 100 : 20) * SECOND;
    try {
      if (this.mood.stalls) {
        return await this.#call(host, STALLED_AFTER, () => fault('stalled'), signal);
      }
      const ms = Math.round(words * this.mood.slowness);
      const turn = await this.#call(host, ms, () => this.#turn(request), signal);
      if (turn.text) request.onText?.(turn.text);
      this.#told({ kind: 'answer', server: this.name, model });
      return turn;
    } finally {
      this.calls.delete(call);
      const one = this.resident.get(model);
      if (one?.by === 'lull' && one.until !== Number.POSITIVE_INFINITY) {
        const minutes = request.keepAliveMinutes ?? 5;
        one.until = this.#time.monotonic + minutes * MINUTE;
      }
    }
  }

  #turn(request: ChatRequest): ChatTurn {
    const counted = this.#random.chance(0.7) ? this.#random.whole(100, 3000) : null;
    if (this.mood.babbles && this.#random.chance(0.6)) return this.#babble(counted);
    const { text, toolCalls } = nextTurn(request);
    return { text, toolCalls, ended: 'stop', promptTokens: counted, outputTokens: counted };
  }

  #babble(counted: number | null): ChatTurn {
    const turns: Pick<ChatTurn, 'text' | 'toolCalls'>[] = [
      { text: '', toolCalls: [] },
      { text: '{"name": "draft_order", "arguments": {}}', toolCalls: [] },
      { text: '', toolCalls: [{ id: 'x', name: 'rm_rf', arguments: { path: '/' } }] },
      { text: '', toolCalls: [{ id: 'x', name: 'draft_order', arguments: '{"sku": ' }] },
      {
        text: '',
        toolCalls: [{ id: 'x', name: 'draft_order', arguments: { sku: 'NONE', quantity: -1 } }],
      },
    ];
    const turn = this.#random.pick(turns);
    return { ...turn, ended: 'stop', promptTokens: counted && -counted, outputTokens: 0.5 };
  }

  #installed(): InstalledModel[] {
    return this.models.map(({ name, gb }) => ({
      name,
      digest: `digest-${name}`,
      bytes: gb * 0.7e9,
      remote: false,
      embedding: false,
      tools: true,
    }));
  }

  #listed(): ResidentModel[] {
    this.#expire();
    return [...this.resident.values()]
      .filter(({ listedFrom }) => listedFrom <= this.#time.monotonic)
      .map(({ model, numCtx }) => ({
        name: model.name,
        digest: `digest-${model.name}`,
        bytes: Math.round((model.reported ?? model.gb * this.mood.tells) * 1e9),
        numCtx,
      }));
  }

  #known(model: string): SimModel {
    const known = this.models.find((one) => one.name === model);
    if (!known) throw new ModelError('not_found', `there is no model ${model}`);
    return known;
  }

  #put(name: string, numCtx: number, by: Loaded['by'], stays: number): void {
    const model = this.#known(name);
    const there = this.resident.get(name);
    const until = stays === Number.POSITIVE_INFINITY ? stays : this.#time.monotonic + stays;
    const listedFrom =
      there?.listedFrom ?? this.#time.monotonic + (by === 'lull' ? this.mood.lag : 0);
    this.resident.set(name, {
      ...{ model, numCtx, until, listedFrom },
      by: there?.by ?? by,
      sticksUntil: 0,
    });
  }

  #expire(): void {
    const now = this.#time.monotonic;
    for (const [name, one] of this.resident) {
      const busy = [...this.calls].some((call) => call.model === name);
      const left = one.sticksUntil > 0 && now >= one.sticksUntil;
      if ((now >= one.until && !busy) || left) this.resident.delete(name);
    }
  }

  /** An answer after a while, or a fault of the server's mood; a host that died hears nothing more. */
  #call<T>(host: Mortal, ms: number, answer: () => T, signal?: AbortSignal): Promise<T> {
    const { faults, share } = this.mood;
    const broken =
      faults.length > 0 && this.#random.chance(share) ? this.#random.pick(faults) : null;
    return new Promise((resolve, reject) => {
      if (!host.alive) return;
      const stop = () => {
        cancel();
        reject(new ModelError('aborted', 'the call was stopped'));
      };
      const done = () => {
        signal?.removeEventListener('abort', stop);
        if (!host.alive) return;
        if (broken) return reject(new ModelError(broken, `simulated ${broken}`));
        try {
          resolve(answer());
        } catch (error) {
          reject(error);
        }
      };
      const cancel = this.#time.awake(broken ? Math.min(ms, 500) : ms, done);
      if (signal?.aborted) return stop();
      signal?.addEventListener('abort', stop, { once: true });
    });
  }
}

function fault(kind: ModelFault): never {
  throw new ModelError(kind, `simulated ${kind}`);
}

/** The servers as a host reaches them, by their names in the configuration. */
export function connectTo(servers: readonly SimServer[], host: Mortal): Connect {
  return ({ name }) => {
    const server = servers.find((one) => one.name === name);
    if (!server) throw new Error(`no simulated server is called ${name}`);
    return server.clientFor(host);
  };
}
