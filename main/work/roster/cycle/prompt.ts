import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Far beyond any prompt; more is a mistake, and would be held in memory. */
const LARGEST_BYTES = 20_000_000;

export type PromptCheck =
  | { ok: true; text: string }
  | { ok: false; category: 'prompt_parse_error' | 'prompt_schema_error'; detail: string };

/** Reads a prompt and checks that its first line that is not empty is a heading or a quotation. */
export function checkPrompt(path: string): PromptCheck {
  let text: string;
  try {
    text = readRegular(path);
  } catch (error) {
    const why = (error as Error).message;
    const detail = `Prompt not executed; ${path} cannot be read: ${why}`;
    return { ok: false, category: 'prompt_parse_error', detail };
  }
  const first = text.trimStart(); // a byte order mark counts as blank here
  if (first.startsWith('#') || first.startsWith('>')) return { ok: true, text };
  const detail = `Prompt not executed; ${
    first ? 'the first line' : 'there is no line'
  } of ${path} ${first ? 'is not' : 'that is'} a heading (#) or a quotation (>).`;
  return { ok: false, category: 'prompt_schema_error', detail };
}

function readRegular(path: string): string {
  // Non-blocking, for a pipe in a file's place would never answer.
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) throw new Error('it is not a file');
    if (found.size > LARGEST_BYTES) throw new Error('it is larger than 20 MB');
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}
