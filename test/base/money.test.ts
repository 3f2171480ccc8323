import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, money } from '../../main/base/money.ts';

describe('money', () => {
  it.each([
    [1500, 'USD', '$15.00'],
    [1750, 'USD', '$17.50'],
    [0, 'USD', '$0.00'],
    [5, 'USD', '$0.05'],
    [-250, 'USD', '-$2.50'],
    [123_456_789, 'EUR', '€1,234,567.89'],
    [-1, 'EUR', '-€0.01'],
  ])('A5 %i cents of %s are %s', (cents, currency, text) => {
    expect(money(cents, currency)).toBe(text);
  });

  it('A5 no cent is lost in either direction', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (cents) => {
        expect(BigInt(decimal(cents).replace('.', ''))).toBe(BigInt(cents));
      }),
    );
  });

  it('A5 what is not a whole number of cents is no amount', () => {
    for (const wrong of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => money(wrong, 'USD')).toThrow(RangeError);
    }
  });
});
