import {
  cellAt,
  cellsAt,
  chooseLocation,
  commonFields,
  requireWidth,
  skip,
  skuAt,
  textAt,
} from './cells.ts';
import type { Contents, Format } from './format.ts';
import type { Columns } from './header.ts';
import type { Row } from './table.ts';

/**
 * WooCommerce's product file. A `variable` product is the parent of `variation` rows, which carry
 * the stock, unless they say `parent`: then the parent's count is shared by all of them. A blank
 * count means that stock is not managed. Selling prices are no costs, so none is read.
 */
export const woocommerce: Format = {
  name: 'woocommerce',
  recognise: (columns) =>
    columns.find('Type') >= 0 &&
    columns.field('onHand', ['Stock']) >= 0 &&
    ['In stock?', 'Low stock amount', 'Published'].some((name) => columns.find(name) >= 0) &&
    (columns.field('sku', ['SKU']) >= 0 || columns.find('ID') >= 0),
  read(rows, columns, location) {
    if (location !== undefined) chooseLocation([], location);
    const contents: Contents = { items: [], skipped: [], locations: [] };
    const sharing = parentsThatShare(rows, columns);
    for (const row of rows) {
      requireWidth(row, columns);
      const sku = skuAt(row, columns.field('sku', ['SKU'])) || skuAt(row, columns.find('ID'));
      const why = sku === '' ? 'neither SKU nor ID' : whyNot(row, columns, sharing);
      if (why) {
        contents.skipped.push(skip(row, sku, why));
        continue;
      }
      contents.items.push({
        row: row.number,
        sku,
        name: textAt(row, columns.field('name', ['Name'])),
        onHand: cellsAt(row, [columns.field('onHand', ['Stock'])]),
        reorderPoint: cellsAt(row, [columns.field('reorderPoint', ['Low stock amount'])]),
        ...commonFields(row, columns),
        unitCost: cellAt(row, columns.mapped.unitCost ?? -1),
      });
    }
    return contents;
  },
};

function whyNot(row: Row, columns: Columns, sharing: ReadonlySet<string>): string | null {
  const stock = cellAt(row, columns.field('onHand', ['Stock']));
  if (isVariable(row, columns)) {
    if (!stock || !namesOf(row, columns).some((name) => sharing.has(name))) {
      return 'a variable product: its variations carry the stock';
    }
  }
  if (!stock) return 'stock is not managed';
  return stock.text.toLowerCase() === 'parent' ? 'shares the stock of its parent' : null;
}

/** `Type` may hold more than the kind, as in `variable, virtual`. */
function isVariable(row: Row, columns: Columns): boolean {
  return /(^|,\s*)variable(\s*,|$)/i.test(textAt(row, columns.find('Type')));
}

/** How variations name their parent: by its SKU, or by `id:` and its ID. */
function namesOf(row: Row, columns: Columns): string[] {
  return [textAt(row, columns.find('SKU')), `id:${textAt(row, columns.find('ID'))}`];
}

function parentsThatShare(rows: readonly Row[], columns: Columns): Set<string> {
  return new Set(
    rows
      .filter((row) => textAt(row, columns.field('onHand', ['Stock'])).toLowerCase() === 'parent')
      .map((row) => textAt(row, columns.find('Parent')))
      .filter((name) => name !== ''),
  );
}
