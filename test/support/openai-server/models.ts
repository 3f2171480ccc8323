import type { CatalogueModel } from '../model-server/catalogue.ts';

function model(
  name: string,
  bytes: number,
  layers: number,
  context: number,
  capabilities: string[],
): CatalogueModel {
  return {
    name,
    digest: name,
    bytes,
    architecture: 'llama',
    info: {
      block_count: layers,
      context_length: context,
      embedding_length: 4096,
      'attention.head_count': 32,
      'attention.head_count_kv': 8,
    },
    capabilities,
  };
}

/** What these servers have; names as their users see them, sizes of the public files in bytes. */
export const OPENAI_MODELS: readonly CatalogueModel[] = [
  model('qwen/qwen3-8b', 5_027_783_488, 36, 40_960, ['completion', 'tools']),
  model('llama-3.2-3b-instruct', 2_019_377_696, 28, 131_072, ['completion', 'tools']),
  model('gemma-3-27b-it', 16_546_404_224, 62, 131_072, ['completion']),
  model('text-embedding-nomic-embed-text-v1.5', 84_106_624, 12, 2048, ['embedding']),
];
