import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readImportFile } from '../../../../main/work/shop/import/read-file.ts';
import { csv } from '../../../support/stock-file.ts';

type Options = Partial<Parameters<typeof readImportFile>[0]>;

function read(bytes: Uint8Array, options: Options = {}) {
  return readImportFile({ bytes, currency: 'USD', ...options });
}

/** What a file says, product by product. */
function items(bytes: Uint8Array, options: Options = {}) {
  return read(bytes, options).items.map(({ sku, name, onHand, reorderPoint, unitCostCents }) => [
    ...[sku, name, onHand],
    ...[reorderPoint, unitCostCents],
  ]);
}

describe('plain spreadsheet', () => {
  it('P4 columns are known by their headings in any order, case and punctuation', () => {
    for (const header of [
      'Qty,SKU,Reorder point,Name,Unit cost,Unit',
      'ON-HAND,item_code,MIN,Product Name,COST,uom',
      ' Count ,Article No.,par,description, Price ,UNIT OF MEASURE',
      'quantity,Code,Minimum,Item,Unit Price,unit',
      'Stock,Item,Reorder Level,Description,Cost (USD),Unit',
      'OnHand,Item,reorderPoint,Product,unit cost $,Unit',
      'Stock,Item,Min,Product,Cost USD,Unit',
    ]) {
      const file = read(csv(header, '3,A-1,8,Vanilla,2.50,tubs'));
      expect(file.format, header).toBe('spreadsheet');
      expect(file.items, header).toEqual([
        {
          ...{ row: 2, sku: 'A-1', name: 'Vanilla', unit: 'tubs', onHand: 3, negative: null },
          ...{ reorderPoint: 8, unitCostCents: 250, cut: false },
        },
      ]);
    }
  });

  it('P4 titles above, empty rows between and totals below are no products, and rows keep their numbers', () => {
    const file = read(
      csv(
        'Stock of the shop',
        '',
        'SKU,Name,Qty',
        'A,a,1',
        '',
        ',Dairy,',
        'B,b,2',
        'Total,,3',
        ',Sum,3',
      ),
    );
    expect(file.items.map(({ sku, row }) => [sku, row])).toEqual([
      ['A', 4],
      ['B', 7],
    ]);
    expect(file.skipped).toEqual([
      { row: 6, sku: null, why: 'no SKU' },
      { row: 8, sku: null, why: 'a row of totals' },
      { row: 9, sku: null, why: 'a row of totals' },
    ]);
    expect(file.notes).toEqual([
      'header in row 3: sku from "SKU", name from "Name", onHand from "Qty"',
    ]);
  });

  it('P4 a heading with a word that is no currency is not taken for the cost', () => {
    expect(items(csv('SKU,Qty,Cost old', 'A,4,2.50'))).toEqual([['A', null, 4, null, null]]);
  });

  it('P4 a single column of items is their SKU, and no name', () => {
    expect(items(csv('Item,Qty', 'Vanilla,4'))).toEqual([['Vanilla', null, 4, null, null]]);
  });

  it('P4 a product of the brand Total is a product', () => {
    expect(items(csv('Brand,SKU,Qty', 'Total,T-1,4'))).toEqual([['T-1', null, 4, null, null]]);
  });

  it('P4 a blank is unknown: no count skips the row, no cost and no reorder point stay unsaid', () => {
    const file = read(csv('SKU,Name,Qty,Min,Cost', 'A,a,,8,2.50', 'B,b,0,,', 'C'));
    expect(file.items).toMatchObject([
      { sku: 'B', onHand: 0, reorderPoint: null, unitCostCents: null },
    ]);
    expect(file.skipped).toEqual([
      { row: 2, sku: 'A', why: 'no count on hand' },
      { row: 4, sku: 'C', why: 'no count on hand' },
    ]);
  });

  it('P4 quoted cells hold separators, quotes and line ends; stray quotes are text', () => {
    expect(items(csv('SKU,Name,Qty', 'A,"Tub, ""large""\r\nblue",1', 'B,5" pot,2'))).toEqual([
      ['A', 'Tub, "large" blue', 1, null, null],
      ['B', '5" pot', 2, null, null],
    ]);
  });

  it('P4 text that looks like a formula is text', () => {
    expect(
      items(csv('SKU,Name,Qty', '=1+1,=SUM(A1:A9),1', '@x,"+cmd|\' /C calc\'!A0",2', '-9,-b,3')),
    ).toEqual([
      ['=1+1', '=SUM(A1:A9)', 1, null, null],
      ['@x', "+cmd|' /C calc'!A0", 2, null, null],
      ['-9', '-b', 3, null, null],
    ]);
  });

  it('P4 the separator named by the first line is used, and that line is no row', () => {
    const file = read(csv('sep=|', 'SKU|Name|Qty', 'A|x,y;z|7'));
    expect(file.items).toMatchObject([{ row: 2, sku: 'A', name: 'x,y;z', onHand: 7 }]);
  });

  it('P4 a name is cut at 300 characters, with a note; one SKU in two Unicode forms is one', () => {
    const file = read(csv('SKU,Name,Qty', `Cafe\u0301,${'n'.repeat(301)},1`));
    expect(file.items[0]).toMatchObject({ sku: 'Caf\u00e9', name: 'n'.repeat(300) });
    expect(file.notes).toContain('row 2: the name of Café was cut at 300 characters');
  });

  it('P4 what is below zero counts as zero and is listed; a SKU that a spreadsheet shortened, too', () => {
    const file = read(csv('SKU,Qty', 'A,-3', 'B,(2)', '8.41234E+11,5'));
    expect(file.items.map(({ onHand }) => onHand)).toEqual([0, 0, 5]);
    expect(file.notes).toEqual(
      expect.arrayContaining([
        'row 2: A has -3 on hand, counted as 0',
        'row 3: B has -2 on hand, counted as 0',
        expect.stringMatching(/^row 4: 8.41234E\+11 looks like a number/),
      ]),
    );
  });

  it('P4 --map names columns that no heading gives away, by the fields or their usual words', () => {
    const bytes = csv('Artikel,Bezeichnung,Bestand,Meldebestand,EK', 'A,Eis,3,8,"2,50"');
    const map = {
      sku: 'Artikel',
      name: 'bezeichnung',
      qty: 'Bestand',
      'reorder-point': 'Meldebestand',
    };
    expect(items(bytes, { map: { ...map, unitCost: 'EK' } })).toEqual([['A', 'Eis', 3, 8, 250]]);
  });

  it('P4 --map goes before what a heading says', () => {
    const bytes = csv('SKU,Qty,Counted today', 'A,3,5');
    expect(items(bytes, { map: { onHand: 'Counted today' } })).toMatchObject([
      ['A', null, 5, null, null],
    ]);
  });
});

