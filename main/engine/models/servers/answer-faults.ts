import { ModelError, type ModelFault } from '../server.ts';

/** What servers say of a failed allocation: Ollama's own list, older versions, and LM Studio's guard. */
const OUT_OF_MEMORY =
  /out of (device )?memory|outof(device)?memory|(cuda|hip)malloc failed|failed to allocate|allocation failed|(not enough|insufficient) (memory|resources|system resources)|requires .*(than is|but only) .*available/i;

const BY_TEXT: ReadonlyArray<readonly [RegExp, ModelFault]> = [
  [OUT_OF_MEMORY, 'out_of_memory'],
  [/^loading model/i, 'loading'],
  [/server busy|maximum pending requests/i, 'busy'],
  [/does not support|tools param requires|requires --enable-auto-tool-choice/i, 'unsupported'],
  [
    /exceed_context_size|exceeds the (available )?context|longer than the context|context (length|size|window) (has been )?exceeded|maximum context length|context length of only/i,
    'context_too_long',
  ],
  [/error parsing tool call|failed to parse tool call/i, 'malformed'],
  [/model (['"`].*['"`] |is )?(not found|does not exist)|model_not_found/i, 'not_found'],
  [/timed out waiting for .* to start/i, 'stalled'],
];

const BY_STATUS: Readonly<Record<number, ModelFault>> = {
  401: 'denied',
  403: 'denied',
  404: 'not_found',
  429: 'busy',
  503: 'busy',
};

/** The class of an answer with an error status, or of an error line inside a stream (status null). */
export function faultOf(status: number | null, text: string): ModelFault {
  const byText = BY_TEXT.find(([pattern]) => pattern.test(text));
  if (byText) return byText[1];
  return (status !== null && BY_STATUS[status]) || 'server';
}

/** The server's own sentence out of an error body: a string, or its child's JSON within one. */
export function sentenceOf(body: string): string {
  let value: unknown = body;
  for (let depth = 0; depth < 8; depth++) {
    if (typeof value === 'string') {
      try {
        value = JSON.parse(value);
      } catch {
        return oneLine(value as string);
      }
    } else if (typeof value === 'object' && value !== null) {
      const { error, message, type } = value as Record<string, unknown>;
      if (error !== undefined) value = error;
      else if (typeof message === 'string') {
        return oneLine(typeof type === 'string' ? `${message} (${type})` : message);
      } else return oneLine(JSON.stringify(value));
    } else break;
  }
  return oneLine(String(value));
}

function oneLine(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > 500 ? `${flat.slice(0, 500)} …` : flat;
}

const NO_CONNECTION = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What `fetch` and the client throw, as a ModelError. `label` names the server. */
export function translate(error: unknown, label: string): ModelError {
  const own = modelErrorIn(error);
  if (own) return own;
  const codes = codesOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (codes.some((code) => NO_CONNECTION.has(code))) {
    return new ModelError('unreachable', `${label} does not answer: is it running?`, {
      cause: error,
    });
  }
  if (error instanceof SyntaxError) {
    return new ModelError('malformed', `${label} sent something that is not JSON`, {
      cause: error,
    });
  }
  if (brokeOff(error) || /terminated|did not receive done/i.test(text)) {
    return new ModelError('truncated', `${label} broke off before its answer was complete`, {
      cause: error,
    });
  }
  return new ModelError('server', `${label}: ${oneLine(text)}`, { cause: error });
}

/** Whether a connection broke that had been made. */
export function brokeOff(error: unknown): boolean {
  const broken = (code: string) =>
    code === 'ECONNRESET' || code === 'EPIPE' || code.startsWith('UND_ERR_');
  return codesOf(error).some(broken);
}

/** Ours, where a client has wrapped what our `fetch` threw. */
function modelErrorIn(error: unknown, depth = 0): ModelError | null {
  if (error instanceof ModelError) return error;
  if (!(error instanceof Error) || depth > 5) return null;
  return modelErrorIn(error.cause, depth + 1);
}

/** Error codes along the chain of causes, and inside an AggregateError (IPv4 and IPv6 tried). */
function codesOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 5) return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  return [
    ...(typeof code === 'string' ? [code] : []),
    ...codesOf(cause, depth + 1),
    ...(Array.isArray(errors) ? errors.flatMap((one) => codesOf(one, depth + 1)) : []),
  ];
}
