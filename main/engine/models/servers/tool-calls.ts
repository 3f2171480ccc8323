import { type ChatMessage, ModelError, type ToolCall } from '../server.ts';

/** A call as a server sent it; anything may be missing or wrong. */
export interface WireCall {
  id?: unknown;
  name?: unknown;
  arguments?: unknown;
}

/**
 * Turns wire calls into ours. Ids may be missing, empty or repeated (within the answer, or from
 * earlier turns); each such call gets a new one, so that every result finds its call.
 */
export function callNamer(messages: readonly ChatMessage[]): (wire: WireCall) => ToolCall {
  const used = new Set<string>();
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) used.add(call.id);
  }
  function fresh(): string {
    for (let n = used.size + 1; ; n++) if (!used.has(`call_${n}`)) return `call_${n}`;
  }
  return ({ id, name, arguments: given }) => {
    if (typeof name !== 'string' || name === '') {
      throw new ModelError('malformed', 'the model called a tool without a name');
    }
    const own = typeof id === 'string' && id !== '' && !used.has(id) ? id : fresh();
    used.add(own);
    return { id: own, name, arguments: readArguments(given) };
  };
}

function readArguments(value: unknown): ToolCall['arguments'] {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  if (typeof value !== 'string') return JSON.stringify(value);
  try {
    const inner: unknown = JSON.parse(value);
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
    return isObject ? (inner as Record<string, unknown>) : value;
  } catch {
    return value;
  }
}
