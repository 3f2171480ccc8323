import type { Command } from 'commander';
import { decimal } from '../../base/money.ts';
import type { ProductRow } from '../contract.ts';
import type { Act } from './act.ts';
import { readListing } from './listing.ts';
import { needed, readWhole } from './parse.ts';
import { addImportCommand } from './stock-import.ts';
import { table } from './table.ts';

const anyWhole = readWhole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

/** `lull stock …`. */
export function addStockCommands(program: Command, act: Act): void {
  const stock = program.command('stock').description('products and how many there are');
  addImportCommand(stock, act);
  act<{ limit?: number; after?: string; search?: string }>(
    stock
      .command('list')
      .description('products by SKU')
      .option('--search <words>', 'only those with these words in their name or SKU')
      .option('--after <sku>', 'only those behind this one')
      .option('--limit <number>', 'so many at most', readWhole(1, 1_000_000)),
    async ({ call, options, width, json }) => {
      const { rows, more } = await readListing<ProductRow>(
        { limit: options.limit, json },
        (last, limit) => {
          const after = last?.sku ?? options.after;
          const { search } = options;
          return call('stock.list', {
            ...(search !== undefined && { search }),
            ...(after !== undefined && { after }),
            limit,
          });
        },
      );
      const lines = rows.length
        ? productTable(rows, width)
        : [options.search === undefined ? 'No products. See: lull stock import --help' : 'None.'];
      if (more) lines.push('', `More: lull stock list --after '${rows.at(-1)?.sku}'`);
      return { value: rows, lines };
    },
  );
  act<{ reason?: string; event?: string }>(
    stock
      .command('adjust')
      .description('record a sale, a delivery or a correction')
      .argument('<sku>', 'the product')
      .argument('<delta>', 'how many more, or (with a minus) fewer', anyWhole)
      .option('--reason <text>', 'why')
      .option('--event <id>', 'its own identity: the same one is recorded once'),
    async ({ call, options }, sku: string, delta: number) => {
      const reason = needed(options.reason, '--reason');
      const event = needed(options.event, '--event');
      const value = await call('stock.adjust', { sku, delta, reason, event });
      const known = value.outcome === 'duplicate' ? ' (this event was recorded before)' : '';
      return { value, lines: [`${sku}: ${value.onHand} on hand${known}`] };
    },
  );
}

function productTable(rows: ProductRow[], width: number | null): string[] {
  return table<ProductRow>(
    [
      { head: 'SKU', cell: (row) => row.sku },
      { head: 'NAME', cell: (row) => row.name, yields: true },
      { head: 'ON HAND', cell: (row) => row.onHand, right: true },
      { head: 'UNIT', cell: (row) => row.unit },
      { head: 'REORDER AT', cell: (row) => row.reorderPoint, right: true },
      { head: 'NEEDED', cell: (row) => row.needed || null, right: true },
      {
        head: 'EACH',
        cell: (row) => (row.unitCostCents === null ? null : decimal(row.unitCostCents)),
        right: true,
      },
      { head: 'WATCHED', cell: (row) => (row.watched ? 'yes' : '') },
    ],
    rows,
    width,
  );
}
