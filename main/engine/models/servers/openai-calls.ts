import type { WireCall } from './tool-calls.ts';

interface Piece {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

interface Growing {
  index: unknown;
  id: string;
  name: string;
  arguments: string;
}

export interface CallGatherer {
  /** The pieces of one event. */
  take(pieces: unknown[]): void;
  all(): WireCall[];
}

/**
 * Puts tool calls together out of their pieces. The index says what belongs together; but some
 * servers give every call index 0 (ollama/ollama#15457), or none, so a piece begins a new call also
 * where it has another id, stands beside the call it would belong to in one event, or follows arguments
 * that are complete. Names come whole once, whole each time, or in pieces.
 */
export function gatherCalls(known: readonly string[]): CallGatherer {
  const calls: Growing[] = [];

  function take(pieces: unknown[]): void {
    const inThisEvent = new Set<Growing>();
    for (const raw of pieces) {
      if (typeof raw !== 'object' || raw === null) continue;
      const piece = raw as Piece;
      const id = typeof piece.id === 'string' ? piece.id : '';
      const name = typeof piece.function?.name === 'string' ? piece.function.name : '';
      const args = asText(piece.function?.arguments);
      let call = ownerOf(piece.index);
      if (!call || inThisEvent.has(call) || isAnother(call, id, name, args)) {
        call = { index: piece.index, id: '', name: '', arguments: '' };
        calls.push(call);
      }
      inThisEvent.add(call);
      call.id ||= id;
      call.name = grown(call.name, name);
      call.arguments += args;
    }
  }

  /** The latest call with this index; without one, the latest of all. */
  function ownerOf(index: unknown): Growing | undefined {
    if (index === undefined || index === null) return calls.at(-1);
    return calls.findLast((call) => call.index === index);
  }

  function isAnother(call: Growing, id: string, name: string, args: string): boolean {
    if (id !== '' && call.id !== '' && id !== call.id) return true;
    return name !== '' && args !== '' && isComplete(call.arguments);
  }

  function grown(name: string, piece: string): string {
    if (piece === '' || piece === name) return name;
    // Some send the name as far as it is known, again and again.
    if (piece.startsWith(name) && known.includes(piece)) return piece;
    const joined = name + piece;
    return known.includes(name) && !known.includes(joined) ? name : joined;
  }

  return {
    take,
    all: () =>
      calls.map((call) => ({
        id: call.id,
        name: call.name,
        arguments: call.arguments.trim() === '' ? undefined : call.arguments,
      })),
  };
}

/** Arguments are text; a few servers send the object itself. */
function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function isComplete(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
