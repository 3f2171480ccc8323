import type { Clock } from '../../base/clock.ts';
import type { ModelsTable } from '../../base/store/models.ts';
import { estimateBytes } from './estimate.ts';
import {
  type InstalledModel,
  ModelError,
  type ModelServer,
  type ModelShape,
  type ResidentModel,
} from './server.ts';

export interface CostParts {
  readonly clock: Clock;
  readonly table: Pick<ModelsTable, 'memory' | 'memoryOfLarger' | 'learn'>;
  /** What the owner says a model uses; a null window: the server's own. */
  readonly declared: (server: string, model: string, numCtx: number | null) => number | null;
}

export interface TargetCost {
  digest: string;
  /** Bytes with this window; null when it cannot be known. */
  bytes: number | null;
  /** Runs on another machine: nothing is loaded here. */
  remote: boolean;
}

export interface Costs {
  /** Throws ModelError: `not_found` when the server does not have the model. */
  ofTarget(
    server: ModelServer,
    model: string,
    numCtx: number,
    signal?: AbortSignal,
  ): Promise<TargetCost>;
  /**
   * Bytes to charge for what is resident; null when nothing sound is known. `ownWindow`: the window
   * is the server's, whatever a tier asks for. Never throws.
   */
  ofResident(server: ModelServer, seen: ResidentModel, ownWindow: boolean): Promise<number | null>;
  /** Takes what the server reports just after a load for the truth about this window. */
  learn(server: ModelServer, seen: ResidentModel): Promise<void>;
}

/**
 * What models cost: learned figures first, then the formula, else unknown. Where the owner has
 * declared a figure it counts instead of the formula, and the larger of it and what was measured.
 */
export function modelCosts({ clock, table, declared }: CostParts): Costs {
  const files = new Map<string, InstalledModel>();
  const shapes = new Map<string, ModelShape | null>();

  /** The installed model; asks the server again unless this very file is known. */
  async function fileOf(
    server: ModelServer,
    model: string,
    digest: string | null,
    signal?: AbortSignal,
  ): Promise<InstalledModel | undefined> {
    const key = `${server.name}\n${model}`;
    const known = files.get(key);
    if (known && known.digest === digest) return known;
    for (const file of await server.installed(signal)) {
      files.set(`${server.name}\n${file.name}`, file);
    }
    return files.get(key);
  }

  async function shapeFor(
    server: ModelServer,
    model: string,
    digest: string,
    signal?: AbortSignal,
  ): Promise<ModelShape | null> {
    const key = `${server.name}\n${model}\n${digest}`;
    const known = shapes.get(key);
    if (known !== undefined) return known;
    const shape = await server.describe(model, signal);
    shapes.set(key, shape);
    return shape;
  }

  /**
   * A report of no more than the file is the server's fallback when it could not measure, and some
   * are far too low (ollama/ollama#17251): it is no measurement of weights and cache together.
   */
  function isMeasured(seen: ResidentModel, fileBytes: number | null): boolean {
    return seen.bytes !== null && (fileBytes === null || seen.bytes > fileBytes);
  }

  return {
    async ofTarget(server, model, numCtx, signal) {
      const file = await fileOf(server, model, null, signal);
      if (!file) {
        throw new ModelError('not_found', `${server.label} does not have the model ${model}`);
      }
      const { digest, remote } = file;
      if (remote) return { digest, bytes: 0, remote };
      const figure = declared(server.name, model, numCtx);
      if (figure !== null) {
        return { digest, bytes: Math.max(figure, table.memory(digest, numCtx) ?? 0), remote };
      }
      const shape = await shapeFor(server, model, digest, signal);
      const window = Math.min(numCtx, shape?.trainedContext ?? numCtx);
      const bytes =
        table.memory(digest, window) ??
        (shape && estimateBytes(shape, window)) ??
        table.memoryOfLarger(digest, window);
      return { digest, bytes, remote };
    },

    async ofResident(server, seen, ownWindow) {
      const figure = declared(server.name, seen.name, ownWindow ? null : seen.numCtx);
      try {
        const file = await fileOf(server, seen.name, seen.digest);
        if (file?.remote) return 0;
        const { bytes, numCtx, digest } = seen;
        if (isMeasured(seen, file?.bytes ?? null)) {
          const learned = numCtx === null ? null : table.memory(digest, numCtx);
          if (numCtx !== null && (learned ?? 0) < (bytes as number)) {
            table.learn(digest, numCtx, bytes as number, clock.now());
          }
          return Math.max(bytes as number, figure ?? 0);
        }
        if (figure !== null) return Math.max(figure, bytes ?? 0);
        if (numCtx === null) return null;
        const shape = await shapeFor(server, seen.name, digest);
        const known = table.memory(digest, numCtx) ?? (shape && estimateBytes(shape, numCtx));
        return known === null ? null : Math.max(known, bytes ?? 0);
      } catch {
        return figure;
      }
    },

    async learn(server, seen) {
      const file = await fileOf(server, seen.name, seen.digest).catch(() => undefined);
      if (seen.numCtx === null || !isMeasured(seen, file?.bytes ?? null)) return;
      const known = table.memory(seen.digest, seen.numCtx);
      if (known === seen.bytes) return;
      table.learn(seen.digest, seen.numCtx, seen.bytes as number, clock.now());
    },
  };
}
