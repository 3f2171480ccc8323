import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../main/base/ids.ts';
import { stockTable } from '../../../main/base/store/stock.ts';
import { openStock } from '../../../main/work/shop/stock.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryStore } from '../../support/store.ts';

async function shop() {
  const store = await temporaryStore();
  const clock = new FakeClock();
  const table = stockTable(store.db);
  const product = (
    sku: string,
    onHand: number,
    reorderPoint: number | null,
    cents: number | null,
  ) => {
    table.putProduct(
      { sku, name: `${sku} ice`, unit: 'tubs', reorderPoint, unitCostCents: cents },
      1,
    );
    if (onHand === 0) return;
    const eventId = `opening:${sku}`;
    table.addEvent({ eventId, sku, delta: onHand, reason: 'count', payload: '{}', at: 1 });
  };
  product('SKU-VANILLA', 2, 8, 250);
  product('SKU-STRAWBERRY', 1, 5, 275);
  product('SKU-CHOCOLATE', 12, 12, 300);
  product('SKU-UNSAID', 0, null, null);
  return { store, clock, table, stock: openStock(store, { clock, currency: 'USD' }) };
}

const rowsIn = (store: { db: import('better-sqlite3').Database }) =>
  sha256(
    JSON.stringify([
      store.db.prepare('SELECT * FROM products ORDER BY sku').all(),
      store.db.prepare('SELECT * FROM stock_events ORDER BY id').all(),
    ]),
  );

