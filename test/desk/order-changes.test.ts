import { describe, expect, it } from 'vitest';
import { type CurrentNeed, orderChanges } from '../../main/desk/order-changes.ts';
import { MORNING, needOf, STRAWBERRY, VANILLA } from '../support/desk.ts';

const ORDER = { id: 7, currency: 'USD', createdAt: MORNING, lines: [VANILLA] };

function sentences(need: Partial<CurrentNeed> | null, order = ORDER, applied = [] as never[]) {
  const needs = () => (need === null ? null : { ...needOf(VANILLA), ...need });
  return orderChanges(order, needs, applied, 'UTC')?.sentences ?? null;
}

describe('what changed since an order was drafted', () => {
  it('D4 an order whose need, price and count are as drafted has no changes', () => {
    expect(sentences({})).toBeNull();
    expect(sentences({ countedAt: MORNING })).toBeNull();
  });

  it.each([
    [{ needed: 0 }, 'nothing is needed now; the draft orders 6 tubs'],
    [{ needed: 7, countedAt: MORNING + 1 }, '7 tubs are needed now; the draft orders 6 tubs'],
    [
      { countedAt: MORNING + 600_000 },
      'its stock changed again on 3 Dec 07:10, after this draft; the need is still 6 tubs',
    ],
    [{ unitCostCents: 275 }, 'its unit cost is $2.75 now; the draft says $2.50'],
    [{ unitCostCents: null }, 'its unit cost is not known any more'],
    [null, 'it is not among the products any more'],
  ])('D4 %j is said in one sentence', (need, sentence) => {
    expect(sentences(need)).toEqual([`Vanilla (SKU-VANILLA): ${sentence}`]);
  });

  it('D4 several changes are all said', () => {
    expect(sentences({ needed: 1, unitCostCents: 1 })).toHaveLength(2);
  });

  it('D4 orders for other products, and the order itself, cover nothing', () => {
    const others = [
      { id: 6, appliedAt: MORNING, lines: [STRAWBERRY] },
      { id: 7, appliedAt: MORNING, lines: [VANILLA] },
    ];
    expect(orderChanges(ORDER, () => needOf(VANILLA), others, 'UTC')).toBeNull();
  });

  it('D4 every order that covers the product is named, by its day in the zone of the owner', () => {
    const late = Date.UTC(2026, 11, 2, 23, 30);
    const others = [
      { id: 5, appliedAt: late, lines: [VANILLA] },
      { id: 6, appliedAt: late, lines: [STRAWBERRY, VANILLA] },
    ];
    expect(orderChanges(ORDER, () => needOf(VANILLA), others, 'Europe/Berlin')?.sentences).toEqual([
      'Vanilla (SKU-VANILLA): order 5 of 3 Dec already covers 6 tubs',
      'Vanilla (SKU-VANILLA): order 6 of 3 Dec already covers 6 tubs',
    ]);
  });

  it('D4 the token stands for exactly what was observed, and for this draft', () => {
    const tokens = [
      { needed: 4 },
      { needed: 5 },
      { needed: 4, unitCostCents: 300 },
      { needed: 4, countedAt: MORNING + 1 },
      { needed: 4, countedAt: MORNING + 2 },
    ].map(
      (need) => orderChanges(ORDER, () => ({ ...needOf(VANILLA), ...need }), [], 'UTC')?.confirm,
    );
    expect(new Set(tokens).size).toBe(5);
    const again = orderChanges(ORDER, () => ({ ...needOf(VANILLA), needed: 4 }), [], 'UTC');
    expect(again?.confirm).toBe(tokens[0]);
    const other = { ...ORDER, id: 8 };
    expect(
      orderChanges(other, () => ({ ...needOf(VANILLA), needed: 4 }), [], 'UTC')?.confirm,
    ).not.toBe(tokens[0]);
  });
});
