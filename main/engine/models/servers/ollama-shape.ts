import type { ModelShape } from '../server.ts';

/** Keys whose presence means a cache that the attention formula does not cover. */
const UNUSUAL = /\.(ssm|wkv|shortconv|recurrent)\.|\.attention\.(kv_lora_rank|key_length_mla)$/;

/**
 * Whether the answer must be asked for again with `verbose`: arrays are blanked without it, and a
 * list of KV heads, one for each layer, is such an array.
 */
export function isBlanked(info: Record<string, unknown>): boolean {
  const heads = value(info, 'attention.head_count_kv') ?? value(info, 'attention.head_count');
  const present = Object.keys(info).some((key) => /\.attention\.head_count(_kv)?$/.test(key));
  return present && (heads === null || (Array.isArray(heads) && heads.length === 0));
}

/**
 * The numbers of a GGUF file as Ollama shows them (`model_info`), with its size on disk. Null where
 * a needed number is missing or the model is of another format: unknown, not guessed.
 */
export function shapeOf(
  info: Record<string, unknown>,
  format: unknown,
  fileBytes: number | null,
): ModelShape | null {
  const architecture = info['general.architecture'];
  if (typeof architecture !== 'string' || fileBytes === null) return null;
  if (format !== undefined && format !== '' && format !== 'gguf') return null;
  const layers = whole(value(info, 'block_count'));
  const embeddingLength = whole(value(info, 'embedding_length'));
  const heads = largest(value(info, 'attention.head_count'));
  const kvHeads = perLayer(value(info, 'attention.head_count_kv')) ?? heads;
  const perHead = embeddingLength && heads ? Math.ceil(embeddingLength / heads) : null;
  const keyLength = whole(value(info, 'attention.key_length')) ?? perHead;
  const valueLength = whole(value(info, 'attention.value_length')) ?? keyLength;
  if (!layers || !embeddingLength || kvHeads === null || !keyLength || !valueLength) return null;
  if (Array.isArray(kvHeads) && kvHeads.length !== layers) return null;
  return {
    architecture,
    fileBytes,
    layers,
    kvHeads,
    keyLength,
    valueLength,
    vocabulary: whole(value(info, 'vocab_size')),
    embeddingLength,
    heads,
    trainedContext: whole(value(info, 'context_length')),
    unusual: Object.keys(info).some((key) => UNUSUAL.test(key)),
  };
}

/** A key of the model's own architecture; undefined where it is not listed. */
function value(info: Record<string, unknown>, key: string): unknown {
  return info[`${String(info['general.architecture'])}.${key}`];
}

function whole(raw: unknown): number | null {
  return Number.isSafeInteger(raw) && (raw as number) > 0 ? (raw as number) : null;
}

function perLayer(raw: unknown): number | number[] | null {
  if (!Array.isArray(raw)) return whole(raw);
  const sound = raw.length > 0 && raw.every((one) => Number.isSafeInteger(one) && one >= 0);
  return sound ? (raw as number[]) : null;
}

function largest(raw: unknown): number | null {
  return Array.isArray(raw) ? whole(Math.max(0, ...raw.map(Number))) : whole(raw);
}
