import {
  cellAt,
  chooseLocation,
  commonFields,
  requireWidth,
  skip,
  skuAt,
  textAt,
} from './cells.ts';
import type { Cell, Contents, Format, RawItem } from './format.ts';
import { type Columns, headingKey } from './header.ts';
import type { Row } from './table.ts';

/** Best first. `On hand (new)` is the owner's intention, not a count. */
const COUNTS = [
  ...[
    'On hand (current)',
    'On hand',
    'On hand (not editable)',
    'Available',
    'Available (not editable)',
  ],
];
const OPTIONS = [1, 2, 3].map((n) => [`Option${n} Value`, `Option${n} Name`] as const);
/** The columns of the older file that are no location. */
const NO_LOCATION = new Set(
  ['Handle', 'Title', ...OPTIONS.flat(), 'SKU', 'HS Code', 'COO', 'Bin name'].map(headingKey),
);
/** Columns of Shopify's product file, which tells no counts a location. */
const PRODUCT_FILE = ['Variant SKU', 'Vendor', 'Body (HTML)', 'URL handle'];

/** Where a count stands: at a location of its own column, or of the row's `Location`. */
interface Place {
  column: number;
  location: string | null;
}

/**
 * Shopify's inventory file: one row a variant and location, or (older) one row a variant and one
 * column a location. Counts are summed over locations, or taken from one. A variant without a SKU is
 * known by its handle and options; further variants of a product have no title of their own.
 */
export const shopify: Format = {
  name: 'shopify',
  recognise: (columns) => placesOf(columns).length > 0,
  read(rows, columns, location) {
    const places = placesOf(columns);
    const locations = locationsOf(rows, columns, places);
    const only = location === undefined ? null : chooseLocation(locations, location);
    const titles = titlesOf(rows, columns);
    const contents: Contents = { items: [], skipped: [], locations };
    const variants = new Map<string, { item: RawItem; seen: Set<string>; elsewhere: boolean }>();
    for (const row of rows) {
      requireWidth(row, columns);
      const options = optionsAt(row, columns);
      const handle = textAt(row, columns.find('Handle'));
      const own = skuAt(row, columns.field('sku', ['SKU']));
      const sku = own || [handle, ...options].filter((part) => part !== '').join('/');
      if (sku === '') {
        contents.skipped.push(skip(row, '', 'neither SKU nor handle'));
        continue;
      }
      const at = textAt(row, columns.find('Location'));
      const key = JSON.stringify([handle, options, sku]);
      const known = variants.get(key);
      // The same variant at the same place again is no further location: planning refuses it.
      const variant =
        known && !known.seen.has(at)
          ? known
          : { item: itemOf(row, columns, sku, titles), seen: new Set<string>(), elsewhere: false };
      variant.seen.add(at);
      if (variant !== known) variants.set(known ? `${key}#${row.number}` : key, variant);
      const inScope = places.filter((place) => only === null || (place.location ?? at) === only);
      if (inScope.length === 0) variant.elsewhere = true;
      variant.item.onHand.push(...countsAt(row, inScope));
    }
    for (const { item, elsewhere } of variants.values()) {
      if (item.onHand.length > 0) contents.items.push(item);
      else {
        const why = elsewhere ? `not kept at ${only}` : 'not stocked or not tracked';
        contents.skipped.push({ row: item.row, sku: item.sku, why });
      }
    }
    return contents;
  },
};

function placesOf(columns: Columns): Place[] {
  if (columns.find('Handle') < 0) return [];
  const count = columns.field('onHand', COUNTS);
  const named = ['Location', 'Title', 'Option1 Value'].some((name) => columns.find(name) >= 0);
  if (PRODUCT_FILE.some((name) => columns.find(name) >= 0)) return [];
  if (count >= 0) return named ? [{ column: count, location: null }] : [];
  const older = ['Title', 'Option1 Value', 'SKU'].every((name) => columns.find(name) >= 0);
  if (!older || columns.find('Location') >= 0) return [];
  return columns.names.flatMap((name, column) =>
    name === '' || NO_LOCATION.has(headingKey(name)) ? [] : [{ column, location: name }],
  );
}

function locationsOf(rows: readonly Row[], columns: Columns, places: readonly Place[]): string[] {
  const own = places.flatMap((place) => place.location ?? []);
  if (own.length > 0) return own;
  const column = columns.find('Location');
  if (column < 0) return [];
  return [...new Set(rows.map((row) => textAt(row, column)).filter((name) => name !== ''))];
}

/** The title of each handle, from whichever of its rows has one. */
function titlesOf(rows: readonly Row[], columns: Columns): Map<string, string> {
  const titles = new Map<string, string>();
  for (const row of rows) {
    const title = textAt(row, columns.field('name', ['Title']));
    const handle = textAt(row, columns.find('Handle'));
    if (title !== '' && !titles.has(handle)) titles.set(handle, title);
  }
  return titles;
}

function optionsAt(row: Row, columns: Columns): string[] {
  return OPTIONS.map(([value]) => textAt(row, columns.find(value))).filter(
    (value) => value !== '' && value !== 'Default Title',
  );
}

function itemOf(
  row: Row,
  columns: Columns,
  sku: string,
  titles: ReadonlyMap<string, string>,
): RawItem {
  const title = titles.get(textAt(row, columns.find('Handle'))) ?? '';
  const options = optionsAt(row, columns).join(' / ');
  const reorder = cellAt(row, columns.field('reorderPoint', []));
  return {
    row: row.number,
    sku,
    name: [title, options].filter((part) => part !== '').join(' - '),
    onHand: [],
    reorderPoint: reorder ? [reorder] : [],
    ...commonFields(row, columns),
  };
}

function countsAt(row: Row, places: readonly Place[]): Cell[] {
  const absent = (column: number) => headingKey(textAt(row, column)) === 'notstocked';
  return places
    .filter((place) => !absent(place.column))
    .map((place) => cellAt(row, place.column))
    .filter((cell) => cell !== null);
}
