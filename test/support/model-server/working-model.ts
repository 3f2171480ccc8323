/** A message and a tool as they stand in a request to `/api/chat`. */
export interface WireMessage {
  role: string;
  content: string;
  tool_calls?: { id?: string; function: { name: string; arguments: Record<string, unknown> } }[];
  tool_name?: string;
  tool_call_id?: string;
}

export interface WireTool {
  function: { name: string; parameters?: { required?: string[] } };
}

export interface Turn {
  text: string;
  calls: { name: string; arguments: unknown }[];
}

export type Script = (messages: WireMessage[], tools: WireTool[]) => Turn;

/** How the model goes wrong; the right calls follow all the same. */
export interface Misbehaviour {
  /** Asks for more than is needed. */
  wrongQuantity?: boolean;
  /** Drafts a product that does not exist. */
  unknownSku?: boolean;
  /** Drafts this product, whether or not the work concerns it. */
  alsoSku?: string;
  /** Arguments of the wrong kind, and as text that is no JSON. */
  malformedArguments?: boolean;
  /** Ends with an amount that no tool gave. */
  misstatedTotal?: string;
}

interface Result {
  name: string;
  arguments: Record<string, unknown>;
  content: string;
}

/**
 * A model that does the work it is given: with stock tools it lists the stock and drafts each need,
 * with file tools it reads every file and sums them up, else it answers in a sentence. It knows only
 * what the request says, as a model does.
 */
export function workingModel(misbehaviour: Misbehaviour = {}): Script {
  return (messages, tools) => {
    const names = new Set(tools.map((tool) => tool.function.name));
    const results = resultsOf(messages);
    if (names.has('list_stock') && names.has('draft_order')) return shop(results, misbehaviour);
    if (names.has('list_files') && names.has('read_file')) return files(results, tools);
    const asked = messages.findLast((message) => message.role === 'user')?.content ?? '';
    return say(`You asked: ${asked.slice(0, 200)} I have thought about it, and the answer is yes.`);
  };
}

function shop(results: Result[], misbehaviour: Misbehaviour): Turn {
  const listing = results.find((result) => result.name === 'list_stock');
  if (!listing) return { text: '', calls: [{ name: 'list_stock', arguments: {} }] };
  const needs = listOf(listing.content).filter((row) => Number(row.needed) > 0);
  const drafts = results.filter((result) => result.name === 'draft_order');
  if (drafts.length === 0) {
    const wrong = wrongCalls(needs, misbehaviour);
    if (wrong.length > 0) return { text: 'Let me draft these.', calls: wrong };
  }
  const open = needs.filter(
    (row) =>
      !drafts.some((one) => one.arguments.sku === row.sku && one.arguments.quantity === row.needed),
  );
  if (open.length > 0) {
    return {
      text: '',
      calls: open.map((row) => draftOrder({ sku: row.sku, quantity: row.needed })),
    };
  }
  if (misbehaviour.misstatedTotal) return say(misbehaviour.misstatedTotal);
  return say(needs.length > 0 ? 'I have drafted what is needed.' : 'Nothing is needed.');
}

function wrongCalls(needs: Record<string, unknown>[], wrong: Misbehaviour): Turn['calls'] {
  const first = needs[0];
  const sku = first?.sku;
  const calls: Turn['calls'] = [];
  if (wrong.wrongQuantity && first) {
    calls.push(draftOrder({ sku, quantity: Number(first.needed) + 3 }));
  }
  if (wrong.unknownSku) calls.push(draftOrder({ sku: 'SKU-NOBODY-SELLS', quantity: 4 }));
  if (wrong.alsoSku) calls.push(draftOrder({ sku: wrong.alsoSku, quantity: 4 }));
  if (wrong.malformedArguments) {
    calls.push(draftOrder({ product: sku, quantity: 'a few' }));
    calls.push({ name: 'draft_order', arguments: '{"sku": "half a' });
  }
  return calls;
}

function draftOrder(args: Record<string, unknown>): Turn['calls'][number] {
  return { name: 'draft_order', arguments: args };
}

function files(results: Result[], tools: WireTool[]): Turn {
  const listing = results.find((result) => result.name === 'list_files');
  if (!listing) return { text: '', calls: [{ name: 'list_files', arguments: {} }] };
  const read = tools.find((tool) => tool.function.name === 'read_file');
  const argument = read?.function.parameters?.required?.[0] ?? 'file';
  const names = listOf(listing.content).map((row) => String(row[argument] ?? row.name));
  const done = results.filter((result) => result.name === 'read_file');
  const next = names.find((name) => !done.some((one) => one.arguments[argument] === name));
  if (next) return { text: '', calls: [{ name: 'read_file', arguments: { [argument]: next } }] };
  const lines = done.map((one) => `- ${String(one.arguments[argument])}: ${gist(one.content)}`);
  return say(`I read ${done.length} files.\n${lines.join('\n')}`);
}

function gist(content: string): string {
  const value = unwrap(content);
  const text = isRecord(value) ? String(value.text ?? '') : String(value);
  return text.replace(/\s+/g, ' ').slice(0, 80);
}

function say(text: string): Turn {
  return { text, calls: [] };
}

/** What tools answered since the last thing the user said. */
function resultsOf(messages: WireMessage[]): Result[] {
  const since = messages.findLastIndex((message) => message.role === 'user');
  const calls = new Map<string, { name: string; arguments: Record<string, unknown> }>();
  const results: Result[] = [];
  for (const message of messages.slice(since + 1)) {
    for (const call of message.tool_calls ?? []) calls.set(String(call.id), call.function);
    if (message.role !== 'tool') continue;
    const call = calls.get(String(message.tool_call_id));
    results.push({
      name: message.tool_name ?? call?.name ?? '',
      arguments: call?.arguments ?? {},
      content: message.content,
    });
  }
  return results;
}

function unwrap(content: string): unknown {
  const value: unknown = JSON.parse(content);
  return isRecord(value) && 'ok' in value && 'value' in value ? value.value : value;
}

function listOf(content: string): Record<string, unknown>[] {
  const value = unwrap(content);
  const list = Array.isArray(value) ? value : Object.values(isRecord(value) ? value : {});
  return (list.find(Array.isArray) ?? list).filter(isRecord);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
