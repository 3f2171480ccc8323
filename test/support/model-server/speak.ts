import type { ServerResponse } from 'node:http';
import type { CatalogueModel } from './catalogue.ts';
import type { Faults } from './faults.ts';
import { HttpFault, pause } from './http.ts';
import type { ServerLog } from './log.ts';
import type { Memory, Runner } from './memory.ts';
import type { Script, Turn, WireMessage, WireTool } from './working-model.ts';
import { Cut, type Writer } from './writer.ts';

/** `chunk`: all calls at once before the end; `chunks`: one after another; `done`: with the end. */
export type CallShape = 'chunk' | 'chunks' | 'done';

export interface Speech {
  script: Script;
  shape: CallShape;
  /** Milliseconds a token. */
  tokenMs: number;
  /** Words said before anything else, to make a call long. */
  fillerTokens: number;
}

/** What was asked of a model, in no dialect. */
export interface Question {
  model: CatalogueModel;
  messages: WireMessage[];
  tools: WireTool[];
  /** Undefined: the server's own. */
  numCtx?: number | undefined;
  keepAliveMs?: number | undefined;
  maxTokens: number;
  /** A history that is too long is refused. */
  refusesOverflow: boolean;
}

export interface End {
  cutOff: boolean;
  /** Calls that are said with the end. */
  calls: Turn['calls'];
  /** Any call was made, now or before. */
  called: boolean;
  promptTokens: number;
  spoken: number;
  /** Nanoseconds the load took, and the whole answer. */
  loaded: bigint;
  total: bigint;
}

/** How a server puts into words what its model says. */
export interface Voice {
  readonly out: Writer;
  text(token: string): Promise<void>;
  thinking(text: string): Promise<void>;
  /** Calls that belong into one unit of the stream. */
  calls(calls: Turn['calls']): Promise<void>;
  end(end: End): Promise<void>;
  /** An error inside the stream. */
  error(text: string): Promise<void>;
  /** The same where few clients look for it. */
  oddError(text: string): Promise<void>;
  /** The same in an event of that name, in dialects that have named events. */
  namedError?(text: string): Promise<void>;
  tooLong(tokens: number, numCtx: number): HttpFault;
}

export interface SpeakParts {
  log: ServerLog;
  memory: Memory;
  faults: () => Faults;
  speech: () => Speech;
}

/** The client has left. */
class Gone extends Error {}

/** Loads the model if need be, waits for its slot, and answers. */
export async function speak(
  parts: SpeakParts,
  question: Question,
  voiceOf: (faults: Faults) => Voice,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const { log, memory } = parts;
  const { model } = question;
  const faults = parts.faults();
  const began = process.hrtime.bigint();
  const runner = await memory.acquire(model, question.numCtx, question.keepAliveMs, gone);
  const loaded = process.hrtime.bigint() - began;
  const free = await takeSlot(runner);
  const voice = voiceOf(faults);
  let evicted = false;
  try {
    log.add({ kind: 'generation-start', model: model.name, numCtx: runner.numCtx });
    const promptTokens = Math.ceil(JSON.stringify(question.messages).length / 4);
    if (question.refusesOverflow && promptTokens > runner.numCtx) {
      throw voice.tooLong(promptTokens, runner.numCtx);
    }
    evicted = await say(parts, faults, question, voice, gone, { promptTokens, loaded, began });
    log.add({ kind: 'generation-end', model: model.name });
    if (!response.writableEnded) response.end();
  } catch (error) {
    const goesOn = error instanceof Gone && faults.keepsWorkingMs;
    if (goesOn) await pause(goesOn, new AbortController().signal);
    log.add({ kind: goesOn ? 'generation-end' : 'generation-abort', model: model.name });
    if (!(error instanceof Gone) && !(error instanceof Cut)) throw error;
  } finally {
    free();
    memory.release(runner);
    if (evicted || faults.evict === 'after') memory.evict(runner);
  }
}

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

