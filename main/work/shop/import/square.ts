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

/** The columns of one location. */
interface Place {
  location: string;
  count: number;
  alertOn: number;
  alertAt: number;
}

/**
 * Square's item library: one row a variation, and for each location a set of columns whose headings
 * end in its name. Counts and alert levels are summed over locations, or taken from one; an alert
 * counts only where it is switched on. A blank count means that stock is not tracked there.
 */
export const square: Format = {
  name: 'square',
  recognise: (columns) =>
    placesOf(columns).length > 0 &&
    ['Token', 'Item Name'].some((heading) => columns.find(heading) >= 0),
  read(rows, columns, location) {
    const all = placesOf(columns);
    const locations = [...new Set(all.map((place) => place.location))].filter(
      (name) => name !== '',
    );
    const only = location === undefined ? null : chooseLocation(locations, location);
    const places = all.filter((place) => only === null || place.location === only);
    const contents: Contents = { items: [], skipped: [], locations };
    for (const row of rows) {
      requireWidth(row, columns);
      const sku = skuAt(row, columns.field('sku', ['SKU'])) || skuAt(row, columns.find('Token'));
      const { onHand: ownCount, reorderPoint: ownReorder } = columns.mapped;
      const onHand = cellsAt(
        row,
        ownCount === undefined ? places.map(({ count }) => count) : [ownCount],
      );
      const reorderPoint =
        ownReorder === undefined
          ? places
              .filter(({ alertOn }) => /^(y|yes|true|1)$/i.test(textAt(row, alertOn)))
              .map(({ alertAt }) => cellAt(row, alertAt))
              .filter((cell) => cell !== null)
          : cellsAt(row, [ownReorder]);
      const why =
        sku === ''
          ? 'neither SKU nor token'
          : /^(y|yes|true)$/i.test(textAt(row, columns.find('Archived')))
            ? 'archived'
            : onHand.length === 0
              ? 'stock is not tracked'
              : null;
      if (why) {
        contents.skipped.push(skip(row, sku, why));
        continue;
      }
      const item = textAt(row, columns.field('name', ['Item Name']));
      const variation = textAt(row, columns.find('Variation Name'));
      contents.items.push({
        row: row.number,
        sku,
        name: [item, variation === item ? '' : variation].filter((part) => part !== '').join(' - '),
        onHand,
        reorderPoint,
        ...commonFields(row, columns),
        unitCost: cellAt(row, columns.field('unitCost', ['Default Unit Cost'])),
      });
    }
    return contents;
  },
};

/** Two locations may share a name: the n-th count of a name goes with the n-th alert of that name. */
function placesOf(columns: Columns): Place[] {
  const of = (prefix: RegExp) =>
    columns.names.flatMap((name, column) => {
      const match = prefix.exec(name);
      return match ? [{ location: (match[1] ?? '').trim(), column }] : [];
    });
  const alertsOn = of(/^stock alert enabled(?:\s+(.*))?$/i);
  const alertsAt = of(/^stock alert count(?:\s+(.*))?$/i);
  const nth = (list: ReturnType<typeof of>, location: string, n: number) =>
    list.filter((one) => one.location === location)[n]?.column ?? -1;
  const counts = of(/^current quantity(?:\s+(.*))?$/i);
  return counts.map(({ location, column }, index) => {
    const n = counts.slice(0, index).filter((one) => one.location === location).length;
    return {
      location,
      count: column,
      alertOn: nth(alertsOn, location, n),
      alertAt: nth(alertsAt, location, n),
    };
  });
}
