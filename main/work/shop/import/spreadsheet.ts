import {
  cellsAt,
  chooseLocation,
  commonFields,
  requireWidth,
  skip,
  skuAt,
  textAt,
} from './cells.ts';
import type { Contents, Format, RawItem } from './format.ts';
import { type Columns, HEADINGS, headingKey } from './header.ts';
import type { Row } from './table.ts';

const TOTALS: ReadonlySet<string> = new Set([
  ...['total', 'totals', 'grandtotal', 'subtotal', 'sum', 'totalitems', 'totalunits'],
  ...['totalstock', 'totalquantity', 'totalvalue'],
]);

const TOTALS_ROW = 'a row of totals';

/** A table that someone keeps by hand, or a system Lull has no room for: the headings decide. */
export const spreadsheet: Format = {
  name: 'spreadsheet',
  recognise: (columns) => columns.field('sku') >= 0 && columns.field('onHand') >= 0,
  read(rows, columns, location) {
    if (location !== undefined) chooseLocation([], location);
    const contents: Contents = { items: [], skipped: [], locations: [] };
    const sku = columns.field('sku');
    const name = nameColumn(columns, sku);
    for (const row of rows) {
      const item: RawItem = {
        row: row.number,
        sku: skuAt(row, sku),
        name: textAt(row, name),
        onHand: cellsAt(row, [columns.field('onHand')]),
        reorderPoint: cellsAt(row, [columns.field('reorderPoint')]),
        ...commonFields(row, columns),
      };
      const why = whyNot(row, item);
      if (why) {
        contents.skipped.push(skip(row, why === TOTALS_ROW ? '' : item.sku, why));
      } else {
        requireWidth(row, columns);
        contents.items.push(item);
      }
    }
    return contents;
  },
};

function whyNot(row: Row, { sku, onHand }: RawItem): string | null {
  if (isTotal(sku) || (sku === '' && row.cells.some(isTotal))) return TOTALS_ROW;
  if (sku === '') return 'no SKU';
  return onHand.length === 0 ? 'no count on hand' : null;
}

function isTotal(cell: string): boolean {
  return TOTALS.has(headingKey(cell));
}

/** `Item` and `Article` are the name where another column is the SKU, and the SKU otherwise. */
function nameColumn(columns: Columns, sku: number): number {
  if (columns.mapped.name !== undefined) return columns.mapped.name;
  return columns.find(...HEADINGS.name.filter((heading) => columns.find(heading) !== sku));
}
