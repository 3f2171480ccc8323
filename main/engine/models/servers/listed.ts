/** How what servers list is read: numbers that may be anything, names that tell what a model is for. */

/** A count the API may carry; what cannot be true (negative, a fraction, beyond 2^53) is unknown. */
export function count(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

/** A size or a length: a count that is more than nothing, or unknown. */
export function size(value: unknown): number | null {
  return count(value) || null;
}

/** Whether the name of a model says that it is for embeddings or for ranking, where nothing else does. */
export function looksEmbedding(name: string): boolean {
  return /embed|rerank|(^|[/_-])(bge|e5|gte|minilm)([.:_-]|$)/i.test(name);
}
