export interface SeededProduct {
  sku: string;
  name: string;
  unit: string;
  onHand: number;
  reorderPoint: number | null;
  unitCostCents: number | null;
}

export interface SeededInventory {
  /** A file name for it. */
  name: string;
  /** A plain spreadsheet as CSV: title lines, a header, one row a product, a row of totals. */
  text: string;
  products: SeededProduct[];
  /** Products short of their reorder point, with a known cost, in order of SKU; never empty. */
  needs: (SeededProduct & { needed: number; totalCents: number })[];
}

const WORDS = ['Amber', 'Basalt', 'Cedar', 'Drift', 'Ember', 'Fjord', 'Grove', 'Harbor', 'Indigo'];
const THINGS = ['basket', 'candle', 'kettle', 'ladle', 'notebook', 'platter', 'ribbon', 'teapot'];
const UNITS = ['units', 'boxes', 'jars', 'reels'];

/**
 * A stock file whose SKUs, names and numbers come from `seed` alone: the same seed, the same file. At
 * least two products are short and at least one is not.
 */
export function seededInventory(seed: number, size = 12): SeededInventory {
  const draw = generator(seed);
  const pick = <T>(from: readonly T[]): T => from[draw(from.length)] as T;
  const products = Array.from({ length: Math.max(3, size) }, (_, index): SeededProduct => {
    const reorderPoint = 4 + draw(40);
    const short = index < 2 || (index > 2 && draw(3) === 0);
    return {
      sku: `${pick(WORDS).slice(0, 3).toUpperCase()}-${100 + index}${draw(10)}`,
      name: `${pick(WORDS)} ${pick(THINGS)} no. ${index + 1}`,
      unit: pick(UNITS),
      onHand: short ? draw(reorderPoint) : reorderPoint + draw(2000),
      reorderPoint: index > 2 && draw(6) === 0 ? null : reorderPoint,
      unitCostCents: index > 2 && draw(6) === 0 ? null : 1 + draw(250_000),
    };
  });
  const rows = products.map((one) =>
    [
      one.sku,
      one.name,
      one.unit,
      grouped(one.onHand),
      one.reorderPoint === null ? '' : grouped(one.reorderPoint),
      one.unitCostCents === null
        ? ''
        : `${grouped(Math.floor(one.unitCostCents / 100))}.${String(one.unitCostCents % 100).padStart(2, '0')}`,
    ].map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)),
  );
  const total = products.reduce((sum, one) => sum + one.onHand, 0);
  const text = [
    `Stock list ${seed}`,
    '',
    'Item code,Product,Unit,Qty,Par,Cost',
    ...rows.map((row) => row.join(',')),
    `Total,,,${total},,`,
    '',
  ].join('\r\n');
  const needs = products.flatMap((one) => {
    const needed = Math.max(0, (one.reorderPoint ?? 0) - one.onHand);
    if (needed === 0 || one.unitCostCents === null) return [];
    return [{ ...one, needed, totalCents: needed * one.unitCostCents }];
  });
  needs.sort((a, b) => (a.sku < b.sku ? -1 : 1));
  return { name: `stock-${seed}.csv`, text, products, needs };
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Whole numbers in [0, below): a linear congruential generator, so that a seed repeats. */
function generator(seed: number): (below: number) => number {
  let state = (Math.imul(seed, 2_654_435_761) ^ 0x5bd1e995) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
