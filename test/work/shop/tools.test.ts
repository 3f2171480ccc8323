import { describe, expect, it } from 'vitest';
import { type Toolbox, toolbox } from '../../../main/work/agent/tools.ts';
import { type StockLine, type StockReader, shopTools } from '../../../main/work/shop/tools.ts';
import { lineOf, SEED, stockOf } from '../../support/seed-stock.ts';

function box(stock: StockReader, subject: string | null = null, maxCharacters = 8000): Toolbox {
  return toolbox(shopTools(stock), { subject, maxCharacters });
}

async function invoke(tools: Toolbox, name: string, args: Record<string, unknown> = {}) {
  const { content } = await tools.invoke({ id: '1', name, arguments: args });
  return JSON.parse(content);
}

describe('shop tools', () => {
  it('A4 list_stock shows every product with its need', async () => {
    expect(await invoke(box(stockOf(SEED)), 'list_stock')).toEqual({
      ok: true,
      value: [
        {
          sku: 'SKU-CHOCOLATE',
          name: 'Chocolate',
          unit: 'tubs',
          onHand: 12,
          reorderPoint: 12,
          needed: 0,
        },
        {
          sku: 'SKU-STRAWBERRY',
          name: 'Strawberry',
          unit: 'tubs',
          onHand: 1,
          reorderPoint: 5,
          needed: 4,
        },
        {
          sku: 'SKU-VANILLA',
          name: 'Vanilla',
          unit: 'tubs',
          onHand: 2,
          reorderPoint: 8,
          needed: 6,
        },
      ],
    });
  });

  it('A4 a draft is the need times the price, in integer cents and the configured currency', async () => {
    const tools = box(stockOf(SEED, 'EUR'));
    expect(await invoke(tools, 'draft_order', { sku: 'SKU-VANILLA', quantity: 6 })).toEqual({
      ok: true,
      value: {
        sku: 'SKU-VANILLA',
        name: 'Vanilla',
        unit: 'tubs',
        quantity: 6,
        unitCostCents: 250,
        totalCents: 1500,
        currency: 'EUR',
        status: 'DRAFT',
      },
    });
    expect(await invoke(tools, 'supplier', { sku: 'SKU-VANILLA' })).toEqual({
      ok: true,
      value: { sku: 'SKU-VANILLA', unit: 'tubs', unitCostCents: 250, currency: 'EUR' },
    });
  });

  it('A4 a quantity other than the need of this moment is refused', async () => {
    const stock = stockOf(SEED);
    const tools = box(stock);
    const draft = (quantity: unknown) =>
      invoke(tools, 'draft_order', { sku: 'SKU-VANILLA', quantity });
    expect((await draft(7)).error).toBe('the quantity must be the current need of SKU-VANILLA: 6');
    for (const wrong of [0, -6, 6.5, '6', null, 1e20]) expect((await draft(wrong)).ok).toBe(false);
    stock.set('SKU-VANILLA', { onHand: 1, needed: 7 });
    expect((await draft(6)).ok).toBe(false);
    expect((await draft(7)).value.totalCents).toBe(1750);
    stock.set('SKU-VANILLA', { onHand: 8, needed: 0 });
    expect((await draft(7)).error).toBe('SKU-VANILLA needs nothing now: draft nothing for it');
  });

  it('A4 strawberry is neither seen nor drafted in vanilla’s scope', async () => {
    const tools = box(stockOf(SEED), 'SKU-VANILLA');
    const listed = await invoke(tools, 'list_stock');
    expect(listed.value.map((line: StockLine) => line.sku)).toEqual(['SKU-VANILLA']);
    const refusal = { ok: false, error: 'this work concerns SKU-VANILLA only' };
    const strawberry = { sku: 'SKU-STRAWBERRY' };
    expect(await invoke(tools, 'draft_order', { ...strawberry, quantity: 4 })).toEqual(refusal);
    expect(await invoke(tools, 'supplier', strawberry)).toEqual(refusal);
    expect(await invoke(tools, 'supplier', { sku: 'SKU-NONE' })).toEqual(refusal);
  });

  it('A4 an unknown SKU and a product without a price are refused in words', async () => {
    const stock = stockOf([
      lineOf({ sku: 'FREE', onHand: 0, reorderPoint: 3, unitCostCents: null }),
    ]);
    const tools = box(stock);
    const unknown = { ok: false, error: 'there is no product NONE' };
    expect(await invoke(tools, 'draft_order', { sku: 'NONE', quantity: 1 })).toEqual(unknown);
    expect(await invoke(tools, 'supplier', { sku: 'NONE' })).toEqual(unknown);
    const unpriced = { ok: false, error: 'no price is known for FREE: leave it out and say so' };
    expect(await invoke(tools, 'draft_order', { sku: 'FREE', quantity: 3 })).toEqual(unpriced);
    expect(await invoke(tools, 'supplier', { sku: 'FREE' })).toEqual(unpriced);
  });

  it('A4 a price of nothing is a price, an amount beyond exact numbers is refused', async () => {
    const free = lineOf({ sku: 'GIFT', onHand: 0, reorderPoint: 2, unitCostCents: 0 });
    const dear = lineOf({ sku: 'MOON', onHand: 0, reorderPoint: 2, unitCostCents: 2 ** 53 - 1 });
    const tools = box(stockOf([free, dear]));
    const gift = await invoke(tools, 'draft_order', { sku: 'GIFT', quantity: 2 });
    expect(gift.value.totalCents).toBe(0);
    expect((await invoke(tools, 'draft_order', { sku: 'MOON', quantity: 2 })).error).toMatch(
      /too large/,
    );
  });

  it('A4 a long list shows what is in need first and says what it leaves out', async () => {
    const many = Array.from({ length: 300 }, (_, i) =>
      lineOf({
        sku: `S${String(i).padStart(3, '0')}`,
        onHand: i % 3 === 0 ? 0 : 9,
        reorderPoint: 5,
      }),
    );
    const tools = box(stockOf(many), null, 4000);
    const { content } = await tools.invoke({ id: '1', name: 'list_stock', arguments: {} });
    expect(content.length).toBeLessThanOrEqual(4000);
    const { ok, value, note } = JSON.parse(content);
    expect(ok).toBe(true);
    expect(value.length).toBeGreaterThan(20);
    expect(value.every((line: StockLine) => line.needed === 5)).toBe(true);
    expect(note).toBe(
      `200 products that need nothing are left out, and ${100 - value.length} more that are in need`,
    );
  });

  it('A4 no tool of the shop does more than read or draft', () => {
    expect(shopTools(stockOf(SEED)).map((tool) => `${tool.name} ${tool.effect}`)).toEqual([
      'list_stock reads',
      'supplier reads',
      'draft_order drafts',
    ]);
  });
});