describe('Shopify', () => {
  const HEADER =
    'Handle,Title,Option1 Name,Option1 Value,SKU,HS Code,COO,Location,Incoming,Unavailable,Committed,Available,On hand';

  it('P4 counts on hand are summed over the rows of a variant, one a location', () => {
    const bytes = csv(
      HEADER,
      'mug,Mug,Colour,Cream,M-C,,,Shop,9,9,9,9,11',
      'mug,,Colour,Navy,M-N,,,Shop,9,9,9,9,3',
      'mug,,Colour,Cream,M-C,,,Store,9,9,9,9,31',
    );
    expect(read(bytes)).toMatchObject({ format: 'shopify', skipped: [] });
    expect(items(bytes)).toEqual([
      ['M-C', 'Mug - Cream', 42, null, null],
      ['M-N', 'Mug - Navy', 3, null, null],
    ]);
    expect(read(bytes).notes).toEqual([expect.stringContaining('Shop; Store')]);
  });

  it('P4 --location takes one location, in any case, and an unknown one is refused with the list', () => {
    const bytes = csv(
      HEADER,
      'a,A,,,A,,,Main St,,,,,5',
      'a,,,,A,,,Depot,,,,,7',
      'b,B,,,B,,,Depot,,,,,1',
    );
    expect(items(bytes, { location: 'main st' })).toEqual([['A', 'A', 5, null, null]]);
    expect(read(bytes, { location: 'Main St' }).skipped).toEqual([
      { row: 4, sku: 'B', why: 'not kept at Main St' },
    ]);
    expect(() => read(bytes, { location: 'Mall' })).toThrow(
      'there is no location "Mall" in the file',
    );
  });

  it('P4 a variant without a SKU, or with a lone dash, is known by handle and options', () => {
    const bytes = csv(
      HEADER,
      'towel,Towel,Size,Small,,,,Shop,,,,,5',
      'rail,Rail,Title,Default Title,-,,,Shop,,,,,3',
      'bolt,Bolt,Title,Default Title,-,,,Shop,,,,,2',
    );
    expect(items(bytes)).toEqual([
      ['towel/Small', 'Towel - Small', 5, null, null],
      ['rail', 'Rail', 3, null, null],
      ['bolt', 'Bolt', 2, null, null],
    ]);
  });

  it('P4 what is not stocked or not tracked is skipped; what is below zero nets out, then is zero', () => {
    const bytes = csv(
      HEADER,
      'a,A,,,A,,,Shop,,,,not stocked,not stocked',
      'b,B,,,B,,,Shop,,,,Not stocked,',
      'c,C,,,C,,,Shop,,,,,',
      'd,D,,,D,,,Shop,,,,,-2',
      'd,D,,,D,,,Depot,,,,,5',
      'e,E,,,E,,,Shop,,,,,-2',
    );
    const file = read(bytes);
    expect(items(bytes)).toEqual([
      ['D', 'D', 3, null, null],
      ['E', 'E', 0, null, null],
    ]);
    expect(file.skipped.map(({ sku, why }) => [sku, why])).toEqual([
      ['A', 'not stocked or not tracked'],
      ['B', 'not stocked or not tracked'],
      ['C', 'not stocked or not tracked'],
    ]);
    expect(file.notes).toContain('row 7: E has -2 on hand, counted as 0');
  });

  it('P4 the current count is read beside the one to be set, and Available where no other is there', () => {
    const both =
      'Handle,Title,SKU,Location,Available (not editable),On hand (current),On hand (new)';
    expect(items(csv(both, 'a,A,A,Shop,1,4,9'))).toEqual([['A', 'A', 4, null, null]]);
    expect(items(csv('Handle,Title,SKU,Location,Committed,Available', 'a,A,A,Shop,9,4'))).toEqual([
      ['A', 'A', 4, null, null],
    ]);
  });

  it('P4 the older file has one column a location', () => {
    const bytes = csv(
      'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,SKU,HS Code,COO,Main St,Depot',
      'tee,Tee,Size,S,Colour,Red,,,T-S,,,3,4',
      'tee,,Size,M,Colour,Red,,,T-M,,,not stocked,6',
      'tee,,Size,L,Colour,Red,,,T-L,,,not stocked,not stocked',
    );
    expect(items(bytes)).toEqual([
      ['T-S', 'Tee - S / Red', 7, null, null],
      ['T-M', 'Tee - M / Red', 6, null, null],
    ]);
    expect(items(bytes, { location: 'Main St' })).toEqual([
      ['T-S', 'Tee - S / Red', 3, null, null],
    ]);
  });

  it('P4 the demo file of a shop at two places is read', () => {
    expect(items(readFileSync('resources/demo/shopify-inventory.csv'))).toEqual([
      ['MUG-CREAM', 'Enamel Mug - Cream', 42, null, null],
      ['MUG-NAVY', 'Enamel Mug - Navy', 3, null, null],
      ['linen-towel/Small/Sand', 'Linen Towel - Small / Sand', 5, null, null],
      ['linen-towel/Large/Sand', 'Linen Towel - Large / Sand', 0, null, null],
      ['CANDLE-BW', 'Beeswax Candle', 58, null, null],
    ]);
  });
});

