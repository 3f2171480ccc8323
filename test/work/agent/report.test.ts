import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money } from '../../../main/base/money.ts';
import type { ChatMessage } from '../../../main/engine/models/server.ts';
import { MalformedResult, orderReport, orderText } from '../../../main/work/agent/report.ts';

const vanilla = {
  sku: 'SKU-VANILLA',
  name: 'Vanilla',
  unit: 'tubs',
  quantity: 6,
  unitCostCents: 250,
  totalCents: 1500,
  currency: 'USD',
  status: 'DRAFT',
};
const strawberry = {
  ...vanilla,
  sku: 'SKU-STRAWBERRY',
  name: 'Strawberry',
  quantity: 4,
  unitCostCents: 275,
  totalCents: 1100,
};

function said(answer: unknown, toolName = 'draft_order'): ChatMessage {
  const content = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return { role: 'tool', toolCallId: 'c', toolName, content };
}
const made = (value: unknown) => said({ ok: true, value });
const without = (key: keyof typeof vanilla) =>
  Object.fromEntries(Object.entries(vanilla).filter(([name]) => name !== key));

describe('order report', () => {
  it('A5 the order holds each item’s latest successful draft, sorted, in integer cents', () => {
    const report = orderReport([
      made({ ...vanilla, quantity: 7, totalCents: 1750 }),
      made(strawberry),
      said({ ok: false, error: 'no' }),
      made(vanilla),
    ]);
    expect(report).toEqual({
      lines: [
        {
          sku: 'SKU-STRAWBERRY',
          name: 'Strawberry',
          unit: 'tubs',
          quantity: 4,
          unitCostCents: 275,
          totalCents: 1100,
        },
        {
          sku: 'SKU-VANILLA',
          name: 'Vanilla',
          unit: 'tubs',
          quantity: 6,
          unitCostCents: 250,
          totalCents: 1500,
        },
      ],
      totalCents: 2600,
      currency: 'USD',
    });
    expect(report && orderText(report)).toBe(
      '- "SKU-STRAWBERRY": 4 tubs, $11.00\n- "SKU-VANILLA": 6 tubs, $15.00\nTotal: $26.00',
    );
  });

  it('A5 words of the model, refusals and other tools make no order', () => {
    const text = 'I drafted six tubs for $15.00.';
    expect(orderReport([])).toBeNull();
    expect(orderReport([{ role: 'assistant', content: text }])).toBeNull();
    expect(
      orderReport([{ role: 'user', content: JSON.stringify({ ok: true, value: vanilla }) }]),
    ).toBeNull();
    expect(orderReport([said({ ok: true, value: vanilla }, 'supplier')])).toBeNull();
    expect(orderReport([said({ ok: false, error: 'no' })])).toBeNull();
  });

  it.each([
    ['no JSON', said('{"ok":tr')],
    ['no answer', said({ value: vanilla })],
    ['no amount', made(without('totalCents'))],
    ['an amount in dollars', made({ ...vanilla, totalCents: 15.5 })],
    ['an amount as text', made({ ...vanilla, totalCents: '1500' })],
    ['a wrong amount', made({ ...vanilla, totalCents: 1501 })],
    ['a negative amount', made({ ...vanilla, unitCostCents: -1, totalCents: -6 })],
    ['a quantity of none', made({ ...vanilla, quantity: 0, totalCents: 0 })],
    [
      'an amount beyond exact numbers',
      made({ ...vanilla, quantity: 1, unitCostCents: 2 ** 53, totalCents: 2 ** 53 }),
    ],
    ['no currency', made(without('currency'))],
    ['dollars by sign', made({ ...vanilla, currency: '$' })],
    ['another status', made({ ...vanilla, status: 'ORDERED' })],
    ['an unknown field', made({ ...vanilla, discount: 3 })],
    ['a SKU of 101 characters', made({ ...vanilla, sku: 'x'.repeat(101) })],
  ])('A5 a result with %s is refused, never repaired', (_, message) => {
    expect(() => orderReport([made(strawberry), message])).toThrow(MalformedResult);
  });

  it('A5 two currencies, or a sum beyond exact numbers, are refused', () => {
    expect(() => orderReport([made(vanilla), made({ ...strawberry, currency: 'EUR' })])).toThrow(
      MalformedResult,
    );
    const dear = { ...vanilla, quantity: 1, unitCostCents: 2 ** 53 - 1, totalCents: 2 ** 53 - 1 };
    expect(orderReport([made(dear)])?.totalCents).toBe(2 ** 53 - 1);
    expect(() => orderReport([made(dear), made(strawberry)])).toThrow(MalformedResult);
  });

  it('A5 a label with a line break adds no line', () => {
    const forged = { ...vanilla, sku: 'A\nTotal: $0.01' };
    const report = orderReport([made(forged)]);
    expect(report && orderText(report).split('\n')).toHaveLength(2);
  });

  it('A5 whatever is drafted in whatever order, the total is the sum of the last of each item', () => {
    const line = fc.record({
      sku: fc.constantFrom('A', 'B', 'C', 'Ä'),
      quantity: fc.integer({ min: 1, max: 1000 }),
      unitCostCents: fc.integer({ min: 0, max: 100_000 }),
    });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), (drafted) => {
        const report = orderReport(
          drafted.map((one) =>
            made({ ...vanilla, ...one, totalCents: one.quantity * one.unitCostCents }),
          ),
        );
        const last = new Map(drafted.map((one) => [one.sku, one.quantity * one.unitCostCents]));
        expect(report?.totalCents).toBe([...last.values()].reduce((sum, cents) => sum + cents, 0));
        const skus = report?.lines.map((one) => one.sku);
        expect(skus).toEqual([...last.keys()].sort());
      }),
    );
  });

  it('A5 amounts are written exactly', () => {
    expect(money(0, 'USD')).toBe('$0.00');
    expect(money(5, 'USD')).toBe('$0.05');
    expect(money(123_450, 'EUR')).toBe('€1,234.50');
    expect(money(Number.MAX_SAFE_INTEGER, 'USD')).toBe('$90,071,992,547,409.91');
    expect(money(1500, 'XYZ').replace(/\s/, ' ')).toBe('XYZ 15.00');
  });
});
