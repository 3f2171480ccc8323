import { sleep } from '../../base/clock.ts';
import { failpoint } from '../../base/failpoint.ts';
import { type ChatTurn, ModelError, type ModelFault } from '../../engine/models/server.ts';
import { treatment } from '../../engine/models/treatment.ts';
import type { Outcome, RunContext } from '../../engine/supervisor/handler.ts';
import {
  assemble,
  type BudgetReport,
  type ContextParts,
  type Estimate,
  estimateTokens,
  suggestWindow,
} from './budget.ts';
import type { LoopState } from './loop-state.ts';
import { outcomeOfFault } from './model-fault.ts';
import type { Toolbox } from './tools.ts';

export interface Question {
  parts: Omit<ContextParts, 'exchange'>;
  toolbox: Toolbox;
  /** Output tokens that the run may still spend. */
  tokensLeft: number;
  estimate?: Estimate;
}

export type Reply =
  | { kind: 'answered'; turn: ChatTurn; report: BudgetReport; tokenScale: number }
  | { kind: 'window-limit'; neededTokens: number }
  | { kind: 'stopped'; outcome: Outcome };

/**
 * Broken answers that often come whole when asked again at once (a quarter of the calls of some
 * models: ollama/ollama#12884); all other faults are the job's to wait for or to retry.
 */
const BROKEN: ReadonlySet<ModelFault> = new Set(['malformed', 'truncated']);
const ASK_AGAIN = 2;
/** How far the estimate may be stretched when the server finds the prompt too long. */
const LARGEST_SCALE = 4;

/** One model call: the prompt fitted to the window, the call streamed, its faults given a treatment. */
export async function askModel(
  context: RunContext,
  state: LoopState,
  question: Question,
): Promise<Reply> {
  const { model, signal, clock, job } = context;
  const estimate = question.estimate ?? estimateTokens;
  let { tokenScale } = state;
  let askedAgain = 0;

  for (;;) {
    const scaled = (text: string) => Math.ceil(estimate(text) * tokenScale);
    const budgeted = assemble(
      { ...question.parts, exchange: state.exchange },
      { window: model.numCtx, estimate: scaled, specs: question.toolbox.specs },
    );
    if (budgeted.escalate) {
      const { neededTokens } = budgeted;
      if (state.exchange.length > 0) return { kind: 'window-limit', neededTokens };
      return stopped({ kind: 'failed', error: windowTooSmall(context, neededTokens) });
    }
    const { messages, report } = budgeted;
    try {
      const answer = model.chat({
        messages,
        tools: [...question.toolbox.specs],
        maxOutputTokens: Math.min(question.tokensLeft, model.numCtx - report.usedTokens),
        onText: characterCount(context, state),
      });
      failpoint('model.call');
      const turn = await untilAborted(answer, signal);
      return { kind: 'answered', turn, report, tokenScale: learn(tokenScale, turn, report) };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (signal.aborted) return stopped(yielded(context));
      if (error.fault === 'context_too_long' && tokenScale < LARGEST_SCALE) {
        tokenScale = Math.min(LARGEST_SCALE, tokenScale * 1.5);
        continue;
      }
      if (!BROKEN.has(error.fault) || askedAgain === ASK_AGAIN) {
        return stopped(outcomeOfFault(error, job.attempts, clock.now()));
      }
      askedAgain += 1;
      const treated = treatment(error.fault, askedAgain);
      if (treated.kind === 'retry') await sleep(clock, treated.afterMs, signal);
      if (signal.aborted) return stopped(yielded(context));
    }
  }
}

/** Back to the queue for the reason the run was asked to stop. */
export function yielded(context: RunContext): Outcome {
  return { kind: 'yielded', cause: context.shouldYield() ?? 'quitting' };
}

/** The work's own result, or ModelError `aborted` as soon as the signal says so. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new ModelError('aborted', 'stopped by Lull'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function stopped(outcome: Outcome): Reply {
  return { kind: 'stopped', outcome };
}

/** Some languages need far more tokens a character; a server's own count, if plausible, tells. */
function learn(tokenScale: number, turn: ChatTurn, report: BudgetReport): number {
  const counted = turn.promptTokens ?? 0;
  if (!(counted > 0 && counted <= report.window)) return tokenScale;
  const measured = (counted * tokenScale) / report.usedTokens;
  return Math.min(LARGEST_SCALE, Math.max(tokenScale, measured));
}

function windowTooSmall({ job, model }: RunContext, needed: number): string {
  return (
    `this work needs a window of ${needed} tokens and ${job.tier} has ${model.numCtx}: ` +
    `set models.tiers.${job.tier}.numCtx to ${suggestWindow(needed)} or more`
  );
}

const SECOND = 1000;

/** Tells the progress of a streamed answer, in characters of the run so far, once a second. */
function characterCount(context: RunContext, state: LoopState): (text: string) => void {
  let characters = state.exchange.reduce(
    (sum, message) => sum + (message.role === 'assistant' ? message.content.length : 0),
    0,
  );
  let toldAt = Number.NEGATIVE_INFINITY;
  return (text) => {
    characters += text.length;
    const now = context.clock.monotonic();
    if (now - toldAt < SECOND) return;
    toldAt = now;
    context.progress({ done: characters, total: null, unit: 'characters' });
  };
}
