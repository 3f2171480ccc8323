import type { FoundView, JobRow, ModelsView } from '../../main/surfaces/contract.ts';
import { number, span } from './words.ts';

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

type Proposed = NonNullable<FoundView['proposal']['tiers']>[Tier];

/** A model of a proposal with the tiers that it would serve. */
export interface Proposal extends Proposed {
  tiers: Tier[];
}

/** One entry for each model and window, in the order of the tiers. */
export function proposals(tiers: FoundView['proposal']['tiers']): Proposal[] {
  const found: Proposal[] = [];
  for (const { id } of tiers ? TIERS : []) {
    const one = tiers?.[id] as Proposed;
    const same = found.find(
      ({ server, model, numCtx }) =>
        server === one.server && model === one.model && numCtx === one.numCtx,
    );
    if (same) same.tiers.push(id);
    else found.push({ ...one, tiers: [id] });
  }
  return found;
}

type Load = ModelsView['loads'][number];

const DONE: Readonly<Record<Load['action'], string>> = {
  loading: 'is being loaded',
  load: 'loaded',
  failed: 'did not load',
  unload: 'unloaded',
  stuck: 'was asked to leave and stayed',
  gone: 'left by itself',
  refused: 'was not loaded',
};

/** `qwen3:8b loaded in 4 s, in the place of another`. */
export function loadText({ model, action, millis, swapped }: Load): string {
  const took = millis === null ? '' : ` in ${span(millis)}`;
  return `${model} ${DONE[action]}${took}${swapped ? ', in the place of another' : ''}`;
}

/** Asking for a load is of interest only while nothing has come of it. */
export function loadsToShow(loads: readonly Load[]): Load[] {
  return loads.filter(({ action }, index) => action !== 'loading' || index === 0);
}
