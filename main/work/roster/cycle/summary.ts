import { readHead } from './read-head.ts';

const RULE = '='.repeat(80);
const MOST_CHARACTERS = 2_000;

export interface Summary {
  status: string;
  agent: string;
  promptPath: string | null;
  platform: string;
  reason: string;
  detail: string | null;
}

/** What is printed at the end of a cycle, with what the agent learned (the memory file). */
export function summaryLines(summary: Summary, memoryFile: string | null): string[] {
  return [
    '',
    RULE,
    'Scheduler Run Summary',
    RULE,
    `Status:    ${summary.status}`,
    `Agent:     ${summary.agent}`,
    `Prompt:    ${summary.promptPath ?? '(none)'}`,
    `Platform:  ${summary.platform}`,
    `Reason:    ${summary.reason}`,
    ...(summary.detail ? [`Detail:    ${summary.detail}`] : []),
    '',
    'Learnings / Discoveries:',
    ...(learnings(memoryFile) ?? 'No learnings recorded.').split('\n'),
    RULE,
  ];
}

/** What the agent wrote into its memory file, at most 2,000 characters; null when it wrote nothing. */
export function learnings(memoryFile: string | null): string | null {
  const text = memoryFile === null ? '' : (readHead(memoryFile, MOST_CHARACTERS * 4) ?? '').trim();
  if (text.length <= MOST_CHARACTERS) return text || null;
  return `${text.slice(0, MOST_CHARACTERS - 1)}…`;
}
