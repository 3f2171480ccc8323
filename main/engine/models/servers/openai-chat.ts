import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { type ChatMessage, type ChatRequest, type ChatTurn, ModelError } from '../server.ts';
import { count } from './listed.ts';
import { gatherCalls } from './openai-calls.ts';
import { callNamer } from './tool-calls.ts';

/** The request in the form that all these servers take. The window is the server's own affair. */
export function wireRequest(request: ChatRequest): ChatCompletionCreateParamsStreaming {
  return {
    model: request.model,
    messages: request.messages.map(wireMessage),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters: parameters as Record<string, unknown> },
      })),
    }),
    stream: true,
    stream_options: { include_usage: true },
    // Not max_completion_tokens: few local servers know it.
    max_tokens: request.maxOutputTokens,
  };
}

function wireMessage(message: ChatMessage): ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role !== 'assistant' || !message.toolCalls?.length) {
    return { role: message.role, content: message.content };
  }
  return {
    role: 'assistant',
    content: message.content,
    // Templates read the arguments: a text that is no object fails the whole request, so the model
    // sees an empty call of its own.
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: {
        name: call.name,
        arguments: JSON.stringify(typeof call.arguments === 'string' ? {} : call.arguments),
      },
    })),
  };
}

/** How a turn ended, by the reasons in use; a reason of failure is none. */
const CUT_OFF: ReadonlySet<string> = new Set(['length', 'max_tokens', 'model_length']);
const FAILED: ReadonlySet<string> = new Set(['abort', 'cancelled', 'canceled', 'error', 'failed']);

export interface Gathered extends ChatTurn {
  /** The model that says it answered; null when none is named. */
  model: string | null;
}

/**
 * Gathers a turn out of its chunks. Reasoning is not part of it; an empty answer is an answer. Throws
 * ModelError `truncated` when no finish_reason came: the client ends a broken or aborted stream as if
 * it were complete.
 */
export async function gather(
  chunks: AsyncIterable<ChatCompletionChunk>,
  request: ChatRequest,
  label: string,
): Promise<Gathered> {
  const calls = gatherCalls(request.tools.map((tool) => tool.name));
  let text = '';
  let finish: string | null = null;
  let usage: { prompt_tokens?: unknown; completion_tokens?: unknown } | null | undefined;
  let model: string | null = null;
  for await (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    if (typeof chunk.model === 'string' && chunk.model !== '') model = chunk.model;
    const choice = chunk.choices[0];
    const delta = (choice?.delta ?? {}) as { content?: unknown; tool_calls?: unknown };
    if (typeof delta.content === 'string' && delta.content !== '') {
      text += delta.content;
      request.onText?.(delta.content);
    }
    if (Array.isArray(delta.tool_calls)) calls.take(delta.tool_calls);
    finish = choice?.finish_reason || finish;
  }
  if (finish === null) {
    throw new ModelError('truncated', `${label} ended its answer without finishing it`);
  }
  if (FAILED.has(finish)) {
    throw new ModelError('truncated', `${label} gave its answer up (${finish})`);
  }
  return {
    text,
    toolCalls: calls.all().map(callNamer(request.messages)),
    ended: CUT_OFF.has(finish) ? 'length' : 'stop',
    promptTokens: count(usage?.prompt_tokens),
    outputTokens: count(usage?.completion_tokens),
    model,
  };
}
