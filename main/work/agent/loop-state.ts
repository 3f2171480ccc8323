import { z } from 'zod';
import { chatMessage } from '../../engine/models/chat-shape.ts';

/** How a run came to its end: the first three by the model itself, the others by a limit. */
export const ENDINGS = [
  'completed',
  /** The last answer hit its length limit. */
  'cut-off',
  /** The last answer held no word. */
  'empty',
  'turn-limit',
  'call-limit',
  'token-limit',
  'time-limit',
  /** What the run gathered no longer fits the model's window. */
  'window-limit',
] as const;
export type Ending = (typeof ENDINGS)[number];

const count = z.int().min(0);

/**
 * All that a run knows after a finished turn: the resume token of its job. A run that starts from it
 * goes on exactly as if it had never stopped.
 */
export const loopState = z.object({
  /** Epoch milliseconds of the first turn. */
  startedAt: z.int(),
  /** Milliseconds spent in turns; time between claims is left out. */
  elapsedMs: z.number().min(0),
  turns: count,
  toolCalls: count,
  /** Calls of unknown tools or with arguments that the tool's schema refused. */
  malformedCalls: count,
  promptTokens: count,
  outputTokens: count,
  /** The most tokens one call used or would have needed, prompt and answer together. */
  peakTokens: count,
  /** What the server counts for each estimated token, where it counts more; at least 1. */
  tokenScale: z.number().min(1),
  /** Some tool output was cut to fit the window. */
  outputCut: z.boolean(),
  /** What the model and the tools said, raw: malformed calls and last words included. */
  exchange: z.array(chatMessage),
  ended: z.enum(ENDINGS).nullable(),
});
export type LoopState = z.infer<typeof loopState>;

export function newLoopState(now: number): LoopState {
  return {
    startedAt: now,
    elapsedMs: 0,
    turns: 0,
    toolCalls: 0,
    malformedCalls: 0,
    promptTokens: 0,
    outputTokens: 0,
    peakTokens: 0,
    tokenScale: 1,
    outputCut: false,
    exchange: [],
    ended: null,
  };
}

/** The model stopped by itself, so that what it drafted is all it meant to draft. */
export function endedByModel(ending: Ending | null): boolean {
  return ending === 'completed' || ending === 'cut-off' || ending === 'empty';
}

/** The model's last words; empty when it said none. */
export function lastWords(state: LoopState): string {
  const spoken = state.exchange.findLast(
    (message) => message.role === 'assistant' && message.content.trim() !== '',
  );
  return spoken?.content.trim() ?? '';
}
