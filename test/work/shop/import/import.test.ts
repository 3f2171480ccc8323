import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../../main/base/ids.ts';
import type { Store } from '../../../../main/base/store/database.ts';
import { importReport } from '../../../../main/surfaces/contract/stock.ts';
import {
  type ImportReport,
  type ImportRequest,
  importInventory,
} from '../../../../main/work/shop/import/apply.ts';
import { openStock } from '../../../../main/work/shop/stock.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { seededInventory } from '../../../support/seeded-inventory.ts';
import { csv, encode } from '../../../support/stock-file.ts';
import { temporaryStore } from '../../../support/store.ts';

const NOW = 1_780_000_000_000;

function attempt(store: Store, bytes: Uint8Array, more: Partial<ImportRequest> = {}) {
  return importInventory(store, { name: 'stock.csv', bytes, currency: 'USD', now: NOW, ...more });
}

function importing(
  store: Store,
  bytes: Uint8Array,
  more: Partial<ImportRequest> = {},
): ImportReport {
  const result = attempt(store, bytes, more);
  if (!result.ok) throw new Error(`${result.message} (${result.hint})`);
  return importReport.parse(result.value);
}

const stockOf = (store: Store) => openStock(store, { clock: new FakeClock(), currency: 'USD' });
const everything = (store: Store) =>
  JSON.stringify([
    store.db.prepare('SELECT * FROM products ORDER BY sku').all(),
    store.db.prepare('SELECT * FROM stock_events ORDER BY id').all(),
  ]);
const counts = ({ added, changed, unchanged }: ImportReport) => [added, changed, unchanged];

