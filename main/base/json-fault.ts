export interface JsonFault {
  /** Both counted from 1. */
  row: number;
  column: number;
  /** What is wrong there, without the place and without the text itself. */
  what: string;
}

/**
 * Where a text stops being JSON, or null when it is JSON. The engine names the position of most
 * faults, but not of an unexpected token: that is the end of the longest prefix that could go on.
 */
export function findJsonFault(text: string): JsonFault | null {
  const message = complaint(text);
  if (message === null) return null;
  const named = positionIn(message);
  let position = named ?? text.length;
  if (named === null && !endsEarly(message, text.length)) {
    let sound = 0;
    let broken = text.length;
    while (broken - sound > 1) {
      const middle = (sound + broken) >> 1;
      const fault = complaint(text.slice(0, middle));
      if (fault === null || endsEarly(fault, middle)) sound = middle;
      else broken = middle;
    }
    position = sound;
  }
  const before = text.slice(0, position).split('\n');
  return {
    row: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    what: message
      .replace(/(?: in JSON)? at position \d+.*$/s, '')
      .replace(/^(Unexpected token) .*$/s, `$1 ${JSON.stringify(text.charAt(position))}`)
      .replace(/ JSON input$/, ' the file'),
  };
}

function complaint(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function positionIn(message: string): number | null {
  const at = message.match(/ at position (\d+)/)?.[1];
  return at === undefined ? null : Number(at);
}

/** The fault is only that the text is over: more of it might have been right. */
function endsEarly(message: string, length: number): boolean {
  const position = positionIn(message);
  return position === null ? message.startsWith('Unexpected end of JSON') : position >= length;
}
