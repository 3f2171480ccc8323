import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TideView } from '../../main/surfaces/contract.ts';
import { BASE, drawTide, TOP } from '../../renderer/state/tide.ts';

const FROM = new Date(2026, 11, 1).getTime();
const HOUR_MS = 3_600_000;
const at = (hour: number) => FROM + hour * HOUR_MS;

function tide(changes: Partial<TideView> = {}): TideView {
  return {
    ...{ from: FROM, to: at(24), present: [], lulls: [], ran: [], waiting: 0, next: null },
    text: 'Today: nothing is recorded.',
    ...changes,
  };
}

describe('the tide', () => {
  it('D6 hours stand where they are: presence, lulls, work, the present moment', () => {
    const drawn = drawTide(
      tide({
        present: [{ from: at(6), to: at(12) }],
        lulls: [{ from: at(0), to: at(6) }],
        ran: [{ job: 1, heavy: true, from: at(3), to: at(4) }],
      }),
      240,
      at(12),
    );
    expect(drawn.lulls).toEqual([{ x: 0, width: 60 }]);
    expect(drawn.ran).toEqual([{ x1: 30, x2: 40, heavy: true }]);
    expect(drawn.now).toBe(120);
    expect(drawn.hours).toEqual([
      { x: 0, name: '00' },
      { x: 60, name: '06' },
      { x: 120, name: '12' },
      { x: 180, name: '18' },
      { x: 240, name: '24' },
    ]);
    expect(drawn.present).toHaveLength(1);
    expect(drawn.present[0]).toMatch(
      new RegExp(`^M60 ${BASE}C.* ${TOP}L.* ${TOP}C.*120 ${BASE}Z$`),
    );
  });

  it('D6 what waits stands in the coming lull, or after now where none is known, and never outside', () => {
    const known = drawTide(tide({ waiting: 3, next: { from: at(22), spreadMs: 0 } }), 240, at(12));
    expect(known.next).toEqual({ x: 220, width: 20 });
    expect(known.waiting).toHaveLength(3);
    expect(Math.max(...known.waiting)).toBeLessThan(240);
    expect(drawTide(tide({ waiting: 2 }), 240, at(12)).waiting).toEqual([132, 144]);
    expect(drawTide(tide({ waiting: 5_000 }), 240, at(12)).waiting).toHaveLength(8);
  });

  it('D6 another day has no present moment, and nothing waits in it', () => {
    const drawn = drawTide(tide({ waiting: 3 }), 240, at(30));
    expect(drawn).toMatchObject({ now: null, waiting: [] });
  });

  it('D6 whatever was recorded stays inside the picture', () => {
    const moment = fc.integer({ min: FROM - 48 * HOUR_MS, max: FROM + 48 * HOUR_MS });
    const stretch = fc
      .tuple(moment, moment)
      .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
    fc.assert(
      fc.property(
        fc.array(stretch),
        fc.integer({ min: 60, max: 2_000 }),
        moment,
        fc.nat(30),
        (spans, width, now, waiting) => {
          const ran = spans.map((one) => ({ ...one, job: 1, heavy: false }));
          const next = { from: now, spreadMs: 0 };
          const drawn = drawTide(
            tide({ present: spans, lulls: spans, ran, waiting, next }),
            width,
            now,
          );
          const places = [
            ...drawn.lulls.map((one) => one.x),
            ...drawn.ran.flatMap((one) => [one.x1, one.x2]),
            ...drawn.present.flatMap((path) => [Number(/^M([\d.]+)/.exec(path)?.[1])]),
          ];
          for (const x of places) {
            expect(x).toBeGreaterThanOrEqual(0);
            expect(x).toBeLessThanOrEqual(width);
          }
          expect(drawn.present.join('')).not.toMatch(/NaN|undefined|-\d/);
        },
      ),
    );
  });
});
