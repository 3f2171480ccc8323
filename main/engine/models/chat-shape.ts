import { z } from 'zod';
import type { ChatMessage, ToolCall } from './server.ts';

/** The messages of a dialogue as data, for where they are stored or come from another process. */
const toolCall: z.ZodType<ToolCall> = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]),
});

export const chatMessage: z.ZodType<ChatMessage> = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'user']), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string(),
    toolCalls: z.array(toolCall).exactOptional(),
  }),
  z.object({
    role: z.literal('tool'),
    toolCallId: z.string(),
    toolName: z.string(),
    content: z.string(),
  }),
]);
