import type { Tier } from '../../base/config-schema.ts';
import { cautiousBytes, estimateBytes } from './estimate.ts';
import type { ModelShape } from './server.ts';

/** A model that a server on this machine has, as far as a lineup is concerned. */
export interface Candidate {
  /** The server's name in the lineup, and its title for people. */
  readonly server: string;
  readonly title: string;
  readonly model: string;
  /** Bytes on disk; null when the server does not say. */
  readonly bytes: number | null;
  readonly shape: ModelShape | null;
  readonly remote: boolean;
  readonly embedding: boolean;
  readonly tools: boolean | null;
  /** A load can ask for a window; otherwise `window` is what the server gives, null where unknown. */
  readonly setsWindow: boolean;
  readonly window: number | null;
  /** In memory as long as its server runs. */
  readonly stays: boolean;
}

/** A candidate that can be costed. */
export interface Costable {
  readonly candidate: Candidate;
  /** What makes one model better than another here: the bytes of its file. */
  readonly weight: number;
  /** The window it has when this one is asked for, tokens. */
  windowFor(numCtx: number): number;
  /** Bytes with the window for this one. */
  cost(numCtx: number): number;
  /** The cost is a cautious figure that the owner has to confirm, not one that Lull can compute again. */
  readonly guessed: boolean;
}

/** A model of the lineup with the window of its tier. */
export interface Choice {
  readonly of: Costable;
  readonly numCtx: number;
}

export interface Choices extends Readonly<Record<Tier, Choice>> {
  /** One model on all tiers that share the two slots. */
  readonly single: boolean;
}

/** What a tier has to have room for, tokens: a brief, its tools and their answers. */
export const NEEDED_WINDOW = 8192;
/** Less than this is of no use. */
export const LEAST_WINDOW = 4096;
/** A server's own window that it does not tell is taken for this. */
const UNTOLD_WINDOW = 32_768;

/** The candidate with its costs; null where nothing sound can be said of them. */
export function costsOf(candidate: Candidate): Costable | null {
  const { bytes, shape, setsWindow, window } = candidate;
  const trained = shape?.trainedContext ?? Number.POSITIVE_INFINITY;
  const windowFor = (numCtx: number) =>
    setsWindow ? Math.min(numCtx, trained) : (window ?? Math.min(UNTOLD_WINDOW, trained));
  const computed = shape && estimateBytes(shape, NEEDED_WINDOW) !== null ? shape : null;
  const weight = bytes ?? computed?.fileBytes ?? 0;
  if (!(weight > 0)) return null;
  return {
    candidate,
    weight,
    windowFor,
    guessed: computed === null,
    cost(numCtx) {
      const width = windowFor(numCtx);
      return computed ? (estimateBytes(computed, width) as number) : guess(weight, width);
    },
  };
}

/** Rounded up to what the settings hold: a tenth of a GB. */
function guess(weight: number, numCtx: number): number {
  return Math.ceil(cautiousBytes(weight, numCtx) / 1e8) * 1e8;
}

/** Why it is none for a lineup, or null. */
export function unfitFor(candidate: Candidate): string | null {
  if (candidate.remote) return 'runs on another machine';
  if (candidate.embedding) return 'is for embeddings and cannot chat';
  const { setsWindow, window, shape } = candidate;
  const widest = setsWindow ? shape?.trainedContext : window;
  if (widest === null || widest === undefined || widest >= LEAST_WINDOW) return null;
  return `has a window of ${widest} tokens, and ${LEAST_WINDOW} is the least that is of use`;
}
