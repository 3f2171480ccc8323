import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importInventory } from '../../../../main/work/shop/import/apply.ts';
import { type FileRequest, readImportFile } from '../../../../main/work/shop/import/read-file.ts';
import { ENCODINGS, type FileStyle, writeTable } from '../../../support/stock-file.ts';
import { temporaryStore } from '../../../support/store.ts';
import { type NumberStyle, STYLES, write } from '../../../support/written-number.ts';

interface Product {
  sku: string;
  name: string;
  unit: string;
  onHand: number;
  reorderPoint: number | null;
  unitCostCents: number | null;
}

/** Text that every encoding under test can hold, with all that a table has to quote. */
const TEXT = fc
  .string({
    unit: fc.constantFrom(...'abcXYZ019éüß=+@-_/.,;|\t"\'#()& '),
    minLength: 1,
    maxLength: 14,
  })
  .map((text) => text.replace(/\s+/g, ' ').trim())
  .filter((text) => /[a-z]/i.test(text) && !/^'|^(sub|grand)?total|^sum$/i.test(text));
const COUNT = fc.oneof(fc.nat(20), fc.nat(3_000_000));
const PRODUCT = fc.record<Product>({
  sku: TEXT,
  name: TEXT,
  unit: fc.constantFrom('units', 'tubs', 'boxes of 6'),
  onHand: COUNT,
  reorderPoint: fc.option(COUNT),
  unitCostCents: fc.option(fc.nat(50_000_000)),
});
const PRODUCTS = fc.uniqueArray(PRODUCT, {
  minLength: 1,
  maxLength: 12,
  selector: ({ sku }) => sku,
});

const STYLE = fc.record({
  numbers: fc.constantFrom<NumberStyle>(...STYLES),
  file: fc.record<FileStyle>({
    encoding: fc.constantFrom(...ENCODINGS),
    separator: fc.constantFrom(',', ';', '\t', '|'),
    newline: fc.constantFrom('\n', '\r\n', '\r'),
    quoteAll: fc.boolean(),
  }),
  sign: fc.constantFrom('', '$', 'USD '),
  titles: fc.constantFrom([], [['Stock of the shop']], [['Stock', '', 'June'], [''], ['']]),
  totals: fc.boolean(),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
  case: fc.constantFrom('lower', 'upper', 'as is'),
  padding: fc.constantFrom('', '  '),
});
type Style = typeof STYLE extends fc.Arbitrary<infer T> ? T : never;

const HEADINGS = ['Item code', 'Description', 'Unit', 'Qty on hand', 'Reorder point', 'Unit cost'];

function fileOf(products: readonly Product[], style: Style): Uint8Array {
  const heading = (text: string) =>
    style.case === 'lower'
      ? text.toLowerCase()
      : style.case === 'upper'
        ? text.toUpperCase()
        : text;
  const count = (value: number | null) =>
    value === null ? '' : write(BigInt(value), 0, style.numbers) + style.padding;
  const cost = (cents: number | null) =>
    cents === null ? '' : style.sign + write(BigInt(cents), 2, style.numbers) + style.padding;
  const rows = products.map((one) => [
    ...[one.sku + style.padding, one.name, one.unit],
    ...[count(one.onHand), count(one.reorderPoint), cost(one.unitCostCents)],
  ]);
  if (style.totals) rows.push(['Total', '', '', count(9), '', '']);
  const ordered = [HEADINGS.map(heading), ...rows].map((row) =>
    style.order.map((column) => row[column] as string),
  );
  return writeTable([...style.titles, ...ordered], style.file);
}

describe('any stock file', () => {
  it('P4 one table means the same stock in every encoding, separator and way of writing numbers', () => {
    fc.assert(
      fc.property(PRODUCTS, STYLE, (products, style) => {
        // One price, as every price list has: it tells the decimal mark.
        const priced = [{ ...(products[0] as Product), unitCostCents: 250 }, ...products.slice(1)];
        const file = readImportFile({ bytes: fileOf(priced, style), currency: 'USD' });
        const read = file.items.map(({ row: _r, negative: _n, cut: _c, ...product }) => product);
        expect(read).toEqual(priced);
      }),
      { numRuns: 400 },
    );
  });

  it('P4 no bytes crash an import, and what is refused leaves the stock as it was', async () => {
    const store = await temporaryStore();
    const everything = () =>
      JSON.stringify([
        store.db.prepare('SELECT * FROM products ORDER BY sku').all(),
        store.db.prepare('SELECT * FROM stock_events ORDER BY id').all(),
      ]);
    const disagreeing = store.db.prepare(`SELECT sku FROM products WHERE on_hand <>
      (SELECT coalesce(sum(delta), 0) FROM stock_events WHERE stock_events.sku = products.sku)`);
    const good = fc.tuple(PRODUCTS, STYLE).map(([products, style]) => fileOf(products, style));
    const noise = fc.uint8Array({ maxLength: 40 });
    const damaged = fc
      .tuple(good, noise, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(30))
      .map(([bytes, patch, where, cut]) => {
        const at = Math.floor(where * bytes.length);
        return Buffer.concat([bytes.subarray(0, at), patch, bytes.subarray(at + cut)]);
      });
    const table = fc
      .array(
        fc.array(
          fc.oneof(fc.constantFrom('SKU', 'Qty', 'Handle', 'Location', 'Type'), fc.string()),
        ),
      )
      .map((rows) => Buffer.from(rows.map((row) => row.join(',')).join('\n')));
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), damaged, good, table);
    const options = fc.record<Omit<Partial<FileRequest>, 'bytes' | 'currency'>>(
      {
        map: fc.dictionary(
          fc.constantFrom('sku', 'onHand', 'x'),
          fc.constantFrom('SKU', 'Qty', ''),
        ),
        location: fc.string(),
      },
      { requiredKeys: [] },
    );
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(bytes, options, fc.nat(3), (bytes, options, sometimes) => {
        const before = everything();
        const request = sometimes === 0 ? options : {};
        const result = importInventory(store, {
          ...{ name: 'x.csv', bytes, currency: 'USD', now: 2 },
          ...request,
        });
        if (result.ok) accepted++;
        else {
          refused++;
          expect(result.code).toBe('invalid');
          expect(result.message).toMatch(/^x\.csv: [^\r\n]+$/);
          expect(result.hint ?? '').not.toMatch(/[\r\n]/);
          expect(everything()).toBe(before);
        }
        expect(store.db.inTransaction).toBe(false);
        expect(disagreeing.all()).toEqual([]);
      }),
      { numRuns: 250 },
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(20);
  });
});
