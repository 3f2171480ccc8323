import { z } from 'zod';
import { type ReadPort, readAll, type Shelf, type Shelves } from '../../engine/workers/shelves.ts';
import type { StockLine, StockReader } from './tools.ts';

const STOCK = 'stock';
const SHOP = 'shop';
const CURRENCY = 'currency';

/** What the shelves stand on: the stock in the store. */
export interface StockSource {
  readonly currency: string;
  needs(sku?: string): readonly StockLine[];
  list(after: string, limit: number): readonly StockLine[];
  count(): number;
}

/** The stock as a worker process may read it: with a subject that product alone. */
export function stockShelves(stock: StockSource, subject: string | null): Shelves {
  const only = () => (subject === null ? [] : stock.needs(subject));
  const all: Shelf = {
    get: (sku) => stock.needs(sku)[0] ?? null,
    page: (after, limit) => stock.list(after, limit),
    count: () => stock.count(),
  };
  const one: Shelf = {
    get: (sku) => (sku === subject ? (only()[0] ?? null) : null),
    page: (after) => only().filter(({ sku }) => sku > after),
    count: () => only().length,
  };
  const facts = { [CURRENCY]: stock.currency };
  return {
    [STOCK]: subject === null ? all : one,
    [SHOP]: {
      get: (name) => (name === CURRENCY ? stock.currency : null),
      page: () => Object.values(facts),
      count: () => Object.keys(facts).length,
    },
  };
}

const line: z.ZodType<StockLine> = z.object({
  sku: z.string(),
  name: z.string(),
  unit: z.string(),
  onHand: z.int(),
  reorderPoint: z.int().nullable(),
  unitCostCents: z.int().nullable(),
  needed: z.int().min(0),
});

/** The same, from a worker process. */
export function stockReader(reads: ReadPort): StockReader {
  return {
    get currency() {
      return reads.get(SHOP, CURRENCY).then((value) => z.string().parse(value));
    },
    async needs(sku) {
      if (sku === undefined) {
        return z
          .array(line)
          .parse(await readAll(reads, STOCK, (entry) => (entry as StockLine).sku));
      }
      const found = await reads.get(STOCK, sku);
      return found === null ? [] : [line.parse(found)];
    },
  };
}
