import type { JobRow } from '../../main/surfaces/contract.ts';
import { number } from './words.ts';

export type Tier = JobRow['tier'];

/** A model server as the config has it. */
export interface ModelServer {
  name: string;
  kind: 'ollama' | 'openai' | 'offline';
  url?: string;
}

/** The model of a tier as the config has it. */
export interface TierModel {
  server: string;
  model: string;
  /** Window in tokens. */
  numCtx: number;
  memoryGb?: number;
}

export type TierModels = Partial<Record<Tier, TierModel>>;

export const TIERS: readonly { id: Tier; says: string }[] = [
  { id: 'pinned', says: 'small, stays loaded, answers at once' },
  { id: 'routine', says: 'short work, as soon as its turn comes' },
  { id: 'synthesis', says: 'long work, in a lull' },
  { id: 'stretch', says: 'the largest, in a lull' },
];

export const KINDS: readonly { id: ModelServer['kind']; name: string; url: string }[] = [
  { id: 'ollama', name: 'Ollama', url: 'http://127.0.0.1:11434' },
  { id: 'openai', name: 'OpenAI-compatible (LM Studio, llama.cpp)', url: 'http://127.0.0.1:1234' },
];

/** `qwen3:8b on ollama, 16,384 tokens`. */
export function modelText({ server, model, numCtx }: TierModel): string {
  return `${model} on ${server}, ${number(numCtx)} tokens`;
}

/** The choices with this model for some tiers more, or with one tier less. */
export function withModel(all: TierModels, tiers: readonly Tier[], model: TierModel): TierModels {
  return { ...all, ...Object.fromEntries(tiers.map((tier) => [tier, model])) };
}

export function withoutTier(all: TierModels, tier: Tier): TierModels {
  return Object.fromEntries(Object.entries(all).filter(([one]) => one !== tier));
}