describe('stock', () => {
  it('P4 the need is what is missing up to the reorder point, and none where nobody set one', async () => {
    const { stock } = await shop();
    expect(stock.needs().map(({ sku, needed }) => [sku, needed])).toEqual([
      ['SKU-CHOCOLATE', 0],
      ['SKU-STRAWBERRY', 4],
      ['SKU-UNSAID', 0],
      ['SKU-VANILLA', 6],
    ]);
    expect(stock.needs('SKU-VANILLA')).toEqual([stock.get('SKU-VANILLA')]);
    expect(stock.needs('nothing')).toEqual([]);
    expect(stock.get('nothing')).toBeNull();
    expect(stock.count()).toBe(4);
  });

  it('P4 a delivery and a sale move the count through events that stay', async () => {
    const { stock, store, clock } = await shop();
    const delivery = { sku: 'SKU-VANILLA', delta: 9, reason: 'received', event: 'delivery-1' };
    const sale = { sku: 'SKU-VANILLA', delta: -10, reason: 'sold', event: 'sales-1' };
    expect(stock.adjust(delivery)).toEqual({ ok: true, value: { outcome: 'applied', onHand: 11 } });
    expect(stock.get('SKU-VANILLA')?.needed).toBe(0);
    clock.jump(1000);
    expect(stock.adjust(sale)).toEqual({ ok: true, value: { outcome: 'applied', onHand: 1 } });
    expect(stock.get('SKU-VANILLA')?.needed).toBe(7);
    const last = store.db.prepare('SELECT * FROM stock_events ORDER BY id DESC LIMIT 1').get();
    expect(last).toMatchObject({
      event_id: 'sales-1',
      payload: '{"delta":-10,"reason":"sold","sku":"SKU-VANILLA"}',
      at: clock.now(),
    });
  });

  it('P4 the same event again is a duplicate and counts once', async () => {
    const { stock, store } = await shop();
    const event = { sku: 'SKU-VANILLA', delta: 6, reason: 'received', event: 'e' };
    stock.adjust(event);
    const before = rowsIn(store);
    const again = { event: 'e', reason: 'received', delta: 6, sku: 'SKU-VANILLA' };
    expect(stock.adjust(again)).toEqual({ ok: true, value: { outcome: 'duplicate', onHand: 8 } });
    expect(rowsIn(store)).toBe(before);
  });

  it('P4 a used event with other contents is a conflict, even where the rest is wrong as well', async () => {
    const { stock, store } = await shop();
    const event = { sku: 'SKU-VANILLA', delta: 6, reason: 'received', event: 'e' };
    stock.adjust(event);
    const before = rowsIn(store);
    for (const other of [{ delta: 5 }, { delta: -99 }, { reason: 'x' }, { sku: 'SKU-CHOCOLATE' }]) {
      const result = stock.adjust({ ...event, ...other });
      expect(result).toMatchObject({ ok: false, code: 'conflict' });
      expect(result).toHaveProperty('message', expect.stringContaining('"e" is already recorded'));
    }
    expect(rowsIn(store)).toBe(before);
  });

  it('P4 an adjustment below zero says what there is and what would be left', async () => {
    const { stock, store } = await shop();
    const before = rowsIn(store);
    expect(stock.adjust({ sku: 'SKU-VANILLA', delta: -5, reason: 'sold', event: 'e' })).toEqual({
      ok: false,
      code: 'invalid',
      message: 'SKU-VANILLA has 2, so -5 would leave -3',
    });
    const one = { sku: 'SKU-VANILLA', delta: -3, reason: 'sold', event: 'e' };
    expect(stock.adjust(one)).toMatchObject({ ok: false, code: 'invalid' });
    expect(rowsIn(store)).toBe(before);
    const all = { sku: 'SKU-VANILLA', delta: -2, reason: 'sold', event: 'e' };
    expect(stock.adjust(all)).toMatchObject({ ok: true, value: { onHand: 0 } });
  });

  it('P4 an unknown SKU is refused with the nearest one, and with the next step where none is near', async () => {
    const { stock } = await shop();
    const adjust = (sku: string) => stock.adjust({ sku, delta: 1, reason: 'r', event: 'e' });
    expect(adjust('sku-vanila')).toEqual({
      ok: false,
      code: 'invalid',
      message: 'there is no product "sku-vanila"',
      hint: 'did you mean SKU-VANILLA?',
    });
    expect(adjust('pallet of bricks')).toMatchObject({
      hint: expect.stringContaining('stock list'),
    });
    const empty = openStock(await temporaryStore(), { clock: new FakeClock(), currency: 'USD' });
    expect(empty.adjust({ sku: 'A', delta: 1, reason: 'r', event: 'e' })).toMatchObject({
      code: 'invalid',
      hint: expect.stringContaining('lull stock import'),
    });
  });

  it('P4 zero, fractions, unsafe numbers and empty words are refused and store nothing', async () => {
    const { stock, store } = await shop();
    const before = rowsIn(store);
    const good = { sku: 'SKU-VANILLA', delta: 1, reason: 'r', event: 'e' };
    const wrong = [
      ...[0, 1.5, Number.NaN, Infinity, 2 ** 53, Number.MAX_SAFE_INTEGER].map((delta) => ({
        delta,
      })),
      ...['', '  ', 'x'.repeat(201)].flatMap((text) => [{ reason: text }, { event: text }]),
    ];
    for (const part of wrong) {
      expect(stock.adjust({ ...good, ...part }), JSON.stringify(part)).toMatchObject({
        ok: false,
        code: 'invalid',
      });
    }
    expect(rowsIn(store)).toBe(before);
  });

  it('P4 an adjustment joins the transaction of its caller and goes with it', async () => {
    const { stock, store } = await shop();
    expect(() =>
      store.tx(() => {
        stock.adjust({ sku: 'SKU-VANILLA', delta: 1, reason: 'r', event: 'e' });
        throw new Error('stop');
      }),
    ).toThrow('stop');
    expect(stock.get('SKU-VANILLA')?.onHand).toBe(2);
  });

  it('P4 products list by SKU in pages', async () => {
    const { stock } = await shop();
    const first = stock.list('', 3).map(({ sku }) => sku);
    expect(first).toEqual(['SKU-CHOCOLATE', 'SKU-STRAWBERRY', 'SKU-UNSAID']);
    expect(stock.list('SKU-UNSAID', 3).map(({ sku }) => sku)).toEqual(['SKU-VANILLA']);
  });

  it('P4 a list is searched by name and SKU, whatever the case and the accents, page by page', async () => {
    const { stock, table } = await shop();
    const common = { unit: 'tubs', reorderPoint: null, unitCostCents: null };
    table.putProduct({ ...common, sku: 'ICE-1', name: 'Crème brûlée 100 %' }, 1);
    const skus = (search: string, after = '', limit = 50) =>
      stock.list(after, limit, search).map(({ sku }) => sku);
    expect(skus('creme')).toEqual(['ICE-1']);
    expect(skus('BRÛLÉE')).toEqual(['ICE-1']);
    expect(skus('ice-1')).toEqual(['ICE-1']);
    expect(skus('%')).toEqual(['ICE-1']); // no sign of a pattern
    expect(skus('vanilla')).toEqual(['SKU-VANILLA']);
    expect(skus('sku-', '', 2)).toEqual(['SKU-CHOCOLATE', 'SKU-STRAWBERRY']);
    expect(skus('sku-', 'SKU-STRAWBERRY')).toEqual(['SKU-UNSAID', 'SKU-VANILLA']);
    expect(skus('nothing like it')).toEqual([]);
    expect(skus('')).toHaveLength(5);
  });

  it('P4 in any order of events, repeated at will, the count is the sum of what was applied', async () => {
    const { stock, store } = await shop();
    let round = 0;
    const event = fc.record({
      event: fc.integer({ min: 0, max: 12 }).map(String),
      delta: fc.integer({ min: -9, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        round++;
        const start = stock.get('SKU-CHOCOLATE')?.onHand as number;
        const applied = new Map<string, number>();
        let expected = start;
        for (const { event, delta } of events) {
          const identity = `${round}:${event}`;
          const result = stock.adjust({
            sku: 'SKU-CHOCOLATE',
            delta,
            reason: 'r',
            event: identity,
          });
          const known = applied.get(identity);
          if (delta === 0) expect(result).toMatchObject({ code: 'invalid' });
          else if (known === delta)
            expect(result).toMatchObject({ value: { outcome: 'duplicate' } });
          else if (known !== undefined) expect(result).toMatchObject({ code: 'conflict' });
          else if (expected + delta < 0) expect(result).toMatchObject({ code: 'invalid' });
          else {
            expected += delta;
            applied.set(identity, delta);
            expect(result).toEqual({ ok: true, value: { outcome: 'applied', onHand: expected } });
          }
        }
        const sum = store.db
          .prepare("SELECT sum(delta) FROM stock_events WHERE sku = 'SKU-CHOCOLATE'")
          .pluck()
          .get();
        expect(stock.get('SKU-CHOCOLATE')?.onHand).toBe(expected);
        expect(sum).toBe(expected);
      }),
      { numRuns: 25 },
    );
  });
});
