/** Characters looked at in all: output full of open braces is not a document. */
const MOST_LOOKED_AT = 50_000_000;

/**
 * The last JSON object in a program's output that `wanted` accepts, or null. Runners print lines around
 * it, and it may go over several lines itself.
 */
export function findJsonObject(
  output: string,
  wanted: (value: Record<string, unknown>) => boolean,
): Record<string, unknown> | null {
  const opening = /^[ \t]*\{/gm;
  let last: Record<string, unknown> | null = null;
  let left = MOST_LOOKED_AT;
  for (let found = opening.exec(output); found && left > 0; found = opening.exec(output)) {
    const start = found.index + found[0].length - 1;
    const end = endOfObject(output, start);
    left -= (end ?? output.length) - start;
    if (end === null) continue;
    try {
      const value = JSON.parse(output.slice(start, end)) as Record<string, unknown>;
      opening.lastIndex = end;
      if (wanted(value)) last = value;
    } catch {
      // braces that are no JSON
    }
  }
  return last;
}

/** Where the object that begins at `start` ends, as far as braces and strings tell. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const character = text[i];
    if (inString) {
      if (character === '\\') i++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return i + 1;
  }
  return null;
}
