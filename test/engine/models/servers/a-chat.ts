import {
  type ChatMessage,
  type ChatRequest,
  ModelError,
} from '../../../../main/engine/models/server.ts';

export const go = new AbortController().signal;

export const brief: ChatMessage[] = [
  { role: 'system', content: 'You keep a shop.' },
  { role: 'user', content: 'Look at the stock and draft what is needed.' },
];

export const tools = [
  { name: 'list_stock', description: 'Read the stock.', parameters: { type: 'object' } },
  { name: 'draft_order', description: 'Draft.', parameters: { type: 'object' } },
];

/** A request to this model, with no tools unless said. */
export function asking(model: string): (over?: Partial<ChatRequest>) => ChatRequest {
  return (over = {}) => ({
    model,
    numCtx: 8192,
    messages: brief,
    tools: [],
    maxOutputTokens: 1000,
    keepAliveMinutes: 30,
    ...over,
  });
}

/** The conversation after the stock was listed, so that the next turn calls `draft_order`. */
export function listed(): ChatMessage[] {
  const rows = [
    { sku: 'SKU-VANILLA', needed: 6 },
    { sku: 'SKU-STRAWBERRY', needed: 4 },
  ];
  return [
    ...brief,
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'call_1', name: 'list_stock', arguments: {} }],
    },
    {
      role: 'tool',
      toolCallId: 'call_1',
      toolName: 'list_stock',
      content: JSON.stringify({ ok: true, value: rows }),
    },
  ];
}

/** The class of the fault a call ends with, or `none`. */
export async function faultOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ModelError) return error.fault;
    throw error;
  }
  return 'none';
}
