import { failpoint } from '../../base/failpoint.ts';
import { type ChatMessage, type ChatTurn, ModelError } from '../../engine/models/server.ts';
import type { Outcome, RunContext } from '../../engine/supervisor/handler.ts';
import { askModel, untilAborted, yielded } from './ask-model.ts';
import { type ContextParts, type Estimate, estimateTokens } from './budget.ts';
import type { Ending, LoopState } from './loop-state.ts';
import { type Answered, refused, type Toolbox } from './tools.ts';

export interface LoopLimits {
  turns: number;
  toolCalls: number;
  /** Tokens that the model may write over all turns. */
  outputTokens: number;
  /** Milliseconds in turns; looked at between turns, a call under way is not cut. */
  wallMs: number;
}

export const LIMITS: LoopLimits = {
  turns: 8,
  toolCalls: 24,
  outputTokens: 8192,
  wallMs: 30 * 60_000,
};

export interface LoopWork {
  parts: Omit<ContextParts, 'exchange'>;
  toolbox: Toolbox;
  limits: LoopLimits;
  estimate?: Estimate;
  /** Makes the resume token of a finished turn. */
  token(state: LoopState): unknown;
}

export type LoopResult =
  | { kind: 'ended'; state: LoopState }
  /** Not finished: how the job goes on. The state is that of the last finished turn. */
  | { kind: 'stopped'; outcome: Outcome; state: LoopState };

/**
 * Asks the model, answers its tool calls, and again, until it stops by itself or meets a limit. Each
 * finished turn is a step: its whole state is checkpointed, then the run asks whether to yield. Only
 * structured calls are carried out; text that looks like a call stays text.
 */
export async function runLoop(
  context: RunContext,
  work: LoopWork,
  start: LoopState,
): Promise<LoopResult> {
  let state = start;
  for (;;) {
    const ended = state.ended ?? limitReached(state, work.limits);
    if (ended) return { kind: 'ended', state: { ...state, ended } };

    const began = context.clock.monotonic();
    const step = await takeTurn(context, work, state);
    if ('outcome' in step) return { kind: 'stopped', outcome: step.outcome, state };
    const elapsedMs = state.elapsedMs + Math.round(context.clock.monotonic() - began);
    state = { ...step, elapsedMs };

    await context.checkpoint(work.token(state));
    if (state.ended) continue;
    const cause = context.shouldYield();
    if (cause) return { kind: 'stopped', outcome: { kind: 'yielded', cause }, state };
  }
}

function limitReached(state: LoopState, limits: LoopLimits): Ending | null {
  if (state.turns >= limits.turns) return 'turn-limit';
  if (state.outputTokens >= limits.outputTokens) return 'token-limit';
  if (state.elapsedMs >= limits.wallMs) return 'time-limit';
  return null;
}

async function takeTurn(
  context: RunContext,
  work: LoopWork,
  state: LoopState,
): Promise<LoopState | { outcome: Outcome }> {
  const { parts, toolbox, limits, estimate = estimateTokens } = work;
  const tokensLeft = limits.outputTokens - state.outputTokens;
  const reply = await askModel(context, state, { parts, toolbox, tokensLeft, estimate });
  if (reply.kind === 'stopped') return { outcome: reply.outcome };
  if (reply.kind === 'window-limit') {
    const peakTokens = Math.max(state.peakTokens, reply.neededTokens);
    return { ...state, peakTokens, ended: 'window-limit' };
  }

  const { turn, report, tokenScale } = reply;
  const said = messageOf(turn);
  const promptTokens = countOf(turn.promptTokens) ?? report.usedTokens;
  const outputTokens = countOf(turn.outputTokens) ?? estimate(JSON.stringify(said));
  const next: LoopState = {
    ...state,
    turns: state.turns + 1,
    promptTokens: state.promptTokens + promptTokens,
    outputTokens: state.outputTokens + outputTokens,
    peakTokens: Math.max(state.peakTokens, promptTokens + outputTokens),
    tokenScale,
    outputCut: state.outputCut || report.toolOutputsCut > 0,
    exchange: [...state.exchange, said],
  };
  if (turn.toolCalls.length === 0) return { ...next, ended: endingOf(turn) };

  // One turn more is granted after the last call, to conclude in; who calls again then is stopped.
  if (state.toolCalls >= limits.toolCalls) next.ended = 'call-limit';
  for (const call of turn.toolCalls) {
    let answered: Answered;
    if (next.toolCalls < limits.toolCalls) {
      next.toolCalls += 1;
      try {
        answered = await untilAborted(toolbox.invoke(call), context.signal);
      } catch (error) {
        if (error instanceof ModelError) return { outcome: yielded(context) };
        throw error;
      }
      failpoint('tool.result');
    } else {
      answered = refused(
        `no more than ${limits.toolCalls} calls: answer with what you have`,
        false,
      );
    }
    if (answered.malformed) next.malformedCalls += 1;
    const { id: toolCallId, name: toolName } = call;
    next.exchange.push({ role: 'tool', toolCallId, toolName, content: answered.content });
  }
  return next;
}

function endingOf(turn: ChatTurn): Ending {
  if (turn.text.trim() === '') return 'empty';
  return turn.ended === 'length' ? 'cut-off' : 'completed';
}

function messageOf(turn: ChatTurn): ChatMessage {
  const { text: content, toolCalls } = turn;
  return toolCalls.length > 0
    ? { role: 'assistant', content, toolCalls }
    : { role: 'assistant', content };
}

/** A count as a server tells it: some send floats, negatives or more than a number can hold. */
function countOf(value: number | null): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 40
    ? value
    : null;
}
