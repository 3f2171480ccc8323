import { LullError } from '../../../base/errors.ts';
import { currenciesOf } from './currency.ts';

/** What the import can learn about a product, by the names `--map` takes. */
export const FIELDS = ['sku', 'name', 'unit', 'onHand', 'reorderPoint', 'unitCost'] as const;
export type Field = (typeof FIELDS)[number];

/** Headings under which a plain spreadsheet keeps each field, best first. */
export const HEADINGS: Record<Field, readonly string[]> = {
  sku: [
    ...['SKU', 'SKU code', 'Item code', 'Product code', 'Article code', 'Stock code'],
    ...['Item number', 'Product number', 'Article number', 'Part number', 'Item no', 'Product no'],
    ...['Article no', 'Part no', 'Item ID', 'Product ID', 'Variant SKU', 'Code', 'Article', 'Item'],
  ],
  name: [
    ...['Name', 'Product name', 'Item name', 'Article name', 'Product', 'Description'],
    ...['Product description', 'Item description', 'Title', 'Item', 'Article'],
  ],
  unit: ['Unit', 'Unit of measure', 'UoM'],
  onHand: [
    ...['On hand', 'Quantity on hand', 'Qty on hand', 'Stock on hand', 'On hand quantity'],
    ...['On hand qty', 'Current stock', 'Stock level', 'Stock quantity', 'Stock qty', 'In stock'],
    ...['Qty', 'Stock', 'Quantity', 'Current quantity', 'Quantity in stock', 'Qty in stock'],
    ...['Inventory quantity', 'Variant inventory qty', 'Count', 'Counted', 'Available'],
  ],
  reorderPoint: [
    ...['Reorder point', 'Reorder level', 'Reorder at', 'Min', 'Par', 'Par level', 'Minimum'],
    ...['Min stock', 'Minimum stock', 'Min qty', 'Minimum qty', 'Minimum quantity', 'Min level'],
    ...['Minimum level', 'Low stock amount', 'Low stock threshold'],
  ],
  unitCost: [
    ...['Unit cost', 'Cost', 'Cost price', 'Cost per unit', 'Cost per item', 'Cost each'],
    ...['Default unit cost', 'Purchase price', 'Unit price', 'Price', 'Price per unit'],
    ...['Price each'],
  ],
};

/** Letters and digits in lower case, so that `On-hand`, `on_hand` and `OnHand ` are one. */
export function headingKey(heading: string): string {
  // A question mark stays: `In stock?` is answered by yes or no, not by a count.
  return heading
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}?]/gu, '');
}

function withoutAside(heading: string): string {
  return heading.replace(/\([^)]*\)|\[[^\]]*\]/g, ' ');
}

/** A header row, asked by heading. */
export interface Columns {
  /** Headings as written, each on one line. */
  readonly names: readonly string[];
  /** Columns the owner named with `--map`. */
  readonly mapped: Partial<Record<Field, number>>;
  /** The owner's columns that this row lacks. */
  readonly unmapped: ReadonlyArray<readonly [Field, string]>;
  /**
   * The column with the first of these headings that is there, an exact one before one that only
   * agrees without what stands in parentheses; -1 when there is none.
   */
  find(...headings: readonly string[]): number;
  /** The column for a field: the owner's, else the first of `headings` (the usual ones by default). */
  field(field: Field, headings?: readonly string[]): number;
}

