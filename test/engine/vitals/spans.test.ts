import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clipped, common, lengthOf, merged } from '../../../main/engine/vitals/spans.ts';

const spans = fc.array(fc.record({ from: fc.nat(40), until: fc.nat(40) }), { maxLength: 8 });
const points = Array.from({ length: 41 }, (_, at) => at);
const isIn = (list: { from: number; until: number }[], at: number) =>
  list.some(({ from, until }) => from <= at && at < until);

it('G5 merged spans hold the same moments, in order and apart', () => {
  fc.assert(
    fc.property(spans, (list) => {
      const one = merged(list);
      for (const at of points) expect(isIn(one, at)).toBe(isIn(list, at));
      for (const [index, { from }] of one.entries()) {
        expect(from).toBeGreaterThan(one[index - 1]?.until ?? -1);
      }
      expect(lengthOf(one)).toBe(points.filter((at) => isIn(list, at)).length);
    }),
  );
});

it('G5 what spans have in common is what lies in both', () => {
  fc.assert(
    fc.property(spans, spans, (a, b) => {
      const both = common(merged(a), merged(b));
      for (const at of points) expect(isIn(both, at)).toBe(isIn(a, at) && isIn(b, at));
      expect(merged(both)).toEqual(both);
      expect(clipped(merged(a), 5, 9)).toEqual(common(merged(a), [{ from: 5, until: 9 }]));
    }),
  );
});
