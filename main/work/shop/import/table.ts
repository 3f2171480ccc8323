import { CsvError, parse } from 'csv-parse/sync';
import { LullError } from '../../../base/errors.ts';
import { brief, briefList, type Columns, columnsOf, type Field } from './header.ts';

/** A row as a spreadsheet shows it: its number counts title lines and empty rows, from 1. */
export interface Row {
  number: number;
  cells: string[];
}

/** The rows below a header that was understood. */
export interface Table<F> {
  format: F;
  columns: Columns;
  header: number;
  rows: Row[];
  separator: string;
}

/** Says whether a header row is one of its own. */
interface Recognises {
  recognise(columns: Columns): boolean;
}

const SEPARATORS = [',', ';', '\t', '|'] as const;
/** A header is looked for in this many rows: exports put titles and instructions above it. */
const HEADER_WITHIN = 50;
/** The rest of the name of a currency-free heading: fields counted to find the likeliest header. */
const COUNTED: readonly Field[] = ['sku', 'onHand', 'name', 'reorderPoint', 'unitCost', 'unit'];

interface Candidate<F> {
  separator: string;
  /** Index of the row. */
  at: number;
  columns: Columns;
  format: F | null;
  fields: number;
}

/**
 * Finds the separator, the header row and the format that knows it. Throws LullError `invalid` when
 * no row is a header, naming what is missing and the columns there are.
 */
export function readTable<F extends Recognises>(
  text: string,
  formats: readonly F[],
  map: ReadonlyMap<Field, string>,
): Table<F> {
  // Excel's own first line that names the separator; Excel does not count it as a row.
  const told = /^\ufeff?sep=(.)\r?\n/i.exec(text);
  const bytes = Buffer.from(told ? text.slice(told[0].length) : text.replace(/^\ufeff/, ''));
  const separators = told ? [told[1] as string] : SEPARATORS;
  let best: Candidate<F> | null = null;
  for (const separator of separators) {
    const found = findHeader(bytes, separator, formats, map);
    if (found && (!best || better(found, best))) best = found;
  }
  const all = split(bytes, best?.separator ?? separators[0] ?? ',');
  if (!best) throw new LullError('invalid', 'the file is empty');
  requireHeader(best);
  const { columns, separator, at } = best;
  const rows = all
    .map((cells, index) => ({ number: index + 1, cells }))
    .slice(at + 1)
    .filter((row) => row.cells.some((cell) => cell.trim() !== ''));
  return { format: best.format as F, columns, header: at + 1, rows, separator };
}

function better<F>(a: Candidate<F>, b: Candidate<F>): boolean {
  const rank = ({ format, fields, columns }: Candidate<F>) => [
    format && columns.unmapped.length === 0 ? 1 : 0,
    fields,
    columns.names.length,
  ];
  const left = rank(a);
  const right = rank(b);
  const index = left.findIndex((value, i) => value !== right[i]);
  return index >= 0 && (left[index] as number) > (right[index] as number);
}

function findHeader<F extends Recognises>(
  bytes: Buffer,
  separator: string,
  formats: readonly F[],
  map: ReadonlyMap<Field, string>,
): Candidate<F> | null {
  let rows: string[][];
  try {
    rows = split(bytes, separator, HEADER_WITHIN);
  } catch {
    return null;
  }
  let best: Candidate<F> | null = null;
  for (const [at, cells] of rows.entries()) {
    if (cells.every((cell) => cell.trim() === '')) continue;
    const columns = columnsOf(cells, map);
    const format = formats.find((one) => one.recognise(columns)) ?? null;
    const fields = COUNTED.filter((field) => columns.field(field) >= 0).length;
    const candidate = { separator, at, columns, format, fields };
    if (format && columns.unmapped.length === 0) return candidate;
    if (!best || better(candidate, best)) best = candidate;
  }
  return best;
}

function requireHeader<F>({ format, columns }: Candidate<F>): void {
  const names = columns.names.filter((name) => name !== '');
  const there = `the columns are ${briefList(names, ', ')}`;
  const [first] = columns.unmapped;
  if (first) {
    const [field, heading] = first;
    throw new LullError(
      'invalid',
      `--map ${field}=${brief(heading)}: there is no such column`,
      there,
    );
  }
  if (format) return;
  const missing = [
    columns.field('sku') < 0 ? ['a SKU', 'sku'] : null,
    columns.field('onHand') < 0 ? ['a count on hand', 'onHand'] : null,
  ].filter((one) => one !== null);
  throw new LullError(
    'invalid',
    `no column looks like ${missing.map(([what]) => what).join(' or ')}; ${there}`,
    `name it: ${missing.map(([, field]) => `--map ${field}=Column`).join(' ')}`,
  );
}

/** Rows of cells; quoted cells may hold separators, quotes and line ends. Empty rows are kept. */
function split(bytes: Buffer, separator: string, atMost?: number): string[][] {
  try {
    return parse(bytes, {
      delimiter: separator,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      // A stray quote inside a cell (5" pot) is a character like any other.
      relax_quotes: true,
      ...(atMost === undefined ? {} : { to: atMost }),
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const row = typeof error.records === 'number' ? error.records + 1 : '?';
    throw new LullError(
      'invalid',
      `row ${row}: a quote opens a cell and is never closed`,
      'close the quote, or remove it',
    );
  }
}
