import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { facts, table } from '../../../main/surfaces/cli/table.ts';
import { cut, widthOf } from '../../../main/surfaces/cli/text.ts';

interface Row {
  id: number;
  name: string;
}
const COLUMNS = [
  { head: 'ID', cell: (row: Row) => row.id, right: true },
  { head: 'NAME', cell: (row: Row) => row.name, yields: true },
  { head: 'END', cell: () => '|' },
];

describe('what the command line prints', () => {
  it('D8 columns stand under their heads, numbers on the right', () => {
    const rows = [
      { id: 7, name: 'a\nb' },
      { id: 120, name: '日本' },
    ];
    expect(table(COLUMNS, rows, null)).toEqual([' ID  NAME  END', '  7  a b   |', '120  日本  |']);
  });

  it('D8 a narrow terminal shortens what may give way, and no line is wider than it', () => {
    const rows = [{ id: 1, name: 'x'.repeat(100) }];
    expect(table(COLUMNS, rows, 30)[1]).toBe(` 1  ${'x'.repeat(20)}…  |`);
    fc.assert(
      fc.property(
        fc.array(fc.record({ id: fc.nat(9_999), name: fc.string({ unit: 'grapheme' }) })),
        fc.integer({ min: 27, max: 120 }),
        (all, width) => {
          for (const line of table(COLUMNS, all, width)) {
            expect(widthOf(line)).toBeLessThanOrEqual(width);
          }
        },
      ),
    );
  });

  it('D8 a cut text fits and says that something is missing', () => {
    expect(cut('short', 5)).toBe('short');
    expect(cut('longer', 5)).toBe('long…');
    expect(cut('日本語', 5)).toBe('日本…');
    expect(cut('日本語', 6)).toBe('日本語');
  });

  it('D8 facts leave out what is not known', () => {
    expect(
      facts([
        ['state', 'done'],
        ['why', null],
        ['attempts', 0],
        ['model', ''],
      ]),
    ).toEqual(['state     done', 'attempts  0']);
  });
});
