import { LullError } from '../../../base/errors.ts';
import { currenciesOf } from './currency.ts';
import type { Cell, RawItem } from './format.ts';
import { brief, type Columns, currencyInHeading } from './header.ts';
import { decideReadings, digits, isDoubtful, type Reading, takeApart } from './numbers.ts';
import type { Table } from './table.ts';

/** A product of the file, its figures read. Null: the file does not say. */
export interface Item {
  row: number;
  sku: string;
  name: string | null;
  unit: string | null;
  onHand: number;
  /** What the file said below zero; the count is then 0. */
  negative: number | null;
  reorderPoint: number | null;
  unitCostCents: number | null;
  /** The name was cut at 300 characters. */
  cut: boolean;
}

/** Far above any shop, and far below where sums of them would lose a unit or a cent. */
const LARGEST_COUNT = 1_000_000_000n;
const LARGEST_CENTS = 100_000_000_000n;

/**
 * Reads the figures of all items, exactly. Throws LullError `invalid` with row and column for the
 * first cell that is no number, no whole number, not exact in cents, too large, undecidable, or in
 * another currency than `currency`.
 */
export function readFigures(
  items: readonly RawItem[],
  { columns, separator, header }: Pick<Table<unknown>, 'columns' | 'separator' | 'header'>,
  currency: string,
): Item[] {
  const bodies = new Map<number, string[]>();
  for (const cell of items.flatMap(figuresOf)) {
    const known = bodies.get(cell.column);
    const { body } = takeApart(cell.text);
    if (known) known.push(body);
    else bodies.set(cell.column, [body]);
  }
  const reader: Reader = { columns, currency, readings: decideReadings(bodies, separator) };
  requireCurrencyOfHeading(items, reader, header);
  return items.map((item) => readItem(item, reader));
}

interface Reader {
  columns: Columns;
  currency: string;
  readings: ReadonlyMap<number, Reading>;
}

function figuresOf(item: RawItem): Cell[] {
  return [...item.onHand, ...item.reorderPoint, ...(item.unitCost ? [item.unitCost] : [])];
}

function readItem(item: RawItem, reader: Reader): Item {
  const { row, sku } = item;
  requireLength(sku, 100, row, 'SKU');
  requireLength(item.unit, 40, row, 'unit');
  const sum = (cells: readonly Cell[]) =>
    cells.reduce((total, cell) => total + countIn(cell, reader), 0n);
  const onHand = sum(item.onHand);
  const reorderPoint = item.reorderPoint.length === 0 ? null : sum(item.reorderPoint);
  if (reorderPoint !== null && reorderPoint < 0n) {
    throw wrong(item.reorderPoint[0] as Cell, reader, 'is below zero', 'leave it blank for none');
  }
  const letters = [...item.name];
  return {
    row,
    sku,
    name: letters.length === 0 ? null : letters.slice(0, 300).join('').trim(),
    unit: item.unit === '' ? null : item.unit,
    onHand: onHand < 0n ? 0 : Number(onHand),
    negative: onHand < 0n ? Number(onHand) : null,
    reorderPoint: reorderPoint === null ? null : Number(reorderPoint),
    unitCostCents: item.unitCost ? centsIn(item.unitCost, item.currency, reader) : null,
    cut: letters.length > 300,
  };
}

function countIn(cell: Cell, reader: Reader): bigint {
  const { negative, tokens, body } = takeApart(cell.text);
  const read = tokens.length > 0 ? null : digits(body, readingOf(cell, reader));
  if (read === 'undecided') throw undecided(cell, body, reader);
  if (read === null)
    throw wrong(cell, reader, 'is not a whole number', 'mend it, or leave it blank');
  if (/[1-9]/.test(read.fraction)) {
    const hint = isDoubtful(body)
      ? `here the ${body.includes(',') ? 'comma' : 'point'} is a decimal mark; write ${body.replace(/[.,]/, '')} if that is meant`
      : 'count in a smaller unit';
    throw wrong(cell, reader, 'is not a whole number', hint);
  }
  const count = BigInt(read.whole);
  if (count > LARGEST_COUNT) throw wrong(cell, reader, 'is too large', 'check the cell');
  return negative ? -count : count;
}

function centsIn(cell: Cell, named: Cell | null, reader: Reader): number {
  const { negative, tokens, body } = takeApart(cell.text);
  for (const token of tokens) {
    const meanings = currenciesOf(token);
    if (!meanings) throw notAmount(cell, reader);
    if (!meanings.has(reader.currency)) throw otherCurrency(cell, [...meanings], reader);
  }
  if (named && named.text.toUpperCase() !== reader.currency) {
    throw otherCurrency(named, [named.text], reader);
  }
  const read = digits(body, readingOf(cell, reader));
  if (read === 'undecided') throw undecided(cell, body, reader);
  if (read === null) throw notAmount(cell, reader);
  if (/[1-9]/.test(read.fraction.slice(2))) {
    throw wrong(cell, reader, 'has parts of a cent', 'round it to two decimals');
  }
  const cents = BigInt(read.whole) * 100n + BigInt(read.fraction.slice(0, 2).padEnd(2, '0'));
  if (negative && cents > 0n) throw wrong(cell, reader, 'is below zero', 'a cost is 0 or more');
  if (cents > LARGEST_CENTS) throw wrong(cell, reader, 'is too large', 'check the cell');
  return Number(cents);
}

function readingOf(cell: Cell, reader: Reader): Reading {
  return reader.readings.get(cell.column) ?? 'undecided';
}

function requireCurrencyOfHeading(
  items: readonly RawItem[],
  { columns, currency }: Reader,
  header: number,
): void {
  const column = items.find((item) => item.unitCost)?.unitCost?.column;
  if (column === undefined) return;
  const heading = columns.names[column] as string;
  const token = currencyInHeading(heading);
  if (!token) return;
  const meanings = currenciesOf(token);
  if (!meanings || meanings.has(currency)) return;
  throw otherCurrency({ row: header, column, text: heading }, [...meanings], { columns, currency });
}

function requireLength(text: string, most: number, row: number, what: string): void {
  if ([...text].length <= most) return;
  throw new LullError(
    'invalid',
    `row ${row}: the ${what} "${brief(text)}" is longer than ${most} characters`,
    'shorten it',
  );
}

function otherCurrency(
  cell: Cell,
  meanings: readonly string[],
  reader: Pick<Reader, 'columns' | 'currency'>,
): LullError {
  const what = meanings.length === 1 ? `is in ${meanings[0]}, not` : 'is not in';
  return wrong(
    cell,
    reader,
    `${what} ${reader.currency}`,
    'convert the amounts, or set the currency of your shop: lull config set currency',
  );
}

function notAmount(cell: Cell, reader: Reader): LullError {
  return wrong(cell, reader, 'is not an amount of money', 'mend it, or leave it blank');
}

function undecided(cell: Cell, body: string, reader: Reader): LullError {
  const whole = body.replace(/[.,]/, '');
  const decimal = body.replace(',', '.');
  return wrong(
    cell,
    reader,
    `can mean ${whole} or ${decimal}`,
    'write the numbers of this column without a separator of thousands',
  );
}

function wrong(cell: Cell, { columns }: Pick<Reader, 'columns'>, what: string, hint: string) {
  const column = brief(columns.names[cell.column] as string);
  return new LullError(
    'invalid',
    `row ${cell.row}, column "${column}": "${brief(cell.text)}" ${what}`,
    hint,
  );
}
