import { z } from 'zod';
import { LullError } from '../../base/errors.ts';
import { firstFault } from '../../base/explain.ts';
import { money } from '../../base/money.ts';
import type { ChatMessage } from '../../engine/models/server.ts';
import { type OrderLine, orderLine } from './draft-body.ts';

/** The name of the tool whose results make an order. */
export const DRAFT_ORDER = 'draft_order';

/** What one successful call of draft_order answers: an estimate, not a purchase. */
export const draftedLine = z.strictObject({
  ...orderLine.shape,
  currency: z.string().regex(/^[A-Z]{3}$/),
  status: z.literal('DRAFT'),
});
export type DraftedLine = z.infer<typeof draftedLine>;

export interface OrderReport {
  /** Sorted by SKU. */
  lines: OrderLine[];
  totalCents: number;
  currency: string;
}

/** A tool's result that cannot be trusted with an amount; it is refused, never repaired by a guess. */
export class MalformedResult extends LullError {
  constructor(detail: string) {
    super('failed', `a drafted order line cannot be trusted: ${detail}`);
    this.name = 'MalformedResult';
  }
}

/**
 * The order that a run drafted, from the successful results of draft_order alone; what the model says
 * about amounts is not looked at. A later result for an item replaces the earlier one. Null when
 * nothing was drafted. Throws MalformedResult when a result or the sum is not what it must be.
 */
export function orderReport(messages: readonly ChatMessage[]): OrderReport | null {
  const latest = new Map<string, DraftedLine>();
  for (const value of successesOf(messages, DRAFT_ORDER)) {
    const parsed = draftedLine.safeParse(value);
    if (!parsed.success) {
      throw new MalformedResult(firstFault(parsed.error, 'the result'));
    }
    const line = parsed.data;
    if (line.totalCents !== line.quantity * line.unitCostCents) {
      throw new MalformedResult(`${line.sku}: the total is not quantity times price`);
    }
    latest.set(line.sku, line);
  }
  if (latest.size === 0) return null;

  const drafted = [...latest.values()].sort((a, b) => (a.sku < b.sku ? -1 : 1));
  const currencies = [...new Set(drafted.map((line) => line.currency))];
  if (currencies.length > 1)
    throw new MalformedResult(`two currencies, ${currencies.join(' and ')}`);
  const totalCents = drafted.reduce((sum, line) => sum + line.totalCents, 0);
  if (!Number.isSafeInteger(totalCents)) throw new MalformedResult('the sum is too large');
  const lines = drafted.map(({ currency, status, ...line }) => line);
  return { lines, totalCents, currency: currencies[0] as string };
}

/** The values that a tool answered successfully, in order. Throws MalformedResult on no answer at all. */
export function successesOf(messages: readonly ChatMessage[], tool: string): unknown[] {
  const values: unknown[] = [];
  for (const message of messages) {
    if (message.role !== 'tool' || message.toolName !== tool) continue;
    const answer = answerOf(message.content);
    if (answer.ok) values.push(answer.value);
  }
  return values;
}

/** The order in words, one line an item, for lists and for what a session remembers. */
export function orderText({ lines, totalCents, currency }: OrderReport): string {
  const items = lines.map(
    ({ sku, quantity, unit, totalCents: cents }) =>
      // JSON quoting keeps a label with a line break from adding a line of its own.
      `- ${JSON.stringify(sku)}: ${quantity} ${unit}, ${money(cents, currency)}`,
  );
  return [...items, `Total: ${money(totalCents, currency)}`].join('\n');
}

const answer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);

function answerOf(content: string): z.infer<typeof answer> {
  try {
    return answer.parse(JSON.parse(content));
  } catch {
    throw new MalformedResult('a tool result is not an answer');
  }
}