export function columnsOf(cells: readonly string[], map: ReadonlyMap<Field, string>): Columns {
  const names = cells.map((cell) => cell.replace(/\s+/g, ' ').trim());
  const exact = names.map(headingKey);
  const loose = names.map((name) => headingKey(withoutAside(name)));
  const known = new Map<string, number>();
  const find = (...headings: readonly string[]): number => {
    const asked = headings.join('\n');
    const index = known.get(asked) ?? search(headings);
    known.set(asked, index);
    return index;
  };
  const search = (headings: readonly string[]): number => {
    for (const keys of [exact, loose]) {
      for (const heading of headings) {
        const index = keys.indexOf(headingKey(heading));
        if (index >= 0) return index;
      }
    }
    return -1;
  };
  const mapped: Partial<Record<Field, number>> = {};
  const unmapped: [Field, string][] = [];
  for (const [field, heading] of map) {
    const index = names.indexOf(heading.replace(/\s+/g, ' ').trim());
    const found = index >= 0 ? index : exact.indexOf(headingKey(heading));
    if (found >= 0) mapped[field] = found;
    else unmapped.push([field, heading]);
  }
  const field = (name: Field, headings = HEADINGS[name]): number => {
    const found = mapped[name] ?? find(...headings);
    if (found >= 0 || name !== 'unitCost') return found;
    return names.findIndex((heading) => codeBeside(heading) !== null);
  };
  return { names, mapped, unmapped, find, field };
}

/**
 * The currency that a heading of costs names, as in `Unit cost (EUR)`, `Price €` or `Cost in GBP`:
 * the sign or code, or null.
 */
export function currencyInHeading(heading: string): string | null {
  const asides = [...heading.matchAll(/[([]([^)\]]*)[)\]]/g)].map(
    (match) => match[1]?.trim() ?? '',
  );
  const signs = heading.match(/\p{L}*\p{Sc}/gu) ?? [];
  return [...asides, ...signs].find((token) => currenciesOf(token)) ?? codeBeside(heading);
}

/** The code in `Cost EUR`, `cost in eur` or `EUR cost`, where the rest is a usual heading of costs. */
function codeBeside(heading: string): string | null {
  const after = /^(.+?)(?:\s+in)?\s+([a-z]{3})$/i.exec(heading);
  const before = /^([a-z]{3})\s+(.+)$/i.exec(heading);
  for (const [rest, code] of [
    [after?.[1], after?.[2]],
    [before?.[2], before?.[1]],
  ]) {
    if (rest && code && isCost(rest) && currenciesOf(code)) return code;
  }
  return null;
}

function isCost(heading: string): boolean {
  return HEADINGS.unitCost.some((usual) => headingKey(usual) === headingKey(heading));
}

/** Reads `--map` keys: the field's own name, or any heading that usually means it. */
export function readMap(map: Readonly<Record<string, string>>): Map<Field, string> {
  const result = new Map<Field, string>();
  for (const [key, heading] of Object.entries(map)) {
    const wanted = headingKey(key);
    const field =
      FIELDS.find((name) => name.toLowerCase() === wanted) ??
      FIELDS.find((name) => HEADINGS[name].some((usual) => headingKey(usual) === wanted));
    if (!field) {
      throw new LullError(
        'invalid',
        `--map ${brief(key)}=${brief(heading)}: there is no field "${brief(key)}"`,
        `the fields are ${FIELDS.join(', ')}`,
      );
    }
    if (result.has(field)) {
      throw new LullError('invalid', `--map names the field ${field} twice`, 'name it once');
    }
    result.set(field, heading);
  }
  return result;
}

/** Refuses a column that is to be read while another one has the same heading. */
export function requireUnique(columns: Columns, index: number): void {
  const name = columns.names[index] as string;
  const same = columns.names.flatMap((other, i) =>
    headingKey(other) === headingKey(name) ? [columnLetter(i)] : [],
  );
  if (same.length > 1) {
    throw new LullError(
      'invalid',
      `${same.length} columns are called "${brief(name)}" (${same.join(', ')})`,
      'rename the ones that are not meant',
    );
  }
}

/** The letters a spreadsheet shows above a column: A, B, … Z, AA. */
export function columnLetter(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? columnLetter(rest - 1) : '') + String.fromCharCode(65 + (index % 26));
}

/** Text of a file or an option for a message: on one line, cut at 40 characters. */
export function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}

/** A list for a message, cut where it becomes unreadable. */
export function briefList(names: readonly string[], separator: string): string {
  const shown = names.slice(0, 30).map(brief);
  if (names.length > 30) shown.push(`and ${names.length - 30} more`);
  return shown.join(separator);
}
