import type { ServerResponse } from 'node:http';
import type { CatalogueModel } from './catalogue.ts';
import type { Faults } from './faults.ts';
import { Cut, LineWriter } from './lines.ts';
import type { ServerLog } from './log.ts';
import { HttpFault, pause, type Runner, type Runners } from './runners.ts';
import type { Script, Turn, WireMessage, WireTool } from './working-model.ts';

/** `chunk`: all calls in one line before the end; `chunks`: a line each; `done`: in the last line. */
export type CallShape = 'chunk' | 'chunks' | 'done';

export interface Speech {
  script: Script;
  shape: CallShape;
  /** Milliseconds a token. */
  tokenMs: number;
  /** Words said before anything else, to make a call long. */
  fillerTokens: number;
}

export interface ChatParts {
  log: ServerLog;
  runners: Runners;
  faults: () => Faults;
  speech: () => Speech;
}

export interface ChatBody {
  model: string;
  messages: WireMessage[];
  tools?: WireTool[];
  stream?: boolean;
  truncate?: boolean;
  options?: { num_ctx?: number; num_predict?: number };
}

/** Answers one `/api/chat` with messages in it. */
export async function answerChat(
  parts: ChatParts,
  model: CatalogueModel,
  body: ChatBody,
  keepAliveMs: number | undefined,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const { log, runners } = parts;
  const faults = parts.faults();
  const began = process.hrtime.bigint();
  const runner = await runners.acquire(model, body.options?.num_ctx, keepAliveMs, gone);
  const loaded = process.hrtime.bigint() - began;
  const free = await takeSlot(runner);
  let evicted = false;
  try {
    log.add({ kind: 'generation-start', model: model.name, numCtx: runner.numCtx });
    const promptTokens = checkLength(body, runner);
    const usage = { promptTokens, loaded, began };
    evicted = await speak(parts, faults, model, body, response, gone, usage);
    log.add({ kind: 'generation-end', model: model.name });
    if (!response.writableEnded) response.end();
  } catch (error) {
    const goesOn = error instanceof Gone && faults.keepsWorkingMs;
    if (goesOn) await pause(goesOn, new AbortController().signal);
    log.add({ kind: goesOn ? 'generation-end' : 'generation-abort', model: model.name });
    if (!(error instanceof Gone) && !(error instanceof Cut)) throw error;
  } finally {
    free();
    runners.release(runner);
    if (evicted || faults.evict === 'after') runners.evict(runner);
  }
}

/** The client has left. */
class Gone extends Error {}

/** Waits until no other request runs on the model. */
async function takeSlot(runner: Runner): Promise<() => void> {
  const before = runner.slot;
  let free = () => {};
  runner.slot = new Promise<void>((resolve) => {
    free = resolve;
  });
  await before;
  return free;
}

function checkLength(body: ChatBody, runner: Runner): number {
  const tokens = Math.ceil(JSON.stringify(body.messages).length / 4);
  if (body.truncate === false && tokens > runner.numCtx) {
    const message = `request (${tokens} tokens) exceeds the available context size (${runner.numCtx} tokens), try increasing it`;
    const error = { code: 400, type: 'exceed_context_size_error', message };
    throw new HttpFault(400, JSON.stringify({ error }));
  }
  return tokens;
}

