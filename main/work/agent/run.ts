import { z } from 'zod';
import { LullError } from '../../base/errors.ts';
import { firstFault } from '../../base/explain.ts';
import type { Landing, Outcome, RunContext } from '../../engine/supervisor/handler.ts';
import { assemble } from './budget.ts';
import { shownModel } from './draft.ts';
import { type LoopLimits, type LoopWork, runLoop } from './loop.ts';
import { type LoopState, loopState, newLoopState } from './loop-state.ts';
import { MalformedResult } from './report.ts';

/** One kind's agent work. `Given` is what the run fixes at its start and carries in its checkpoint. */
export interface AgentWork<Given> {
  given: z.ZodType<Given>;
  /** Fixes what the run starts from; called once a job, not again on resuming. */
  start(): Given | Promise<Given>;
  /** Prompt parts, tools and limits; the same each time for the same `given`. */
  work(given: Given): Pick<LoopWork, 'parts' | 'toolbox'> & { limits: LoopLimits };
  /** What a finished run leaves, without its transcript. May throw MalformedResult. */
  land(
    state: LoopState,
    given: Given,
  ): Omit<Landing, 'transcript'> | Promise<Omit<Landing, 'transcript'>>;
}

/**
 * Runs an agent job from its start or from its checkpoint, and returns its outcome. A failure keeps
 * the transcript of what was said so far.
 */
export async function runAgent<Given>(
  context: RunContext,
  agent: AgentWork<Given>,
): Promise<Outcome> {
  const resumed = resumeFrom(context.job.checkpoint, agent.given);
  const given = resumed?.given ?? (await agent.start());
  const { parts, toolbox, limits } = agent.work(given);
  const token = (loop: LoopState) => ({ version: 1, given, loop });
  const result = await runLoop(
    context,
    { parts, toolbox, limits, token },
    resumed?.loop ?? newLoopState(context.clock.now()),
  );
  const { state } = result;

  const transcript = (status: string): NonNullable<Landing['transcript']> => {
    const whole = assemble({ ...parts, exchange: state.exchange }, { window: Infinity });
    return {
      status,
      model: shownModel(context.model),
      messages: whole.escalate ? state.exchange : whole.messages,
      usage: {
        promptTokens: state.promptTokens,
        outputTokens: state.outputTokens,
        turns: state.turns,
        millis: state.elapsedMs,
      },
    };
  };
  const failed = (error: string): Outcome => ({
    kind: 'failed',
    error,
    landing: { result: error, transcript: transcript('failed') },
  });

  if (result.kind === 'stopped') {
    return result.outcome.kind === 'failed' ? failed(result.outcome.error) : result.outcome;
  }
  try {
    const landing = await agent.land(state, given);
    return {
      kind: 'done',
      landing: { ...landing, transcript: transcript(state.ended ?? 'completed') },
    };
  } catch (error) {
    if (error instanceof MalformedResult) return failed(error.message);
    throw error;
  }
}

/** Reads a job's payload; throws LullError `invalid` in one line when it is not what the kind takes. */
export function payloadOf<T>(schema: z.ZodType<T>, kind: string, payload: unknown): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const fault = firstFault(parsed.error, 'the payload');
  throw new LullError('invalid', `the payload of this ${kind} is wrong: ${fault}`);
}

/** The state to go on from; null for a job that starts, or whose token another version wrote. */
function resumeFrom<Given>(token: unknown, given: z.ZodType<Given>) {
  if (token === null || token === undefined) return null;
  const parsed = z.object({ version: z.literal(1), given, loop: loopState }).safeParse(token);
  return parsed.success ? parsed.data : null;
}