describe('Square', () => {
  const HEADER =
    'Token,Item Name,Variation Name,SKU,Description,Price,Archived,Default Unit Cost,' +
    'Enabled Pier,Current Quantity Pier,New Quantity Pier,Stock Alert Enabled Pier,Stock Alert Count Pier,' +
    'Enabled "Old, Town",'.replace('"Old, Town"', 'Old Town') +
    'Current Quantity Old Town,New Quantity Old Town,Stock Alert Enabled Old Town,Stock Alert Count Old Town';

  it('P4 counts and switched-on alerts are summed over the locations, and the cost is the unit cost', () => {
    const bytes = csv(
      HEADER,
      'T1,Vanilla,Tub,V-1,,9.00,N,2.50,Y,3,,Y,5,Y,4,,Y,6',
      'T2,Lemon,Tub,L-1,,9.00,N,,Y,3,,N,5,Y,,,Y,6',
      'T3,Salt,Regular,,,9.00,N,,Y,1,,N,,N,,,N,',
    );
    expect(read(bytes)).toMatchObject({ format: 'square', skipped: [] });
    expect(items(bytes)).toEqual([
      ['V-1', 'Vanilla - Tub', 7, 11, 250],
      ['L-1', 'Lemon - Tub', 3, 6, null],
      ['T3', 'Salt - Regular', 1, null, null],
    ]);
    expect(items(bytes, { location: 'Old Town' })).toEqual([['V-1', 'Vanilla - Tub', 4, 6, 250]]);
  });

  it('P4 untracked and archived items are skipped, and two locations of one name keep their own alerts', () => {
    const bytes = csv(
      HEADER.replaceAll('Old Town', 'Pier'),
      'T1,A,,A,,,N,,Y,3,,N,5,Y,4,,Y,6',
      'T2,B,,B,,,Y,,Y,3,,N,5,Y,4,,Y,6',
      'T3,C,,C,,,N,,Y,,,Y,5,Y,,,Y,6',
    );
    expect(items(bytes)).toEqual([['A', 'A', 7, 6, null]]);
    expect(read(bytes).skipped).toEqual([
      { row: 3, sku: 'B', why: 'archived' },
      { row: 4, sku: 'C', why: 'stock is not tracked' },
    ]);
  });
});

