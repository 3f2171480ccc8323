/** A model on the server's disk. Numbers are those of the public models; sizes are bytes. */
export interface CatalogueModel {
  name: string;
  digest: string;
  bytes: number;
  architecture: string;
  /** `model_info` without its prefix; arrays are blanked unless asked for with `verbose`. */
  info: Record<string, number | number[] | string>;
  capabilities: string[];
  format?: 'gguf' | 'safetensors';
  remoteHost?: string;
}

function llamaLike(
  name: string,
  bytes: number,
  layers: number,
  embedding: number,
  heads: number,
  kvHeads: number,
  context: number,
): CatalogueModel {
  return {
    name,
    digest: `${name.replace(/[^a-z0-9]/g, '')}${'0'.repeat(64)}`.slice(0, 64),
    bytes,
    architecture: 'llama',
    info: {
      block_count: layers,
      context_length: context,
      embedding_length: embedding,
      'attention.head_count': heads,
      'attention.head_count_kv': kvHeads,
      vocab_size: 128_256,
    },
    capabilities: ['completion', 'tools'],
  };
}

export const CATALOGUE: readonly CatalogueModel[] = [
  llamaLike('llama3.2:latest', 2_019_393_189, 28, 3072, 24, 8, 131_072),
  llamaLike('llama3.1:8b', 4_920_753_328, 32, 4096, 32, 8, 131_072),
  llamaLike('tiny:latest', 400_000_000, 12, 768, 12, 4, 8192),
  llamaLike('big:70b', 42_520_413_916, 80, 8192, 64, 8, 131_072),
  {
    name: 'layered:latest',
    digest: `layered${'1'.repeat(57)}`,
    bytes: 5_600_000_000,
    architecture: 'gemma4',
    info: {
      block_count: 4,
      context_length: 32_768,
      embedding_length: 2048,
      'attention.head_count': [8, 8, 8, 8],
      'attention.head_count_kv': [2, 2, 0, 2],
      'attention.key_length': 256,
      'attention.value_length': 256,
    },
    capabilities: ['completion', 'tools', 'thinking'],
  },
  {
    name: 'hybrid:latest',
    digest: `hybrid${'2'.repeat(58)}`,
    bytes: 3_000_000_000,
    architecture: 'nemotron_h',
    info: {
      block_count: 4,
      context_length: 131_072,
      embedding_length: 3072,
      'attention.head_count': 24,
      'attention.head_count_kv': [0, 8, 0, 8],
      'ssm.state_size': 128,
      'ssm.inner_size': 6144,
    },
    capabilities: ['completion', 'tools'],
  },
  {
    name: 'wordless:latest',
    digest: `wordless${'3'.repeat(56)}`,
    bytes: 900_000_000,
    architecture: 'llama',
    info: {
      block_count: 16,
      context_length: 8192,
      embedding_length: 2048,
      'attention.head_count': 32,
      'attention.head_count_kv': 8,
    },
    capabilities: ['completion'],
  },
  {
    name: 'nomic-embed-text:latest',
    digest: `nomic${'4'.repeat(59)}`,
    bytes: 274_302_450,
    architecture: 'nomic-bert',
    info: {
      block_count: 12,
      context_length: 2048,
      embedding_length: 768,
      'attention.head_count': 12,
      'attention.head_count_kv': 12,
    },
    capabilities: ['embedding'],
  },
  {
    name: 'elsewhere:cloud',
    digest: `cloud${'5'.repeat(59)}`,
    bytes: 384,
    architecture: 'gptoss',
    info: { context_length: 131_072 },
    capabilities: ['completion', 'tools'],
    remoteHost: 'https://example.invalid',
  },
];
