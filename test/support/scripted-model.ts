import type { Clock } from '../../main/base/clock.ts';
import type { ChatRequest, ChatTurn, ToolCall } from '../../main/engine/models/server.ts';
import type { Job } from '../../main/engine/queue/job.ts';
import type {
  ModelHandle,
  Outcome,
  Progress,
  RunContext,
  YieldCause,
} from '../../main/engine/supervisor/handler.ts';
import { FakeClock } from './fake-clock.ts';

type Asked = Parameters<ModelHandle['chat']>[0];
/** What the model does when asked: a turn, a fault to throw, or something that takes its time. */
export type Move = Partial<ChatTurn> | Error | ((request: Asked) => Promise<Partial<ChatTurn>>);

export interface ScriptedModel extends ModelHandle {
  /** Every request, in order. */
  readonly asked: Asked[];
}

/**
 * A model that plays moves by its place in the dialogue: the turns it already took since the last
 * user message say which comes next, so that a resumed run meets the same model. A list of moves at
 * one place is played one after the other, for faults that pass.
 */
export function scriptedModel(
  moves: readonly (Move | Move[])[],
  { numCtx = 8192, model = 'script:1b', label = 'Script' } = {},
): ScriptedModel {
  const asked: Asked[] = [];
  const visits = new Map<number, number>();
  return {
    asked,
    model,
    label,
    numCtx,
    async chat(request) {
      const { onText, ...sent } = request;
      asked.push(structuredClone(sent));
      const place = turnsTaken(request.messages);
      const visit = visits.get(place) ?? 0;
      visits.set(place, visit + 1);
      const there = moves[Math.min(place, moves.length - 1)];
      const move = Array.isArray(there) ? there[Math.min(visit, there.length - 1)] : there;
      if (move === undefined) throw new Error(`the script has no move ${place}`);
      if (move instanceof Error) throw move;
      const turn = typeof move === 'function' ? await move(request) : move;
      if (turn.text) onText?.(turn.text);
      return { ...SILENT, ...turn };
    },
  };
}

const SILENT: ChatTurn = {
  text: '',
  toolCalls: [],
  ended: 'stop',
  promptTokens: null,
  outputTokens: null,
};

function turnsTaken(messages: ChatRequest['messages']): number {
  const since = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(since).filter((message) => message.role === 'assistant').length;
}

/** A turn that calls tools: `calls(['list_stock', {}], ['supplier', { sku: 'A' }])`. */
export function calls(...wanted: [string, ToolCall['arguments']][]): Partial<ChatTurn> {
  return {
    toolCalls: wanted.map(([name, args], i) => ({ id: `c${i}`, name, arguments: args })),
  };
}

export function aJob(job: Partial<Job> = {}): Job {
  return {
    id: 7,
    kind: 'brief',
    tier: 'synthesis',
    numCtx: 8192,
    class: 'heavy',
    priority: 50,
    state: 'running',
    title: 'A job',
    payload: {},
    source: null,
    session: null,
    subject: null,
    route: { channel: 'local', recipient: '' },
    retryOf: null,
    coalesced: 0,
    attempts: 1,
    maxAttempts: 3,
    uncleanExits: 0,
    checkpoint: null,
    waiver: null,
    cancelAskedAt: null,
    result: null,
    error: null,
    reasonCode: null,
    reason: null,
    notBefore: null,
    expiresAt: null,
    reviveAt: null,
    createdAt: 0,
    startedAt: 0,
    finishedAt: null,
    claimNo: 1,
    claimedByRun: 1,
    leaseExpiresAt: null,
    ...job,
  };
}

export interface Watched extends RunContext {
  /** Resume tokens as they would be stored: through JSON. */
  readonly checkpoints: unknown[];
  readonly progressed: Progress[];
  abort(): void;
}

/** What a handler is given; `yieldAt` says after how many steps it is asked to yield, and why. */
export function aContext(
  job: Job,
  model: ModelHandle,
  { clock = new FakeClock() as Clock, yieldAt = Number.POSITIVE_INFINITY } = {},
): Watched {
  const controller = new AbortController();
  const checkpoints: unknown[] = [];
  const progressed: Progress[] = [];
  return {
    job,
    clock,
    model,
    signal: controller.signal,
    checkpoints,
    progressed,
    abort: () => controller.abort(),
    shouldYield: (): YieldCause | null =>
      controller.signal.aborted || checkpoints.length >= yieldAt ? 'returned' : null,
    checkpoint: (token) => void checkpoints.push(JSON.parse(JSON.stringify(token))),
    progress: (progress) => void progressed.push(progress),
  };
}

/** The landing of an outcome that must be one. */
export function landed(outcome: Outcome) {
  if (outcome.kind !== 'done') throw new Error(`not done: ${JSON.stringify(outcome)}`);
  return outcome.landing;
}