describe('WooCommerce', () => {
  const HEADER =
    'ID,Type,SKU,Name,Published,"In stock?",Stock,"Low stock amount","Regular price",Parent';

  it('P4 variations carry the stock of a variable product, and blank stock is not managed', () => {
    const bytes = csv(
      HEADER,
      '1,"simple, virtual",S-1,Soap,1,1,12,5,4.00,',
      '2,variable,H,Hoodie,1,1,,,,',
      '3,variation,H-R,"Hoodie - Red",1,1,4,2,9.00,H',
      '4,variation,,"Hoodie - Blue",1,0,-1,,9.00,H',
      '5,simple,X,Gift,1,1,,,,',
    );
    expect(read(bytes)).toMatchObject({ format: 'woocommerce' });
    expect(items(bytes)).toEqual([
      ['S-1', 'Soap', 12, 5, null],
      ['H-R', 'Hoodie - Red', 4, 2, null],
      ['4', 'Hoodie - Blue', 0, null, null],
    ]);
    expect(read(bytes).skipped).toEqual([
      { row: 3, sku: 'H', why: 'a variable product: its variations carry the stock' },
      { row: 6, sku: 'X', why: 'stock is not managed' },
    ]);
  });

  it('P4 a parent is counted where its variations share its stock, and only then', () => {
    const bytes = csv(
      HEADER,
      '2,variable,H,Hoodie,1,1,9,3,,',
      '3,variation,H-R,Red,1,1,parent,,9.00,H',
      '6,variable,,Hat,1,1,7,,,',
      '7,variation,HT,Hat - S,1,1,parent,,,id:6',
      '8,variable,Z,Zip,1,1,5,,,',
      '9,variation,Z-1,Zip - S,1,1,2,,,Z',
    );
    expect(items(bytes)).toEqual([
      ['H', 'Hoodie', 9, 3, null],
      ['6', 'Hat', 7, null, null],
      ['Z-1', 'Zip - S', 2, null, null],
    ]);
    expect(read(bytes).skipped).toHaveLength(3);
  });

  it('P4 a selling price is no cost unless the owner says so, and guarded text loses its guard', () => {
    const bytes = csv(HEADER, "1,simple,S,'=Soap,1,1,'-2,,4.00,");
    expect(items(bytes)).toEqual([['S', '=Soap', 0, null, null]]);
    expect(items(bytes, { map: { unitCost: 'Regular price' } })).toEqual([
      ['S', '=Soap', 0, null, 400],
    ]);
  });
});
