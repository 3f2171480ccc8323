import { LullError } from '../../../base/errors.ts';
import type { Cell, RawItem, Skipped } from './format.ts';
import { brief, briefList, type Columns, headingKey } from './header.ts';
import type { Row } from './table.ts';

/** Text of a cell: composed, on one line, without the apostrophe that guards `=`, `+`, `-` and `@`. */
export function textAt(row: Row, column: number): string {
  if (column < 0) return '';
  const text = (row.cells[column] ?? '').normalize('NFC').replace(/[\s\u200b\ufeff]+/g, ' ');
  return text.trim().replace(/^'(?=[=+\-@])/, '');
}

/** The cell, or null where it is blank or there is no such column. */
export function cellAt(row: Row, column: number): Cell | null {
  const text = column < 0 ? '' : (row.cells[column] ?? '').trim();
  return text === '' ? null : { row: row.number, column, text };
}

export function cellsAt(row: Row, columns: readonly number[]): Cell[] {
  return columns.map((column) => cellAt(row, column)).filter((cell) => cell !== null);
}

/** A SKU is a name with at least one letter or digit; a lone dash stands for none. */
export function skuAt(row: Row, column: number): string {
  const text = textAt(row, column);
  return /[\p{L}\p{N}]/u.test(text) ? text : '';
}

/** The columns every format reads alike, unless the owner named others. */
export function commonFields(
  row: Row,
  columns: Columns,
): Pick<RawItem, 'unit' | 'unitCost' | 'currency'> {
  return {
    unit: textAt(row, columns.field('unit')),
    unitCost: cellAt(row, columns.field('unitCost')),
    currency: cellAt(row, columns.find('Currency', 'Currency code')),
  };
}

/**
 * A row with more cells than the header has been cut in the wrong place (`1,234` without quotes),
 * and every cell after the cut would be read as another column.
 */
export function requireWidth(row: Row, columns: Columns): void {
  const extra = row.cells.slice(columns.names.length).some((cell) => cell.trim() !== '');
  if (!extra) return;
  throw new LullError(
    'invalid',
    `row ${row.number} has ${row.cells.length} cells, and the header has ${columns.names.length}`,
    'put quotes around a cell that holds the separator',
  );
}

/** The place the owner meant, by any case and punctuation; throws when the file has no such place. */
export function chooseLocation(locations: readonly string[], wanted: string): string {
  if (locations.length === 0) {
    throw new LullError(
      'invalid',
      'this file does not tell locations apart',
      'leave --location out',
    );
  }
  const found =
    locations.find((name) => name === wanted.trim()) ??
    locations.find((name) => headingKey(name) === headingKey(wanted));
  if (found !== undefined) return found;
  throw new LullError(
    'invalid',
    `there is no location "${brief(wanted)}" in the file`,
    `the locations are ${briefList(locations, '; ')}`,
  );
}

export function skip(row: Row, sku: string, why: string): Skipped {
  return { row: row.number, sku: sku === '' ? null : sku, why };
}
