import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Order, orderCsv, orderMarkdown } from '../../main/desk/order-text.ts';
import { MORNING, VANILLA } from '../support/desk.ts';

function order(over: Partial<Order['lines'][number]> = {}, more: Partial<Order> = {}): Order {
  return {
    id: 7,
    title: 'Opening replenishment',
    currency: 'USD',
    createdAt: MORNING,
    totalCents: 1500,
    lines: [{ ...VANILLA, ...over }],
    provenance: 'Figures come from the stock and price tools.',
    ...more,
  };
}

/** As the most lenient reader would: every kind of line end ends a row. */
function cells(csv: string): string[][] {
  return parse(csv, { record_delimiter: ['\r\n', '\n', '\r'] });
}

describe('an order as CSV', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1'])(
    'D4 a cell that starts like a formula is text: %j',
    (name) => {
      const row = cells(orderCsv(order({ name, sku: name, unit: name })))[1];
      expect([row?.[0], row?.[1], row?.[3]]).toEqual([`'${name}`, `'${name}`, `'${name}`]);
    },
  );

  it('D4 any text survives as one cell of one row, and none is left to start a formula', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
    const tricky = fc
      .array(fc.constantFrom('=', '"', ',', '\r', '\n', '\r\n', ';', "'", ' ', 'a', '@'), {
        minLength: 1,
        maxLength: 12,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(text, tricky), fc.oneof(text, tricky), (name, unit) => {
        const rows = cells(orderCsv(order({ name, unit })));
        expect(rows).toHaveLength(2);
        for (const [given, column] of [
          [name, 1],
          [unit, 3],
        ] as const) {
          const cell = rows[1]?.[column] ?? '';
          expect(cell).not.toMatch(/^[=+\-@\t\r]/);
          expect([given, `'${given}`]).toContain(cell);
        }
      }),
    );
  });

  it('D4 is UTF-8 with CRLF, decimal amounts of two digits and no total row', () => {
    const csv = orderCsv(order({ name: 'Crème', unitCostCents: 5, totalCents: 30 }));
    expect(csv).toBe(
      'sku,name,quantity,unit,unit_cost,total,currency\r\nSKU-VANILLA,Crème,6,tubs,0.05,0.30,USD\r\n',
    );
  });
});

describe('an order as Markdown', () => {
  it('D4 has the total and says that nothing was bought', () => {
    const text = orderMarkdown(order());
    expect(text).toContain('| Vanilla | SKU-VANILLA | 6 tubs | $2.50 | $15.00 |');
    expect(text).toContain('| **Total** |  |  |  | **$15.00** |');
    expect(text).toContain('Nothing has been bought');
  });

  it('D4 a name is text in it: no markup, no HTML, no further row', () => {
    const name = '<img src=x> | **$0.00** |\n| a [link](http://x) `code` \u202etfel';
    const text = orderMarkdown(order({ name }));
    expect(text).toContain(
      '| &lt;img src=x&gt; \\| \\*\\*$0.00\\*\\* \\| \\| a \\[link\\](http://x) \\`code\\` tfel | SKU',
    );
    expect(text.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(4);
  });
});
