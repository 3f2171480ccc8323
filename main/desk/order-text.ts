import { stringify } from 'csv-stringify/sync';
import { decimal, money } from '../base/money.ts';
import type { OrderLine } from '../work/agent/draft-body.ts';
import { oneLine } from './view-model/text.ts';

/** An approved order, with only what never changes: the same draft always gives the same bytes. */
export interface Order {
  id: number;
  title: string;
  currency: string;
  createdAt: number;
  totalCents: number;
  lines: readonly OrderLine[];
  provenance: string;
}

const COLUMNS = ['sku', 'name', 'quantity', 'unit', 'unit_cost', 'total', 'currency'];

/**
 * The order for another program: RFC 4180, UTF-8, CRLF, one row a line, no total. A cell that a
 * spreadsheet would run as a formula gets an apostrophe in front (OWASP, "CSV Injection").
 */
export function orderCsv(order: Order): string {
  const rows = order.lines.map((line) => [
    line.sku,
    line.name,
    String(line.quantity),
    line.unit,
    decimal(line.unitCostCents),
    decimal(line.totalCents),
    order.currency,
  ]);
  return stringify([COLUMNS, ...rows], {
    record_delimiter: '\r\n',
    escape_formulas: true,
    // A lone CR or LF is no record delimiter of ours, but it is one to other readers.
    quoted_match: /[\r\n]/,
  });
}

/** The order for people, in Markdown: a table with a total row, and where the figures come from. */
export function orderMarkdown(order: Order): string {
  const rows = order.lines.map((line) => [
    cell(line.name),
    cell(line.sku),
    `${line.quantity} ${cell(line.unit)}`,
    money(line.unitCostCents, order.currency),
    money(line.totalCents, order.currency),
  ]);
  return [
    `# Order ${order.id}: ${cell(order.title)}`,
    '',
    `Drafted ${new Date(order.createdAt).toISOString()}. Nothing has been bought: this file is the order to place.`,
    '',
    '| Item | SKU | Quantity | Unit cost | Total |',
    '| --- | --- | ---: | ---: | ---: |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    `| **Total** |  |  |  | **${money(order.totalCents, order.currency)}** |`,
    '',
    cell(order.provenance, 2000),
    '',
  ].join('\n');
}

/** Text that stays text in Markdown, inside a table too. */
function cell(text: string, most?: number): string {
  return oneLine(text, most)
    .replace(/[\\`*_~[\]|!]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
