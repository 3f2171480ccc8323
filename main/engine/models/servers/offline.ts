import { type Clock, sleep } from '../../../base/clock.ts';
import { type ChatRequest, type ChatTurn, ModelError, type ModelServer } from '../server.ts';
import { nextTurn } from './offline-script.ts';

/** Its name in a lineup where the owner chose nothing. */
export const OFFLINE_SERVER = 'built-in';
export const OFFLINE_MODEL = 'offline';
const LABEL = "Lull's offline model (no AI)";

export interface OfflineOptions {
  clock: Clock;
  name?: string;
  /** Each call takes this long, so that a test can stop the machine in the middle of one. */
  delayMs?: number;
}

/**
 * A stand-in for a model where there is none: deterministic, from the messages and the tools alone.
 * It holds nothing in memory, calls the tools it is given, and says what it is wherever it speaks.
 */
export function offlineServer({ clock, name = OFFLINE_SERVER, delayMs = 0 }: OfflineOptions) {
  async function chat(request: ChatRequest, signal: AbortSignal): Promise<ChatTurn> {
    if (delayMs > 0) await sleep(clock, delayMs, signal);
    if (signal.aborted) throw new ModelError('aborted', 'the call was stopped');
    const turn = nextTurn(request);
    const room = request.maxOutputTokens * 4;
    const text = turn.text.length > room ? turn.text.slice(0, room) : turn.text;
    if (text) request.onText?.(text);
    return {
      text,
      toolCalls: turn.toolCalls,
      ended: text.length < turn.text.length ? 'length' : 'stop',
      promptTokens: null,
      outputTokens: null,
    };
  }

  return {
    name,
    label: LABEL,
    weightless: true,
    ping: async () => 'built in',
    installed: async () => [
      {
        name: OFFLINE_MODEL,
        digest: OFFLINE_MODEL,
        bytes: 0,
        remote: false,
        embedding: false,
        tools: true,
      },
    ],
    resident: async () => [],
    describe: async () => null,
    load: async () => {},
    unload: async () => {},
    chat,
  } satisfies ModelServer;
}
