import type { ChatMessage, ChatRequest, ToolCall, ToolSpec } from '../server.ts';
import { argumentName, contentOf, entriesOf, failed, rowsOf } from './offline-reading.ts';

interface Script {
  text: string;
  toolCalls: ToolCall[];
}

/** A finished call of this brief: what was asked of a tool, and what the tool said. */
interface Exchange {
  name: string;
  arguments: Record<string, unknown>;
  content: string;
}

/** More calls than this in one turn would only fill the window. */
const CALLS_PER_TURN = 20;
const FILES_READ = 20;
const EXTRACT_CHARACTERS = 600;

/**
 * The offline model's next turn. It goes by the tools it has: files are listed and read, stock is
 * listed and each need drafted; without tools it only says what it is.
 */
export function nextTurn(request: Pick<ChatRequest, 'messages' | 'tools'>): Script {
  const tools = new Map(request.tools.map((tool) => [tool.name, tool]));
  const done = exchangesOf(request.messages);
  const call = callsFrom(request.messages);
  const list = tools.get('list_files');
  const read = tools.get('read_file');
  if (list && read) {
    const turn = fileTurn(list, read, done, call);
    if (turn) return turn;
  }
  if (tools.has('list_stock') && tools.has('draft_order')) return stockTurn(done, call);
  return { text: plainText(request.messages), toolCalls: [] };
}

type Call = (name: string, args: Record<string, unknown>) => ToolCall;

function stockTurn(done: Exchange[], call: Call): Script {
  const listing = done.find((one) => one.name === 'list_stock');
  if (!listing) return { text: '', toolCalls: [call('list_stock', {})] };
  const rows = failed(listing.content) ? undefined : rowsOf(listing.content);
  if (!rows) return say('The stock could not be read, so nothing was drafted.');
  const drafts = done.filter((one) => one.name === 'draft_order');
  const tried = new Set(drafts.map((one) => one.arguments.sku));
  const open = rows.filter((row) => row.needed > 0 && !tried.has(row.sku));
  if (open.length > 0) {
    const next = open.slice(0, CALLS_PER_TURN);
    const args = next.map((row) => call('draft_order', { sku: row.sku, quantity: row.needed }));
    return { text: '', toolCalls: args };
  }
  if (drafts.length === 0) return say('Nothing is below its reorder point.');
  const refused = drafts.filter((one) => failed(one.content)).length;
  const made = drafts.length - refused;
  const rest = refused > 0 ? ` ${refused} ${refused === 1 ? 'was' : 'were'} refused.` : '';
  return say(`Drafts made for items in need: ${made}.${rest}`);
}

/** Null when there is no file to read: then the other tools have their turn. */
function fileTurn(list: ToolSpec, read: ToolSpec, done: Exchange[], call: Call): Script | null {
  const listing = done.find((one) => one.name === list.name);
  if (!listing) return { text: '', toolCalls: [call(list.name, {})] };
  const argument = argumentName(read.parameters);
  const files = entriesOf(listing.content, argument).slice(0, FILES_READ);
  if (files.length === 0) return null;
  const reads = done.filter((one) => one.name === read.name);
  const seen = new Set(reads.map((one) => one.arguments[argument]));
  const next = files.filter((file) => !seen.has(file));
  if (next.length > 0) {
    return { text: '', toolCalls: next.map((file) => call(read.name, { [argument]: file })) };
  }
  const extracts = reads.map(
    (one) => `${one.arguments[argument]}:\n${extract(contentOf(one.content))}`,
  );
  return say(`It cannot write, so here is what the files say.\n\n${extracts.join('\n\n')}`);
}

function plainText(messages: readonly ChatMessage[]): string {
  const brief = messages.findLast((message) => message.role === 'user')?.content ?? '';
  const asked = extract(brief);
  return say(`It cannot write, so here is only what was asked.${asked ? `\n\n${asked}` : ''}`).text;
}

function say(what: string): Script {
  return { text: `This is the offline model (no AI). ${what}`, toolCalls: [] };
}

/** The beginning of a text, cut between words. */
function extract(text: string): string {
  const flat = text.trim();
  if (flat.length <= EXTRACT_CHARACTERS) return flat;
  const cut = flat.slice(0, EXTRACT_CHARACTERS);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), EXTRACT_CHARACTERS - 40))} …`;
}

/** Answered calls since the last brief; what an earlier turn of the session did is not looked at. */
function exchangesOf(messages: readonly ChatMessage[]): Exchange[] {
  const since = messages.findLastIndex((message) => message.role === 'user');
  const calls = new Map<string, ToolCall>();
  const done: Exchange[] = [];
  for (const message of messages.slice(since + 1)) {
    if (message.role === 'assistant') {
      for (const call of message.toolCalls ?? []) calls.set(call.id, call);
    }
    if (message.role !== 'tool') continue;
    const args = calls.get(message.toolCallId)?.arguments;
    done.push({
      name: message.toolName,
      arguments: typeof args === 'object' ? args : {},
      content: message.content,
    });
  }
  return done;
}

/** Makes calls whose ids are new in this conversation and the same at every run of it. */
function callsFrom(messages: readonly ChatMessage[]): Call {
  let count = messages.reduce(
    (sum, message) => sum + (message.role === 'assistant' ? (message.toolCalls?.length ?? 0) : 0),
    0,
  );
  return (name, args) => {
    count += 1;
    return { id: `offline_${count}`, name, arguments: args };
  };
}
