import type { Message, Tool, ChatResponse as WireChunk, ChatRequest as WireRequest } from 'ollama';
import type { ChatMessage, ChatRequest, ChatTurn, ToolCall } from '../server.ts';
import { count } from './listed.ts';
import { callNamer, type WireCall } from './tool-calls.ts';

/**
 * The request as Ollama takes it. The window goes with every call: without it the server would load
 * the model again with its own. `truncate: false` makes an over-long history an error; otherwise the
 * oldest messages are dropped in silence.
 */
export function wireRequest(request: ChatRequest) {
  return {
    model: request.model,
    messages: request.messages.map(wireMessage),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(
        ({ name, description, parameters }): Tool => ({
          type: 'function',
          function: { name, description, parameters },
        }),
      ),
    }),
    stream: true as const,
    truncate: false,
    keep_alive: keepAlive(request.keepAliveMinutes),
    options: { num_ctx: request.numCtx, num_predict: request.maxOutputTokens },
  } satisfies WireRequest & { truncate: boolean };
}

/** Seconds as a number; -1 keeps the model for ever. Strings need a unit, so none is sent. */
export function keepAlive(minutes: number | null): number {
  return minutes === null ? -1 : Math.round(minutes * 60);
}

function wireMessage(message: ChatMessage): Message & { tool_call_id?: string } {
  if (message.role === 'tool') {
    const { toolCallId, toolName, content } = message;
    return { role: 'tool', content, tool_name: toolName, tool_call_id: toolCallId };
  }
  if (message.role !== 'assistant' || !message.toolCalls?.length) {
    return { role: message.role, content: message.content };
  }
  return {
    role: 'assistant',
    content: message.content,
    // Arguments that are no object would be refused, so the model sees an empty call of its own.
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      function: {
        name: call.name,
        arguments: typeof call.arguments === 'string' ? {} : call.arguments,
      },
    })),
  };
}

/**
 * Gathers a turn out of its chunks. Tool calls come whole in chunks before the end or in the last
 * one, by the model's template; both are kept in order. An empty answer is an answer: what it means
 * is for the caller. The client throws when no `done: true` comes.
 */
export async function gather(
  chunks: AsyncIterable<WireChunk>,
  request: ChatRequest,
): Promise<ChatTurn> {
  const nameCall = callNamer(request.messages);
  const toolCalls: ToolCall[] = [];
  let text = '';
  let last: WireChunk | undefined;
  for await (const chunk of chunks) {
    last = chunk;
    const message = (chunk.message ?? {}) as { content?: unknown; tool_calls?: unknown };
    if (typeof message.content === 'string' && message.content !== '') {
      text += message.content;
      request.onText?.(message.content);
    }
    if (!Array.isArray(message.tool_calls)) continue;
    toolCalls.push(...message.tool_calls.map((call) => nameCall(wireCall(call))));
  }
  return {
    text,
    toolCalls,
    ended: last?.done_reason === 'length' ? 'length' : 'stop',
    promptTokens: count(last?.prompt_eval_count),
    outputTokens: count(last?.eval_count),
  };
}

function wireCall(value: unknown): WireCall {
  const { id, function: called } = (value ?? {}) as { id?: unknown; function?: WireCall };
  return { id, name: called?.name, arguments: called?.arguments };
}