describe('stock import', () => {
  it('P4 the demo file gives a shop with what is low, in tubs, and says what it left out', async () => {
    const store = await temporaryStore();
    const report = importing(store, readFileSync('resources/demo/inventory.csv'));
    expect(counts(report)).toEqual([13, 0, 0]);
    expect(report.skipped).toEqual([
      { row: 18, sku: 'GIFTCARD', why: 'no count on hand' },
      { row: 19, sku: null, why: 'a row of totals' },
    ]);
    const low = stockOf(store)
      .needs()
      .filter(({ needed }) => needed > 0);
    expect(
      low.map(({ sku, needed, unit, unitCostCents }) => [sku, needed, unit, unitCostCents]),
    ).toEqual([
      ['CONE-WAFFLE', 4, 'sleeves', 920],
      ['ICE-STRAWB', 4, 'tubs', 1240],
      ['ICE-VANILLA', 5, 'tubs', 1180],
      ['NAPKIN-2PLY', 3, 'packs', 195],
      ['SPRINKLE-MIX', 3, 'bags', 325],
    ]);
    expect(stockOf(store).get('CUP-120')).toMatchObject({ onHand: 1150, unitCostCents: 6 });
    expect(stockOf(store).get('FLAKE-6')).toMatchObject({ reorderPoint: null, needed: 0 });
  });

  it('P4 a file that a seed invents gives the needs that its numbers say', async () => {
    for (const seed of [1, 2, 77, 4096]) {
      const store = await temporaryStore();
      const file = seededInventory(seed);
      const report = importing(store, Buffer.from(file.text), { name: file.name });
      expect(report.added).toBe(file.products.length);
      const priced = stockOf(store)
        .needs()
        .filter(({ needed, unitCostCents }) => needed > 0 && unitCostCents !== null);
      expect(priced).toEqual(file.needs.map(({ totalCents: _, ...need }) => need));
      expect(file.needs.length).toBeGreaterThanOrEqual(2);
    }
  });

  it('P4 every count comes from an event named after the file and the SKU', async () => {
    const store = await temporaryStore();
    const bytes = csv('SKU,Qty', 'A,5', 'B,0');
    importing(store, bytes);
    const events = store.db.prepare('SELECT event_id, delta, reason, at FROM stock_events').all();
    expect(events).toEqual([
      { event_id: `import:${sha256(bytes)}:A`, delta: 5, reason: 'import of stock.csv', at: NOW },
      { event_id: `import:${sha256(bytes)}:B`, delta: 0, reason: 'import of stock.csv', at: NOW },
    ]);
  });

  it('P4 the same file twice changes nothing, whatever was sold since and whatever it is called', async () => {
    const store = await temporaryStore();
    const bytes = csv('SKU,Name,Qty,Min,Cost', 'A,a,5,8,2.50', 'B,b,0,,');
    importing(store, bytes);
    for (const [sku, delta] of [
      ['A', -2],
      ['B', 3],
    ] as const) {
      stockOf(store).adjust({ sku, delta, reason: 'sold', event: sku });
    }
    const before = everything(store);
    const again = importing(store, bytes, { name: 'other.csv', now: NOW + 1 });
    expect(counts(again)).toEqual([0, 0, 2]);
    expect(again.notes).toContain('counts taken from this file before, not taken again: 2');
    expect(everything(store)).toBe(before);
  });

  it('P4 the same file after another one does not bring back what it said', async () => {
    const store = await temporaryStore();
    const first = csv('SKU,Name,Qty,Min,Cost', 'A,a,5,8,2.50');
    importing(store, first);
    importing(store, csv('SKU,Name,Qty,Min,Cost', 'A,b,9,9,2.75'));
    const before = everything(store);
    expect(counts(importing(store, first))).toEqual([0, 0, 1]);
    expect(everything(store)).toBe(before);
  });

  it('P4 the same file read by other columns or for one place is another count', async () => {
    const store = await temporaryStore();
    const bytes = csv('SKU,Qty,Counted', 'A,5,7');
    importing(store, bytes);
    expect(importing(store, bytes, { map: { onHand: 'Counted' } }).rows).toEqual([
      { sku: 'A', change: 'changed', detail: 'on hand 5 → 7' },
    ]);
    const before = everything(store);
    expect(counts(importing(store, bytes, { map: { onHand: 'Counted' } }))).toEqual([0, 0, 1]);
    expect(everything(store)).toBe(before);
  });

  it('P4 a later file changes what it tells and keeps what it leaves out', async () => {
    const store = await temporaryStore();
    importing(
      store,
      csv('SKU,Name,Unit,Qty,Min,Cost', 'A,Vanilla,tubs,5,8,2.50', 'B,Mint,tubs,1,2,3'),
    );
    const report = importing(store, csv('SKU,Product,Qty,Cost', 'A,Vanilla 5 L,3,2.75', 'C,,1,'));
    expect(report.rows).toEqual([
      {
        sku: 'A',
        change: 'changed',
        detail: 'on hand 5 → 3; name Vanilla → Vanilla 5 L; unit cost $2.50 → $2.75',
      },
      {
        ...{ sku: 'C', change: 'added' },
        detail: '1 on hand, in units; reorder point none; unit cost unknown',
      },
    ]);
    expect(report.notes).toContain('products stored but not in this file, kept as they are: 1');
    expect(stockOf(store).get('A')).toEqual({
      ...{ sku: 'A', name: 'Vanilla 5 L', unit: 'tubs', onHand: 3 },
      ...{ reorderPoint: 8, unitCostCents: 275, needed: 5 },
    });
    expect(stockOf(store).get('B')?.onHand).toBe(1);
    expect(stockOf(store).get('C')).toMatchObject({ name: 'C', unit: 'units' });
  });

  it('P4 a reorder point comes from the file, else from the option, else from what is stored', async () => {
    const store = await temporaryStore();
    const points = () =>
      stockOf(store)
        .needs()
        .map(({ sku, reorderPoint }) => [sku, reorderPoint]);
    importing(store, csv('SKU,Qty,Min', 'A,1,8', 'B,1,'));
    expect(points()).toEqual([
      ['A', 8],
      ['B', null],
    ]);
    importing(store, csv('SKU,Qty,Min', 'A,2,', 'B,2,'), { reorderPoint: 4 });
    expect(points()).toEqual([
      ['A', 4],
      ['B', 4],
    ]);
    const both = csv('SKU,Qty,Min', 'A,2,9', 'B,2,');
    importing(store, both, { reorderPoint: 3 });
    importing(store, both, { reorderPoint: 4 });
    expect(points()).toEqual([
      ['A', 9],
      ['B', 4],
    ]);
    const plain = csv('SKU,Qty', 'A,3', 'B,3');
    importing(store, plain);
    expect(points()).toEqual([
      ['A', 9],
      ['B', 4],
    ]);
    expect(counts(importing(store, plain, { reorderPoint: 6 }))).toEqual([0, 2, 0]);
    expect(points()).toEqual([
      ['A', 6],
      ['B', 6],
    ]);
  });

  it('P4 a dry run reports the same and stores nothing', async () => {
    const store = await temporaryStore();
    importing(store, csv('SKU,Qty', 'A,5', 'B,2'));
    const bytes = csv('SKU,Name,Qty', 'A,a,7', 'B,B,2', 'C,c,-1', ',x,1');
    const before = everything(store);
    const dry = importing(store, bytes, { dryRun: true });
    expect(everything(store)).toBe(before);
    const wet = importing(store, bytes);
    expect(dry).toEqual({ ...wet, dryRun: true });
    expect(counts(wet)).toEqual([1, 1, 1]);
  });

  it('P4 an import that fails half way leaves nothing of itself', async () => {
    const store = await temporaryStore();
    importing(store, csv('SKU,Qty', 'A,5'));
    store.db.exec(`CREATE TRIGGER stop BEFORE INSERT ON stock_events WHEN NEW.sku = 'C'
      BEGIN SELECT RAISE(ABORT, 'stop'); END`);
    const before = everything(store);
    expect(() => attempt(store, csv('SKU,Qty', 'A,6', 'B,1', 'C,1'))).toThrow('stop');
    expect(everything(store)).toBe(before);
    expect(store.db.inTransaction).toBe(false);
  });

  it('P4 each fault gives one line with the file, the place and the remedy, and stores nothing', async () => {
    const store = await temporaryStore();
    importing(store, csv('SKU,Qty', 'A,5'));
    const before = everything(store);
    const faults: [Uint8Array, string, string, Partial<ImportRequest>?][] = [
      [
        csv('Title', '', 'SKU,Name,Qty', 'A,a,1', 'B,b,lots'),
        'row 5, column "Qty": "lots" is not a whole number',
        'mend it, or leave it blank',
      ],
      [csv('SKU,Qty', 'A,12 pcs'), 'row 2, column "Qty": "12 pcs" is not a whole number', ''],
      [csv('SKU,Qty', 'A,$5'), 'row 2, column "Qty": "$5" is not a whole number', ''],
      [csv('SKU,Qty', 'A,2.5'), 'row 2, column "Qty": "2.5" is not a whole number', 'smaller unit'],
      [
        csv('SKU,Qty', 'A,1.234', 'B,7'),
        'row 2, column "Qty": "1.234" is not a whole number',
        'write 1234 if that is meant',
      ],
      [
        csv('SKU;Qty', 'A;12.000'),
        'row 2, column "Qty": "12.000" can mean 12000 or 12.000',
        'without',
      ],
      [csv('SKU,Qty,Min', 'A,1,-2'), 'row 2, column "Min": "-2" is below zero', 'blank for none'],
      [csv('SKU,Qty', 'A,9999999999'), 'row 2, column "Qty": "9999999999" is too large', 'check'],
      [
        csv('SKU,Qty,Cost', 'A,1,€2.50'),
        'row 2, column "Cost": "€2.50" is in EUR, not USD',
        'lull config set currency',
      ],
      [
        csv('SKU,Qty,Cost', 'A,1,2.50 gbp'),
        'row 2, column "Cost": "2.50 gbp" is in GBP, not USD',
        '',
      ],
      [
        csv('SKU,Qty,Cost', 'A,1,$2.50'),
        'row 2, column "Cost": "$2.50" is not in EUR',
        'convert',
        { currency: 'EUR' },
      ],
      [
        csv('x', 'SKU,Qty,Cost (EUR)', 'A,1,2.50'),
        'row 2, column "Cost (EUR)": "Cost (EUR)" is in EUR',
        '',
      ],
      [csv('SKU,Qty,Cost EUR', 'A,1,2.50'), 'row 1, column "Cost EUR": "Cost EUR" is in EUR', ''],
      [
        csv('SKU,Qty,Cost,Currency', 'A,1,2.50,CAD'),
        'row 2, column "Currency": "CAD" is in CAD, not USD',
        '',
      ],
      [
        csv('SKU,Qty,Cost', 'A,1,cheap'),
        'row 2, column "Cost": "cheap" is not an amount of money',
        '',
      ],
      [
        csv('SKU,Qty,Cost', 'A,1,0.005'),
        'row 2, column "Cost": "0.005" has parts of a cent',
        'round',
      ],
      [
        csv('SKU,Qty,Cost', 'A,1,9999999999.99'),
        'row 2, column "Cost": "9999999999.99" is too large',
        '',
      ],
      [csv('SKU,Qty,Cost', 'A,1,-2'), 'row 2, column "Cost": "-2" is below zero', ''],
      [
        csv('SKU,Qty,Min,Cost', 'A,1,1000000000,99999999.99'),
        'row 2: reorder point times unit cost of "A" is too large',
        '',
      ],
      [
        csv('SKU,Qty', 'A,1', 'B,2', 'A,3'),
        'rows 2 and 4 both have the SKU "A"',
        'keep one of them',
      ],
      [
        csv('Handle,Title,SKU,Location,On hand', 'a,A,X,Shop,1', 'b,B,X,Depot,2'),
        'rows 2 and 3 both have the SKU "X"',
        '',
      ],
      [
        csv('Handle,Title,SKU,Location,On hand', 'a,A,X,Shop,1', 'a,A,X,Shop,2'),
        'rows 2 and 3 both have the SKU "X"',
        '',
      ],
      [
        csv('SKU,Name,Qty', 'A,Vanilla,1,234'),
        'row 2 has 4 cells, and the header has 3',
        'put quotes around',
      ],
      [csv('SKU,Qty', 'A,1', '"B,2', 'C,3'), 'row 3: a quote opens a cell and is never closed', ''],
      [
        csv('SKU,Colour', 'A,red'),
        'no column looks like a count on hand; the columns are SKU, Colour',
        'name it: --map onHand=Column',
      ],
      [
        csv('Shop', '', 'Nummer;Farbe', 'A;rot'),
        'no column looks like a SKU or a count on hand; the columns are Nummer, Farbe',
        '--map sku=Column --map onHand=Column',
      ],
      [
        csv('SKU,In stock?', 'A,1'),
        'no column looks like a count on hand; the columns are SKU, In stock?',
        '',
      ],
      [csv('SKU,Qty,Qty', 'A,1,2'), '2 columns are called "Qty" (B, C)', 'rename'],
      [csv('SKU,Qty'), 'there is no product below the header in row 1', ''],
      [
        csv('SKU,Qty', 'A,1'),
        '--map onHand=Bestand: there is no such column',
        'the columns are SKU, Qty',
        { map: { onHand: 'Bestand' } },
      ],
      [
        csv('SKU,Qty', 'A,1'),
        '--map colour=Qty: there is no field "colour"',
        'the fields are sku, name, unit, onHand, reorderPoint, unitCost',
        { map: { colour: 'Qty' } },
      ],
      [
        csv('SKU,Qty', 'A,1'),
        '--map names the field onHand twice',
        '',
        { map: { onHand: 'Qty', qty: 'Qty' } },
      ],
      [
        csv('SKU,Qty', 'A,1'),
        'this file does not tell locations apart',
        'leave --location out',
        { location: 'Shop' },
      ],
      [
        csv('SKU,Qty', `${'x'.repeat(101)},1`),
        `row 2: the SKU "${'x'.repeat(39)}…" is longer than 100 characters`,
        'shorten',
      ],
      [csv('SKU,Unit,Qty', `A,${'u'.repeat(41)},1`), 'row 2: the unit "uuu', ''],
      [Buffer.from('PK\u0003\u0004'), 'this is an Excel workbook', 'save it as CSV'],
      [
        Uint8Array.of(0, 1, 2, 3, 255),
        'this is a binary file, not a table in text',
        'save it as CSV',
      ],
      [new Uint8Array(0), 'the file is empty', ''],
      [new Uint8Array(50 * 1024 * 1024), 'the file has 50.0 MB, and 10 MB is the most', ''],
    ];
    for (const [bytes, message, hint, more] of faults) {
      for (const dryRun of [false, true]) {
        const result = attempt(store, bytes, { ...more, dryRun });
        expect(result, message).toMatchObject({ ok: false, code: 'invalid' });
        if (result.ok) continue;
        expect(result.message.startsWith(`stock.csv: ${message}`), result.message).toBe(true);
        expect(result.message).not.toMatch(/\n/);
        expect(result.hint ?? '').toContain(hint);
      }
    }
    expect(everything(store)).toBe(before);
  });

  it('P4 amounts in any currency of the shop are read by its signs and codes', async () => {
    const bytes = csv('SKU;Qty;Preis (EUR)', 'A;1;2,50 €', 'B;1;EUR 1.234,50', 'C;1;0,5');
    const store = await temporaryStore();
    importing(store, bytes, { currency: 'EUR', map: { unitCost: 'Preis (EUR)' } });
    expect(
      stockOf(store)
        .needs()
        .map(({ unitCostCents }) => unitCostCents),
    ).toEqual([250, 123450, 50]);
  });

  it('P4 a guess at the encoding is told in the report', async () => {
    const store = await temporaryStore();
    const report = importing(store, encode('SKU,Name,Qty\nA,Crème,1\n', 'windows-1252'));
    expect(report.notes[0]).toMatch(/windows-1252/);
    expect(stockOf(store).get('A')?.name).toBe('Crème');
  });
});
