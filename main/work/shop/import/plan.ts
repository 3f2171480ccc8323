import { LullError } from '../../../base/errors.ts';
import { money } from '../../../base/money.ts';
import type { ProductRecord } from '../../../base/store/stock.ts';
import type { Item } from './figures.ts';

/** What an import would do to one product. */
export interface PlannedProduct {
  change: 'added' | 'changed' | 'unchanged';
  /** What changes, in words. */
  detail: string;
  /** The product as it is to be, with the count of the file. */
  product: ProductRecord;
  /** Count of the file minus the count stored; null when this file has been counted in before. */
  delta: number | null;
}

export interface PlanOptions {
  /** For products whose row has no reorder point. */
  reorderPoint: number | undefined;
  currency: string;
  /** Whether the count of this SKU was taken from this very file before. */
  counted(sku: string): boolean;
}

/**
 * Compares the file with what is stored. What the file leaves out stays as it is stored. A file that
 * was counted in before moves no count and changes nothing it says, however much has been sold
 * since; only a reorder point the owner gives now is still taken. Throws LullError `invalid` when
 * two rows have one SKU.
 */
export function planImport(
  items: readonly Item[],
  current: ReadonlyMap<string, ProductRecord>,
  options: PlanOptions,
): PlannedProduct[] {
  requireDistinct(items);
  return items.map((item) => {
    const stored = current.get(item.sku);
    const again = stored !== undefined && options.counted(item.sku);
    const product = again ? repeated(item, stored, options) : merged(item, stored, options);
    requireSafeValue(item, product);
    if (!stored) {
      return {
        change: 'added',
        detail: describe(product, options.currency),
        product,
        delta: product.onHand,
      };
    }
    const changes = differences(stored, product, options.currency);
    const note = again ? 'counted from this file before' : 'as stored';
    return {
      change: changes.length > 0 ? 'changed' : 'unchanged',
      detail: changes.join('; ') || note,
      product,
      delta: again ? null : product.onHand - stored.onHand,
    };
  });
}

function merged(
  item: Item,
  stored: ProductRecord | undefined,
  options: PlanOptions,
): ProductRecord {
  return {
    sku: item.sku,
    name: item.name ?? stored?.name ?? item.sku,
    unit: item.unit ?? stored?.unit ?? 'units',
    onHand: item.onHand,
    reorderPoint: item.reorderPoint ?? options.reorderPoint ?? stored?.reorderPoint ?? null,
    unitCostCents: item.unitCostCents ?? stored?.unitCostCents ?? null,
  };
}

function repeated(item: Item, stored: ProductRecord, { reorderPoint }: PlanOptions): ProductRecord {
  if (item.reorderPoint !== null || reorderPoint === undefined) return stored;
  return { ...stored, reorderPoint };
}

function requireDistinct(items: readonly Item[]): void {
  const rows = new Map<string, number>();
  for (const { sku, row } of items) {
    const first = rows.get(sku);
    if (first !== undefined) {
      throw new LullError(
        'invalid',
        `rows ${first} and ${row} both have the SKU "${sku}"`,
        'keep one of them, or give them SKUs of their own',
      );
    }
    rows.set(sku, row);
  }
}

/** A full order of the product must be a sum that integers hold exactly. */
function requireSafeValue(item: Item, { reorderPoint, unitCostCents }: ProductRecord): void {
  if (Number.isSafeInteger((reorderPoint ?? 0) * (unitCostCents ?? 0))) return;
  throw new LullError(
    'invalid',
    `row ${item.row}: reorder point times unit cost of "${item.sku}" is too large`,
    'check both cells',
  );
}

function describe(product: ProductRecord, currency: string): string {
  const { onHand, unit, reorderPoint, unitCostCents } = product;
  return [
    `${onHand} on hand, in ${unit}`,
    `reorder point ${reorderPoint ?? 'none'}`,
    `unit cost ${cost(unitCostCents, currency)}`,
  ].join('; ');
}

function differences(from: ProductRecord, to: ProductRecord, currency: string): string[] {
  const lines: [string, string | number, string | number][] = [
    ['on hand', from.onHand, to.onHand],
    ['name', from.name, to.name],
    ['unit', from.unit, to.unit],
    ['reorder point', from.reorderPoint ?? 'none', to.reorderPoint ?? 'none'],
    ['unit cost', cost(from.unitCostCents, currency), cost(to.unitCostCents, currency)],
  ];
  return lines
    .filter(([, before, after]) => before !== after)
    .map(([what, before, after]) => `${what} ${before} → ${after}`);
}

function cost(cents: number | null, currency: string): string {
  return cents === null ? 'unknown' : money(cents, currency);
}