/** Says the turn; true when the model was lost on the way. */
async function say(
  parts: SpeakParts,
  faults: Faults,
  question: Question,
  voice: Voice,
  gone: AbortSignal,
  usage: { promptTokens: number; loaded: bigint; began: bigint },
): Promise<boolean> {
  const { script, shape, tokenMs, fillerTokens } = parts.speech();
  const wait = async (ms: number) => {
    if (!(await pause(ms, gone))) throw new Gone();
  };

  if (faults.firstTokenMs) await wait(faults.firstTokenMs);
  if (gone.aborted) throw new Gone();
  if (faults.reset === 'before-headers') voice.out.reset();
  const turn = spoilTurn(script(question.messages, question.tools), faults);
  if (faults.toolArguments === 'error-500' && turn.calls.length > 0) {
    throw new HttpFault(500, PARSE_ERROR);
  }
  if (faults.empty === 'thinking') await voice.thinking('I wonder what to say.');

  const filler = Array.from({ length: fillerTokens }, (_, index) => `word${index} `);
  const tokens = [...filler, ...turn.text.split(/(?<=\s)/)].filter((token) => token !== '');
  let spoken = 0;
  for (const token of tokens.slice(0, question.maxTokens)) {
    if (tokenMs > 0) await wait(tokenMs);
    if (gone.aborted) throw new Gone();
    await voice.text(token);
    spoken += 1;
    if (spoken === faults.silentAfter) await wait(FOR_GOOD_MS);
    if (await breaksOff(voice, faults, spoken)) return faults.evict === 'during';
  }
  if (tokens.length === 0 && (await breaksOff(voice, faults, 1))) return faults.evict === 'during';
  const cutOff = tokens.length > question.maxTokens || faults.empty === 'length';
  const calls = cutOff ? [] : turn.calls.map((call) => spoilCall(call, faults));
  if (faults.toolArguments === 'error-key' && calls.length > 0) {
    await voice.oddError(PARSE_ERROR);
    return false;
  }
  if (calls.length > 0 && shape === 'chunk') await voice.calls(calls);
  if (shape === 'chunks') for (const call of calls) await voice.calls([call]);
  if (faults.noDone) return false;
  const total = process.hrtime.bigint() - usage.began;
  const { promptTokens, loaded } = usage;
  const late = shape === 'done' ? calls : [];
  const called = calls.length > 0;
  await voice.end({ cutOff, calls: late, called, promptTokens, spoken, loaded, total });
  return false;
}

const FOR_GOOD_MS = 3_600_000;
const PARSE_ERROR = 'error parsing tool call: raw=\'{"sku": "A\', err=unexpected end of JSON input';

async function breaksOff(voice: Voice, faults: Faults, spoken: number): Promise<boolean> {
  if (spoken !== 1) return false;
  if (faults.streamError === 'odd-key') {
    await voice.oddError('unexpected end of JSON input');
    return true;
  }
  if (faults.streamError === 'out-of-memory') {
    await voice.error('CUDA error: out of memory');
    return true;
  }
  if (!faults.streamError && faults.evict !== 'during') return false;
  const text = 'an error was encountered while running the model: unexpected EOF';
  if (faults.streamError === 'named-event' && voice.namedError) await voice.namedError(text);
  else await voice.error(text);
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

function spoilCall(call: Turn['calls'][number], faults: Faults): Turn['calls'][number] {
  const text = JSON.stringify(call.arguments);
  switch (faults.toolArguments) {
    case 'truncated':
      return { ...call, arguments: text.slice(0, Math.max(1, text.length - 3)) };
    case 'trailing':
      return { ...call, arguments: `${text}]` };
    case 'glued':
      return { ...call, arguments: `${text}${text}` };
    default:
      return call;
  }
}

let issued = 0;

/** The id and the index a call is sent with, right or wrong; an undefined id is left out. */
export function tagOf(place: number, faults: Faults): { id: string | undefined; index: number } {
  issued += 1;
  const id = `call_${String(issued).padStart(8, 'q')}`;
  if (!faults.toolIds) return { id, index: place };
  const wrong = { missing: undefined, empty: '', same: 'call_00000001' };
  return { id: wrong[faults.toolIds], index: 0 };
}
