import type { ModelShape } from './server.ts';

export interface CacheLayout {
  /** Sequences the server keeps at once; each has a window of its own. */
  sequences?: number;
  /** Bytes of one cached value: f16 2, q8_0 1.0625, q4_0 0.5625. */
  keyBytes?: number;
  valueBytes?: number;
}

/** llama.cpp rounds a window up to a multiple of this. */
const WINDOW_STEP = 256;
const LEAST_MARGIN = 2 ** 30;
const MARGIN = 0.1;

/**
 * Bytes of the attention cache: for every layer, cells × KV heads × (key + value length). Layers with
 * a sliding window are charged in full, because the file seldom says which they are: never too low.
 * Null where the formula does not hold (recurrent or compressed caches, numbers that make no sense).
 */
export function cacheBytes(
  shape: ModelShape,
  numCtx: number,
  { sequences = 1, keyBytes = 2, valueBytes = 2 }: CacheLayout = {},
): number | null {
  if (shape.unusual) return null;
  const heads = Array.isArray(shape.kvHeads)
    ? shape.kvHeads
    : Array.from({ length: shape.layers }, () => shape.kvHeads as number);
  const sound = [shape.layers, shape.keyLength, shape.valueLength, numCtx, sequences, ...heads];
  if (heads.length !== shape.layers || !sound.every((n) => Number.isSafeInteger(n) && n >= 0)) {
    return null;
  }
  const window = Math.min(numCtx, shape.trainedContext ?? numCtx);
  const cells = Math.ceil(window / WINDOW_STEP) * WINDOW_STEP * sequences;
  const perHead = shape.keyLength * keyBytes + shape.valueLength * valueBytes;
  return heads.reduce((sum, layerHeads) => sum + cells * layerHeads * perHead, 0);
}

/**
 * Bytes a model will use with this window: weights + cache + the larger of 1 GiB and a tenth, for
 * compute buffers and the runtime. Null means unknown: never a guess that may be too low.
 */
export function estimateBytes(
  shape: ModelShape,
  numCtx: number,
  layout: CacheLayout = {},
): number | null {
  const cache = cacheBytes(shape, numCtx, layout);
  if (cache === null || !(shape.fileBytes > 0) || !Number.isFinite(shape.fileBytes)) return null;
  const held = shape.fileBytes + cache;
  return Math.ceil(held + Math.max(LEAST_MARGIN, held * MARGIN));
}

/**
 * The most that caches of published models take for one token, by the size of the file: models without
 * grouped heads are the extreme (Llama 2 7B 0.5 MiB, GPT-NeoX 20B 1.0 MiB, Qwen1.5 32B 1.3 MiB); what
 * is built today takes a tenth to a third of it.
 */
const MOST_A_TOKEN: readonly { upTo: number; bytes: number }[] = [
  { upTo: 5e9, bytes: 2 ** 19 },
  { upTo: 16e9, bytes: 2 ** 20 },
  { upTo: Number.POSITIVE_INFINITY, bytes: 1.5 * 2 ** 20 },
];

/**
 * Bytes a model will hardly exceed with this window, where nothing but the size of its file is known.
 * For a figure that the owner confirms; loads go by `estimateBytes`, by measurements, or not at all.
 */
export function cautiousBytes(fileBytes: number, numCtx: number): number {
  const most = MOST_A_TOKEN.find(({ upTo }) => fileBytes <= upTo)?.bytes as number;
  const held = fileBytes + most * Math.ceil(numCtx / WINDOW_STEP) * WINDOW_STEP;
  return Math.ceil(held + Math.max(LEAST_MARGIN, held * MARGIN));
}
