import type { StockLine, StockReader } from '../../main/work/shop/tools.ts';

export function lineOf(line: Partial<StockLine> & { sku: string }): StockLine {
  const { onHand = 0, reorderPoint = 0, unitCostCents = 100 } = line;
  return {
    name: line.sku,
    unit: 'tubs',
    needed: Math.max(0, (reorderPoint ?? 0) - onHand),
    ...line,
    onHand,
    reorderPoint,
    unitCostCents,
  };
}

/** The ice-cream shop of the stories. */
export const SEED: readonly StockLine[] = [
  lineOf({
    sku: 'SKU-CHOCOLATE',
    name: 'Chocolate',
    onHand: 12,
    reorderPoint: 12,
    unitCostCents: 300,
  }),
  lineOf({
    sku: 'SKU-STRAWBERRY',
    name: 'Strawberry',
    onHand: 1,
    reorderPoint: 5,
    unitCostCents: 275,
  }),
  lineOf({ sku: 'SKU-VANILLA', name: 'Vanilla', onHand: 2, reorderPoint: 8, unitCostCents: 250 }),
];

/** A stock in memory; `set` is what a sale or a delivery would do. */
export function stockOf(
  lines: readonly StockLine[],
  currency = 'USD',
): StockReader & { set(sku: string, change: Partial<StockLine>): void } {
  const stock = new Map(lines.map((line) => [line.sku, line]));
  return {
    currency,
    needs(sku) {
      const all = [...stock.values()].sort((a, b) => (a.sku < b.sku ? -1 : 1));
      return sku === undefined ? all : all.filter((line) => line.sku === sku);
    },
    set(sku, change) {
      stock.set(sku, { ...(stock.get(sku) as StockLine), ...change });
    },
  };
}
