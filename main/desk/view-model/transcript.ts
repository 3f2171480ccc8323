import { z } from 'zod';
import { manyLines, oneLine } from './text.ts';

/** How much of a transcript a panel is sent; the whole of it stays in the database. */
const MESSAGES = 200;
const MESSAGE_LENGTH = 20_000;

export interface TranscriptLine {
  role: string;
  text: string;
}

const message = z.object({
  role: z.string(),
  content: z.string().default(''),
  toolName: z.string().optional(),
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.unknown() })).default([]),
});

/** Stored messages as lines to be read: who spoke, what was said, which tools were called with what. */
export function transcriptLines(messages: unknown): TranscriptLine[] {
  if (!Array.isArray(messages)) return [];
  const shown = messages.slice(0, MESSAGES).map(line);
  const left = messages.length - shown.length;
  if (left > 0) shown.push({ role: 'note', text: `${left} further messages are not shown` });
  return shown;
}

function line(raw: unknown): TranscriptLine {
  const parsed = message.safeParse(raw);
  if (!parsed.success) {
    return { role: 'unknown', text: manyLines(JSON.stringify(raw) ?? '', MESSAGE_LENGTH) };
  }
  const { role, content, toolName, toolCalls } = parsed.data;
  const calls = toolCalls.map((call) => {
    const given = call.arguments;
    return `→ ${call.name} ${typeof given === 'string' ? given : JSON.stringify(given ?? {})}`;
  });
  return {
    role: oneLine(toolName === undefined ? role : `${role} ${toolName}`, 100),
    text: manyLines([content, ...calls].filter((part) => part !== '').join('\n'), MESSAGE_LENGTH),
  };
}
