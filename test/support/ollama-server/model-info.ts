import type { CatalogueModel } from '../model-server/catalogue.ts';

/** Weights, an f16 cache and compute buffers: what the server reports once the model is loaded. */
export function memoryOf(model: CatalogueModel, numCtx: number): number {
  const number = (key: string) => Number(model.info[key] ?? 0);
  const kv = model.info['attention.head_count_kv'] ?? 0;
  const layers = Array.isArray(kv) ? kv : Array.from({ length: number('block_count') }, () => kv);
  const heads = model.info['attention.head_count'] ?? 1;
  const perHead =
    number('embedding_length') / (Array.isArray(heads) ? (heads[0] ?? 1) : Number(heads));
  const length = number('attention.key_length') || perHead;
  const cache = layers.reduce<number>((sum, count) => sum + numCtx * Number(count) * length * 4, 0);
  return Math.round(model.bytes + cache + 400 * 2 ** 20);
}

/** `model_info` as `/api/show` gives it. */
export function infoOf(model: CatalogueModel, verbose: boolean): Record<string, unknown> {
  const entries = Object.entries(model.info).map(([key, value]) => [
    `${model.architecture}.${key}`,
    Array.isArray(value) && !verbose ? null : value,
  ]);
  return { 'general.architecture': model.architecture, ...Object.fromEntries(entries) };
}
