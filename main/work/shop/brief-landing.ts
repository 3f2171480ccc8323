import { z } from 'zod';
import type { Landing } from '../../engine/supervisor/handler.ts';
import {
  type Finished,
  orderDraft,
  orderLineFor,
  reportDraft,
  shownModel,
  textDraft,
  titleFrom,
} from '../agent/draft.ts';
import { endedByModel, type LoopState, lastWords } from '../agent/loop-state.ts';
import {
  DRAFT_ORDER,
  type OrderReport,
  orderReport,
  orderText,
  successesOf,
} from '../agent/report.ts';
import { LIST_STOCK, listedProduct, type StockLine } from './tools.ts';

/**
 * What a finished brief leaves; `lines` is the stock in its scope as it is now. The first that holds:
 * - an order, when the model came to its own end and drafted something: figures from the tools alone;
 * - a report of what had been drafted, when a limit stopped the run: half an order is not approvable;
 * - a report in Lull's words, when the stock was looked at and needs nothing: the owner sees that the
 *   brief ran and why there is nothing to approve, whatever the model makes of it;
 * - the model's words, marked as unchecked, for whatever else was asked.
 * Throws MalformedResult when a drafted line cannot be trusted.
 */
export function landBrief(
  finished: Finished,
  lines: readonly StockLine[],
  prompt: string,
): Omit<Landing, 'transcript'> {
  const { job, model, state } = finished;
  const order = orderReport(state.exchange);
  const words = lastWords(state);
  const missing = order || lookedAtStock(state) ? missingFrom(order, lines) : [];
  const run: Finished = { ...finished, remarks: [...finished.remarks, ...missing] };
  const title = titleFrom(prompt);
  const remember = (result: string) =>
    job.session === null ? {} : { remember: { prompt, result } };

  if (order && endedByModel(state.ended)) {
    const draft = orderDraft(run, orderTitle(order, title), order, words);
    return { result: orderLineFor(order), draft, ...remember(orderText(order)) };
  }
  if (order) {
    const drafted = `No order was made. Drafted until then:\n${orderText(order)}`;
    const text = paragraphs(drafted, quoted(run, words));
    const draft = reportDraft(run, `Stopped: ${title}`, text, FROM_TOOLS, job.id);
    return { result: 'Stopped before the order was complete', draft, ...remember(drafted) };
  }
  const nothing = endedByModel(state.ended) ? nothingNeeded(state, lines, job.subject) : null;
  if (nothing) {
    const text = paragraphs(nothing.text, quoted(run, words));
    const draft = reportDraft(run, nothing.title, text, FROM_TOOLS, null);
    return { result: nothing.text, draft, ...remember(nothing.text) };
  }
  if (words === '') {
    const text = 'The model gave no answer, and nothing was drafted.';
    const draft = reportDraft(run, title, text, 'Written by Lull.', job.id);
    return { result: text, draft, ...remember(text) };
  }
  const result = `Text draft by ${shownModel(model)}, not checked`;
  return { result, draft: textDraft(run, title, words), ...remember(words) };
}

const FROM_TOOLS = 'Figures come from the stock and price tools.';

function orderTitle(order: OrderReport, otherwise: string): string {
  const [only, ...others] = order.lines;
  return only && others.length === 0 ? `Replenish ${only.name}` : otherwise;
}

function lookedAtStock(state: LoopState): boolean {
  return state.exchange.some(
    (message) =>
      message.role === 'tool' &&
      (message.toolName === LIST_STOCK || message.toolName === DRAFT_ORDER),
  );
}

/** What is in need now and not in the order, so that an order never looks complete when it is not. */
function missingFrom(order: OrderReport | null, lines: readonly StockLine[]): string[] {
  const drafted = new Set(order?.lines.map((line) => line.sku));
  const missing = lines.filter((line) => line.needed > 0 && !drafted.has(line.sku));
  if (missing.length === 0) return [];
  const named = missing.slice(0, 10).map((line) => {
    const price = line.unitCostCents === null ? ', no price known' : '';
    return `${line.name} (${line.needed} ${line.unit}${price})`;
  });
  if (missing.length > named.length) named.push(`${missing.length - named.length} more`);
  const too = order ? 'Needed too' : 'Needed';
  return [`${too}, and not drafted: ${named.join(', ')}.`];
}

/** Nothing to order, by what list_stock answered and by the stock as it is now; else null. */
function nothingNeeded(state: LoopState, lines: readonly StockLine[], subject: string | null) {
  const seen = successesOf(state.exchange, LIST_STOCK).at(-1);
  if (lines.some((line) => line.needed > 0)) return null;
  const products = z.array(listedProduct).safeParse(seen);
  if (!products.success || products.data.some((product) => product.needed > 0)) return null;
  if (lines.length === 0) {
    const text =
      subject === null ? 'The stock holds no products.' : `${subject} is not in the stock.`;
    return { title: 'Nothing to order', text };
  }
  const [only, ...others] = lines;
  if (only && others.length === 0) {
    const point =
      only.reorderPoint === null ? 'no reorder point' : `reorder point ${only.reorderPoint}`;
    const text = `${only.name} needs nothing: ${only.onHand} ${only.unit} on hand, ${point}.`;
    return { title: `${only.name} needs nothing`, text };
  }
  const text = `Nothing needs ordering: none of ${lines.length} products is below its reorder point.`;
  return { title: 'Nothing needs ordering', text };
}

function quoted(run: Finished, words: string): string {
  return words && `Words of ${shownModel(run.model)}, not checked:\n${words}`;
}

function paragraphs(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
