import { z } from 'zod';
import { failure, type Result } from '../../base/errors.ts';
import { DRAFT_ORDER, type DraftedLine } from '../agent/report.ts';
import { type Scope, type Tool, tool } from '../agent/tools.ts';

/** What the shop's tools need of a product. Money is integer cents. */
export interface StockLine {
  sku: string;
  name: string;
  unit: string;
  onHand: number;
  /** Null where nobody has said: such a product has no need. */
  reorderPoint: number | null;
  unitCostCents: number | null;
  needed: number;
}

/** The stock, read anew at each call: from the store at once, from a worker process by asking. */
export interface StockReader {
  /** Three capital letters: what every price is in. */
  readonly currency: string | Promise<string>;
  /** Every product in order of SKU, or just the one named (none when unknown). */
  needs(sku?: string): readonly StockLine[] | Promise<readonly StockLine[]>;
}

/** The name of the tool that shows the stock. */
export const LIST_STOCK = 'list_stock';

/** What list_stock answers: one entry a product. */
export const listedProduct = z.object({
  sku: z.string(),
  name: z.string(),
  unit: z.string(),
  onHand: z.int(),
  reorderPoint: z.int().nullable(),
  needed: z.int().min(0),
});
export type ListedProduct = z.infer<typeof listedProduct>;

const sku = z.string().min(1).max(100).describe('SKU of the product, as list_stock gives it');

/**
 * The shop's three tools over the current stock. None can buy: two look, one works out a draft. With a
 * subject they see and draft that product alone, whatever the model was told or remembers.
 */
export function shopTools(stock: StockReader): Tool[] {
  return [
    tool({
      name: LIST_STOCK,
      description: 'Read the current stock: on hand, reorder point and how much is needed.',
      effect: 'reads',
      schema: z.strictObject({}),
      run: async (_, scope) => fitting(await stock.needs(scope.subject ?? undefined), scope),
    }),
    tool({
      name: 'supplier',
      description: 'Read the price of one unit of a product, in cents.',
      effect: 'reads',
      schema: z.strictObject({ sku }),
      async run(args, scope) {
        const line = await productIn(stock, args.sku, scope);
        if (!line.ok) return line;
        const { unit, unitCostCents } = line.value;
        if (unitCostCents === null) return noPrice(args.sku);
        const currency = await stock.currency;
        return { ok: true, value: { sku: args.sku, unit, unitCostCents, currency } };
      },
    }),
    tool({
      name: DRAFT_ORDER,
      description: 'Work out a draft for one product; nothing is bought.',
      effect: 'drafts',
      schema: z.strictObject({
        sku,
        quantity: z.int().min(1).describe('exactly what list_stock says is needed'),
      }),
      async run({ sku, quantity }, scope) {
        const line = await productIn(stock, sku, scope);
        if (!line.ok) return line;
        const { name, unit, needed, unitCostCents } = line.value;
        if (needed <= 0)
          return failure('refused', `${sku} needs nothing now: draft nothing for it`);
        if (quantity !== needed) {
          return failure('refused', `the quantity must be the current need of ${sku}: ${needed}`);
        }
        if (unitCostCents === null) return noPrice(sku);
        const totalCents = quantity * unitCostCents;
        if (!Number.isSafeInteger(totalCents)) {
          return failure('refused', `the amount for ${sku} is too large to be worked out exactly`);
        }
        const currency = await stock.currency;
        const money = { unitCostCents, totalCents, currency };
        const value: DraftedLine = { sku, name, unit, quantity, ...money, status: 'DRAFT' };
        return { ok: true, value };
      },
    }),
  ];
}

async function productIn(
  stock: StockReader,
  sku: string,
  scope: Scope,
): Promise<Result<StockLine>> {
  if (scope.subject !== null && sku !== scope.subject) {
    return failure('refused', `this work concerns ${scope.subject} only`);
  }
  const [line] = await stock.needs(sku);
  return line ? { ok: true, value: line } : failure('not_found', `there is no product ${sku}`);
}

function noPrice(sku: string) {
  return failure('refused', `no price is known for ${sku}: leave it out and say so`);
}

/** As many products as fit into one answer, those in need first; otherwise in order of SKU. */
function fitting(lines: readonly StockLine[], scope: Scope) {
  const listed = lines.map(
    ({ sku, name, unit, onHand, reorderPoint, needed }): ListedProduct => ({
      ...{ sku, name, unit },
      ...{ onHand, reorderPoint, needed },
    }),
  );
  // Room for the envelope and the note around the list.
  const room = scope.maxCharacters - 200;
  if (JSON.stringify(listed).length <= room) return { ok: true as const, value: listed };

  const inNeed = listed.filter((product) => product.needed > 0);
  const shown: ListedProduct[] = [];
  let characters = 0;
  for (const product of inNeed) {
    characters += JSON.stringify(product).length + 1;
    if (characters > room) break;
    shown.push(product);
  }
  const rest = inNeed.length - shown.length;
  const note =
    `${listed.length - inNeed.length} products that need nothing are left out` +
    (rest > 0 ? `, and ${rest} more that are in need` : '');
  return { ok: true as const, value: shown, note };
}