/** Says the turn; true when the model was lost on the way. */
async function speak(
  parts: ChatParts,
  faults: Faults,
  model: CatalogueModel,
  body: ChatBody,
  response: ServerResponse,
  gone: AbortSignal,
  usage: { promptTokens: number; loaded: bigint; began: bigint },
): Promise<boolean> {
  const { script, shape, tokenMs, fillerTokens } = parts.speech();
  const out = new LineWriter(response, faults);
  const head = () => ({ model: model.name, created_at: new Date().toISOString() });
  const say = (message: object) =>
    out.line({ ...head(), message: { role: 'assistant', content: '', ...message }, done: false });
  const wait = async (ms: number) => {
    if (!(await pause(ms, gone))) throw new Gone();
  };

  if (faults.firstTokenMs) await wait(faults.firstTokenMs);
  if (gone.aborted) throw new Gone();
  if (faults.reset === 'before-headers') {
    response.socket?.resetAndDestroy();
    throw new Cut();
  }
  const turn = spoilTurn(script(body.messages, body.tools ?? []), faults);
  if (faults.toolArguments === 'error-500' && turn.calls.length > 0) {
    throw new HttpFault(500, PARSE_ERROR);
  }
  if (faults.empty === 'thinking') await say({ thinking: 'I wonder what to say.' });

  const filler = Array.from({ length: fillerTokens }, (_, index) => `word${index} `);
  const tokens = [...filler, ...turn.text.split(/(?<=\s)/)].filter((token) => token !== '');
  const most = body.options?.num_predict ?? 10 * 4096;
  let spoken = 0;
  for (const token of tokens.slice(0, most)) {
    if (tokenMs > 0) await wait(tokenMs);
    if (gone.aborted) throw new Gone();
    await say({ content: token });
    spoken += 1;
    if (await breakStream(out, faults, spoken)) return faults.evict === 'during';
  }
  if (tokens.length === 0 && (await breakStream(out, faults, 1))) return faults.evict === 'during';
  const cutOff = tokens.length > most || faults.empty === 'length';
  const calls = wireCalls(cutOff ? [] : turn.calls, faults);
  if (faults.toolArguments === 'error-key' && calls.length > 0) {
    await out.line({ 'error parsing tool call': PARSE_ERROR });
    return false;
  }
  if (calls.length > 0 && shape === 'chunk') await say({ tool_calls: calls });
  if (shape === 'chunks') for (const call of calls) await say({ tool_calls: [call] });
  if (faults.noDone) return false;
  const last = shape === 'done' && calls.length > 0 ? { tool_calls: calls } : {};
  const total = process.hrtime.bigint() - usage.began;
  await out.line({
    ...head(),
    message: { role: 'assistant', content: '', ...last },
    done: true,
    done_reason: cutOff ? 'length' : 'stop',
    total_duration: Number(total),
    load_duration: Number(usage.loaded),
    prompt_eval_count: usage.promptTokens,
    prompt_eval_duration: 1000,
    ...(spoken > 0 && { eval_count: spoken, eval_duration: 1000 }),
  });
  return false;
}

const PARSE_ERROR = 'error parsing tool call: raw=\'{"sku": "A\', err=unexpected end of JSON input';

async function breakStream(out: LineWriter, faults: Faults, spoken: number): Promise<boolean> {
  if (spoken !== 1) return false;
  if (faults.streamError === 'odd-key') {
    await out.line({ 'error parsing tool call': 'unexpected end of JSON input' });
    return true;
  }
  if (faults.streamError === 'out-of-memory') {
    await out.line({ error: 'CUDA error: out of memory' });
    return true;
  }
  if (!faults.streamError && faults.evict !== 'during') return false;
  await out.line({
    error: 'an error was encountered while running the model: unexpected EOF',
  });
  return true;
}

function spoilTurn(turn: Turn, faults: Faults): Turn {
  if (faults.empty) return { text: '', calls: [] };
  const call = turn.calls[0];
  if (!faults.callsAsText || !call) return turn;
  const args = JSON.stringify(call.arguments);
  const text =
    faults.callsAsText === 'xml'
      ? `<function=${call.name}>${args}</function></tool_call>`
      : `{"name": "${call.name}", "arguments": ${args}}`;
  return { text, calls: [] };
}

let issued = 0;

function wireCalls(calls: Turn['calls'], faults: Faults): object[] {
  return calls.map((call, index) => {
    issued += 1;
    const id =
      faults.toolIds === 'same' ? 'call_00000001' : `call_${String(issued).padStart(8, 'q')}`;
    const called = {
      index: faults.toolIds ? 0 : index,
      name: call.name,
      arguments: spoilArguments(call.arguments, faults),
    };
    if (faults.toolIds === 'missing') return { function: called };
    return { id: faults.toolIds === 'empty' ? '' : id, function: called };
  });
}

function spoilArguments(args: unknown, faults: Faults): unknown {
  const text = JSON.stringify(args);
  switch (faults.toolArguments) {
    case 'truncated':
      return text.slice(0, Math.max(1, text.length - 3));
    case 'trailing':
      return `${text}]`;
    case 'glued':
      return `${text}${text}`;
    default:
      return args;
  }
}
