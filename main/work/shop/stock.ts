import type { Clock } from '../../base/clock.ts';
import { type Failure, failure, ok, type Result } from '../../base/errors.ts';
import { canonicalJson } from '../../base/ids.ts';
import type { Store } from '../../base/store/database.ts';
import { type ProductRecord, stockTable } from '../../base/store/stock.ts';
import { nearest } from '../../base/suggest.ts';

/** A product with what it lacks. Counts are in `unit`; money is integer cents of `Stock.currency`. */
export interface StockLine extends ProductRecord {
  /** Reorder point minus on hand, never below zero; zero where there is no reorder point. */
  needed: number;
}

/** A delivery or a sale. The same `event` counts once, however often it is told. */
export interface Adjustment {
  sku: string;
  delta: number;
  reason: string;
  event: string;
}

export interface Adjusted {
  outcome: 'applied' | 'duplicate';
  /** On hand now, after this and everything since. */
  onHand: number;
}

export interface Stock {
  /** Three capital letters: what every amount of the stock is in. */
  readonly currency: string;
  /** Every product with its need, or just the one named (none when unknown), in order of SKU. */
  needs(sku?: string): StockLine[];
  /**
   * The next `limit` products whose SKU comes after `after`; '' starts at the first. `search`: only
   * those with these words in their name or SKU.
   */
  list(after: string, limit: number, search?: string): StockLine[];
  get(sku: string): StockLine | null;
  count(): number;
  /** When the count of a product last changed, epoch ms; null where nothing is recorded. */
  lastCountedAt(sku: string): number | null;
  /**
   * Records the event and moves the count, in one transaction. Failures: `invalid` (unknown SKU,
   * zero, not an integer, below zero) and `conflict` (the event is already something else).
   */
  adjust(adjustment: Adjustment): Result<Adjusted>;
}

export function openStock(
  store: Store,
  { clock, currency }: { clock: Clock; currency: string },
): Stock {
  const table = stockTable(store.db);

  function adjust({ sku, delta, reason, event }: Adjustment): Result<Adjusted> {
    const wrong = wrongAdjustment(delta, reason, event);
    if (wrong) return failure('invalid', wrong);
    const payload = canonicalJson({ sku, delta, reason });
    return store.join((): Result<Adjusted> => {
      const product = table.product(sku);
      const known = table.eventPayload(event);
      if (known !== undefined) {
        if (known === payload && product) {
          return ok({ outcome: 'duplicate', onHand: product.onHand });
        }
        return failure(
          'conflict',
          `event "${event}" is already recorded with other contents: ${known}`,
          'give this event an identity of its own',
        );
      }
      if (!product) return unknownSku(sku, table.skus());
      const onHand = product.onHand + delta;
      if (onHand < 0) {
        return failure(
          'invalid',
          `${sku} has ${product.onHand}, so ${delta} would leave ${onHand}`,
        );
      }
      if (!Number.isSafeInteger(onHand)) {
        return failure('invalid', `${sku} has ${product.onHand}, so ${delta} is too much to count`);
      }
      table.addEvent({ eventId: event, sku, delta, reason, payload, at: clock.now() });
      return ok({ outcome: 'applied', onHand });
    });
  }

  return {
    currency,
    needs(sku) {
      if (sku === undefined) return table.products().map(withNeed);
      const product = table.product(sku);
      return product ? [withNeed(product)] : [];
    },
    list(after, limit, search = '') {
      const found =
        search === ''
          ? table.productsAfter(after, limit)
          : table.productsNamed(search, after, limit);
      return found.map(withNeed);
    },
    get(sku) {
      const product = table.product(sku);
      return product ? withNeed(product) : null;
    },
    count: () => table.countProducts(),
    lastCountedAt: table.lastCountedAt,
    adjust,
  };
}

/** The one rule of need: what is missing up to the reorder point. */
export function withNeed(product: ProductRecord): StockLine {
  const { reorderPoint, onHand } = product;
  return { ...product, needed: reorderPoint === null ? 0 : Math.max(0, reorderPoint - onHand) };
}

function wrongAdjustment(delta: number, reason: string, event: string): string | null {
  if (!Number.isSafeInteger(delta)) return `delta must be a whole number, not ${delta}`;
  if (delta === 0) return 'delta must not be 0: that would change nothing';
  if (!fits(reason)) return 'reason must be 1 to 200 characters';
  if (!fits(event)) return 'event must be 1 to 200 characters';
  return null;
}

function fits(text: string): boolean {
  return text.trim().length > 0 && text.length <= 200;
}

/** Says that there is no such product, and names the nearest one where it is near enough. */
export function unknownSku(sku: string, known: readonly string[]): Failure {
  const message = `there is no product "${sku}"`;
  if (known.length === 0)
    return failure('invalid', message, 'import stock first: lull stock import');
  const lower = known.map((one) => one.toLowerCase());
  const near = nearest(sku.toLowerCase(), lower);
  const hint =
    near === null
      ? 'the products are in: lull stock list'
      : `did you mean ${known[lower.indexOf(near)]}?`;
  return failure('invalid', message, hint);
}
