import { LullError } from '../../../base/errors.ts';
import { canonicalJson, sha256 } from '../../../base/ids.ts';
import { decode } from './decode.ts';
import { type Item, readFigures } from './figures.ts';
import type { Skipped } from './format.ts';
import { FORMATS } from './formats.ts';
import { brief, briefList, type Columns, FIELDS, readMap, requireUnique } from './header.ts';
import { readTable } from './table.ts';

export interface FileRequest {
  bytes: Uint8Array;
  /** Field → heading, for columns that are not found by themselves. */
  map?: Readonly<Record<string, string>>;
  /** One location instead of the sum of all. */
  location?: string | undefined;
  /** The shop's currency; amounts in another one are refused. */
  currency: string;
}

/** A stock file, understood. */
export interface ImportFile {
  /** SHA-256 of the bytes, and of `map` and `location` where the owner gave them. */
  digest: string;
  /** The system it comes from. */
  format: string;
  items: Item[];
  skipped: Skipped[];
  notes: string[];
}

/** Reads a stock file as far as it can be read without the store. Throws LullError `invalid`. */
export function readImportFile({ bytes, map = {}, location, currency }: FileRequest): ImportFile {
  const headings = readMap(map);
  const { text, note } = decode(bytes);
  const table = readTable(text, FORMATS, headings);
  const { format, columns } = table;
  for (const column of new Set(FIELDS.map((field) => columns.field(field)))) {
    if (column >= 0) requireUnique(columns, column);
  }
  const contents = format.read(table.rows, columns, location);
  if (contents.items.length === 0 && contents.skipped.length === 0) {
    throw new LullError('invalid', `there is no product below the header in row ${table.header}`);
  }
  const items = readFigures(contents.items, table, currency);
  const content = sha256(bytes);
  const plain = headings.size === 0 && location === undefined;
  return {
    digest: plain
      ? content
      : sha256(canonicalJson([content, [...headings].sort(), location ?? null])),
    format: format.name,
    items,
    skipped: contents.skipped,
    notes: [
      ...(note ? [note] : []),
      ...(format.name === 'spreadsheet' ? [columnsRead(columns, table.header)] : []),
      ...summed(contents.locations, location),
      ...items.flatMap(oddities),
    ],
  };
}

/** Which columns a plain table was read from: the headings were guessed, so the owner may check. */
function columnsRead(columns: Columns, header: number): string {
  const read = FIELDS.flatMap((field) => {
    const index = columns.field(field);
    return index < 0 ? [] : [`${field} from "${brief(columns.names[index] as string)}"`];
  });
  return `header in row ${header}: ${read.join(', ')}`;
}

function summed(locations: readonly string[], location: string | undefined): string[] {
  if (location !== undefined || locations.length < 2) return [];
  return [`counts are summed over ${briefList(locations, '; ')}; --location takes one`];
}

function oddities({ row, sku, negative, cut }: Item): string[] {
  return [
    ...(negative === null ? [] : [`row ${row}: ${sku} has ${negative} on hand, counted as 0`]),
    ...(cut ? [`row ${row}: the name of ${sku} was cut at 300 characters`] : []),
    ...(/^\d(\.\d+)?e\+\d+$/i.test(sku)
      ? [`row ${row}: ${sku} looks like a number that a spreadsheet has shortened`]
      : []),
  ];
}
