import type { ServerResponse } from 'node:http';
import type { Faults } from '../model-server/faults.ts';
import { HttpFault } from '../model-server/http.ts';
import { type End, tagOf, type Voice } from '../model-server/speak.ts';
import type { Turn } from '../model-server/working-model.ts';
import { Writer } from '../model-server/writer.ts';

/** In what pieces a server sends its answers; each is in use somewhere. */
export interface Style {
  /**
   * Of a tool call: whole; its arguments in pieces; its name in pieces too, repeated, or as far as it
   * is known, again and again; the pieces of several calls by turns.
   */
  pieces: 'whole' | 'arguments' | 'names' | 'repeated-names' | 'growing-names' | 'by-turns';
  /** The reason that ends a turn with calls. */
  toolFinish: 'tool_calls' | 'stop';
  /** Finish and last word come in one event. */
  finishWithText: boolean;
  lineEnd: '\n' | '\r\n';
  /** Comments between the events, as some send to keep a connection alive. */
  pings: boolean;
  /** The answer is whole JSON though a stream was asked for. */
  whole: boolean;
}

export const USUAL_STYLE: Style = {
  pieces: 'arguments',
  toolFinish: 'tool_calls',
  finishWithText: false,
  lineEnd: '\n',
  pings: false,
  whole: false,
};

/** The answer to `/v1/chat/completions`: events, or whole JSON where the style or the request says so. */
export function eventVoice(
  asked: { model: string; stream: boolean; usage: boolean },
  style: Style,
  faults: Faults,
  response: ServerResponse,
): Voice {
  const isWhole = style.whole || !asked.stream;
  const out = new Writer(response, faults, isWhole ? 'application/json' : 'text/event-stream');
  const model = faults.otherModel ?? asked.model;
  const base = { id: 'chatcmpl-1', created: 1_780_000_000, model };
  const gathered = { content: '', tool_calls: [] as object[] };
  let begun = false;
  let called = 0;
  let held = '';

  const event = (text: string) => {
    const ping = style.pings ? `: ping${style.lineEnd}${style.lineEnd}` : '';
    return out.piece(`${ping}${text.replaceAll('\n', style.lineEnd)}`);
  };
  const chunk = (choices: object[], more: object = {}) =>
    event(
      `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}\n\n`,
    );

  async function delta(value: object, finish_reason: string | null = null): Promise<void> {
    if (!begun && !isWhole) {
      begun = true;
      const first = { role: 'assistant', content: null };
      await chunk([{ index: 0, delta: first, finish_reason: null }]);
    }
    await chunk([{ index: 0, delta: value, finish_reason }]);
  }

  async function flush(): Promise<void> {
    if (held === '') return;
    const content = held;
    held = '';
    await delta({ content });
  }

  function wireCall(call: Turn['calls'][number]) {
    const { id, index } = tagOf(called, faults);
    called += 1;
    const { arguments: given } = call;
    const args = typeof given === 'string' ? given : JSON.stringify(given);
    return { id, index, name: call.name, args };
  }

  async function say(calls: ReturnType<typeof wireCall>[]): Promise<void> {
    const whole = calls.map(({ id, index, name, args }) => ({
      index,
      ...(id !== undefined && { id }),
      type: 'function',
      function: { name, arguments: args },
    }));
    if (style.pieces === 'whole') return delta({ tool_calls: whole });
    const events = calls.map((call) => piecesOf(call, style.pieces));
    const longest = Math.max(...events.map((one) => one.length));
    const inOrder =
      style.pieces === 'by-turns'
        ? Array.from({ length: longest }, (_, i) => events.flatMap((one) => one[i] ?? [])).flat()
        : events.flat();
    for (const piece of inOrder) await delta({ tool_calls: [piece] });
  }

  async function end({ cutOff, calls, called: anyCall, promptTokens, spoken }: End): Promise<void> {
    if (isWhole) gathered.tool_calls.push(...calls.map(wholeCall));
    else if (calls.length > 0) await say(calls.map(wireCall));
    const reason = cutOff ? 'length' : anyCall ? style.toolFinish : 'stop';
    const finish_reason = faults.finish ?? reason;
    const usage = usageOf(promptTokens, spoken, faults);
    if (isWhole) {
      const message = { role: 'assistant', ...gathered };
      const choices = [{ index: 0, message, finish_reason }];
      await out.piece(JSON.stringify({ ...base, object: 'chat.completion', choices, usage }));
      return;
    }
    if (faults.doneMark !== 'unfinished') {
      const content = held;
      held = '';
      await delta(content ? { content } : {}, finish_reason);
      if (faults.doubleFinish) await delta({}, finish_reason);
    } else await flush();
    if (faults.doneMark === 'half-usage') return out.raw('data: {"choices":[],"usage":{"prompt_to');
    if (asked.usage) await chunk([], { usage });
    if (faults.doneMark !== 'missing') await event('data: [DONE]\n\n');
  }

  function wholeCall(call: Turn['calls'][number]): object {
    const { id, name, args } = wireCall(call);
    return {
      ...(id !== undefined && { id }),
      type: 'function',
      function: { name, arguments: args },
    };
  }

  const failure = (message: string) =>
    JSON.stringify({ error: { code: 500, message, type: 'server_error' } });
  return {
    out,
    async text(token) {
      if (isWhole) {
        gathered.content += token;
        return;
      }
      await flush();
      if (style.finishWithText) held = token;
      else await delta({ content: token });
    },
    async thinking(reasoning_content) {
      if (!isWhole) await delta({ reasoning_content });
    },
    async calls(calls) {
      await flush();
      if (isWhole) gathered.tool_calls.push(...calls.map(wholeCall));
      else await say(calls.map(wireCall));
    },
    end,
    error: (text) => event(`data: ${failure(text)}\n\n`),
    oddError: (text) => event(`error: ${failure(text)}\n\n`),
    namedError: (text) => event(`event: error\ndata: ${JSON.stringify({ message: text })}\n\n`),
    tooLong(tokens, numCtx) {
      const text = `request (${tokens} tokens) exceeds the available context size (${numCtx} tokens), try increasing it`;
      return new HttpFault(400, text, { type: 'exceed_context_size_error', n_ctx: numCtx });
    },
  };
}

interface SentCall {
  id: string | undefined;
  index: number;
  name: string;
  args: string;
}

/** The events of one call: first what names it, then its arguments, some letters at a time. */
function piecesOf({ id, index, name, args }: SentCall, style: Style['pieces']): object[] {
  const half = Math.ceil(name.length / 2);
  const tag = { index, ...(id !== undefined && { id }), type: 'function' };
  const parts = args.match(/.{1,7}/gs) ?? [];
  const repeats = style === 'repeated-names' ? { name } : {};
  const rest = parts.map((text) => ({ index, function: { ...repeats, arguments: text } }));
  if (style === 'names' || style === 'growing-names') {
    const second = style === 'names' ? name.slice(half) : name;
    const first = { name: name.slice(0, half), arguments: '' };
    return [{ ...tag, function: first }, { index, function: { name: second } }, ...rest];
  }
  return [{ ...tag, function: { name, arguments: '' } }, ...rest];
}

function usageOf(prompt: number, completion: number, { numbers }: Faults): object {
  const odd = { beyond: 2 ** 63, negative: -1, fraction: 1.5 };
  const prompt_tokens = numbers ? odd[numbers] : prompt;
  return {
    prompt_tokens,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}
