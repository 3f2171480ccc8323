import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currenciesOf } from '../../../../main/work/shop/import/currency.ts';
import { decideReadings, digits, takeApart } from '../../../../main/work/shop/import/numbers.ts';
import { type NumberStyle, STYLES, write } from '../../../support/written-number.ts';

/** One column of cells beside another, read as in a file with this separator. */
function readColumn(cells: string[], separator = '\t', beside: string[] = []) {
  const bodies = (texts: string[]) => texts.map((text) => takeApart(text).body);
  const readings = decideReadings(
    new Map([
      [0, bodies(cells)],
      [1, bodies(beside)],
    ]),
    separator,
  );
  return cells.map((cell) => {
    const { negative, body } = takeApart(cell);
    const read = digits(body, readings.get(0) ?? 'undecided');
    if (read === null || read === 'undecided') return read;
    return `${negative ? '-' : ''}${read.whole}${read.fraction ? `.${read.fraction}` : ''}`;
  });
}

describe('numbers of an import', () => {
  it('P4 each way of writing a number that has one meaning is read as that', () => {
    const one: [string, string][] = [
      ['1234', '1234'],
      ['1,234.5', '1234.5'],
      ['1.234,5', '1234.5'],
      ['1 234,50', '1234.50'],
      ['1\u00a0234,50', '1234.50'],
      ['1\u202f234', '1234'],
      ["1'234.50", '1234.50'],
      ['1’234', '1234'],
      ['1,234,567', '1234567'],
      ['1.234.567', '1234567'],
      ['12,34,567.89', '1234567.89'],
      ['1234,567', '1234.567'],
      ['0.125', '0.125'],
      ['0,125', '0.125'],
      ['2,5', '2.5'],
      ['.5', '.5'],
      ['5.', '5'],
      ['007', '007'],
      ['(3)', '-3'],
      ['-3', '-3'],
      ['−3', '-3'],
      ['3-', '-3'],
      ["'-3", '-3'],
      ['+3', '3'],
      [' 12 ', '12'],
    ];
    for (const [cell, value] of one) expect(readColumn([cell]), cell).toEqual([value]);
  });

  it('P4 what is no number is not made into one', () => {
    for (const cell of [
      ...[
        'abc',
        '',
        '-',
        '--3',
        '(-3)',
        '1,2,3',
        '1.2.3',
        '1,23,45',
        '1 2',
        '12 34',
        '1,234,5',
        '#N/A',
      ],
      ...[
        '1e5',
        '0x10',
        '1.234.5',
        '1,2345.6',
        '1234.567.890',
        '1.234,567,8',
        ',',
        '.',
        "1''234",
        '3%',
        '1/2',
        '12:30',
      ],
      ...['1\n234', '٣', '١٢'],
    ]) {
      expect(readColumn([cell]), JSON.stringify(cell)).toEqual([null]);
    }
  });

  it('P4 a doubtful number is decided by the sure ones of its column, before those beside it', () => {
    expect(readColumn(['1.234', '2,5'])).toEqual(['1234', '2.5']);
    expect(readColumn(['1.234', '2.5'])).toEqual(['1.234', '2.5']);
    expect(readColumn(['1,234', '0.5'], ',')).toEqual(['1234', '0.5']);
    expect(readColumn(['1.234', '2.500.000'], ',')).toEqual(['1234', '2500000']);
    expect(readColumn(['1.234', '2,5'], '\t', ['2.5'])).toEqual(['1234', '2.5']);
  });

  it('P4 without any in its column, it is decided by the other columns, then by the separator', () => {
    expect(readColumn(['1.234', '7'], ',', ['2,50 €'])).toEqual(['1234', '7']);
    expect(readColumn(['1.234', '7'], ';', ['2.50'])).toEqual(['1.234', '7']);
    expect(readColumn(['1.234', '7'], ';')).toEqual(['1234', '7']);
    expect(readColumn(['1,234', '7'], ';')).toEqual(['1.234', '7']);
    expect(readColumn(['1.234', '7'], ',')).toEqual(['1.234', '7']);
    expect(readColumn(['1,234', '7'], ',')).toEqual(['1234', '7']);
    expect(readColumn(['1,234', '1.234', '7'], '\t')).toEqual(['1234', '1234', '7']);
  });

  it('P4 it stays undecided where the sure ones disagree, or all of a column end in three zeros', () => {
    expect(readColumn(['1.234', '2,5', '2.5'])).toEqual(['undecided', '2.5', '2.5']);
    for (const separator of [',', ';', '\t', '|']) {
      expect(readColumn(['12.000', '5.000'], separator)).toEqual(['undecided', 'undecided']);
    }
    expect(readColumn(['12.000', '5.000'], ';', ['2,50'])).toEqual(['12000', '5000']);
    expect(readColumn(['12.000', '0.000'], ';')).toEqual(['12.000', '0.000']);
  });

  it('P4 every amount written in a style is read back exactly, to the last digit', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(amounts, fc.constantFrom<NumberStyle>(...STYLES), (cents, style) => {
        // The last cell has one meaning only, as any price with two decimals has.
        const written = [...cents, 250n].map((value) => write(value, 2, style));
        const expected = [...cents, 250n].map((value) => {
          const text = String(value).padStart(3, '0');
          return `${text.slice(0, -2)}.${text.slice(-2)}`;
        });
        expect(readColumn(written)).toEqual(expected);
      }),
    );
  });

  it('P4 signs and codes of currencies come off either end, and mean what they can mean', () => {
    expect(takeApart('$ 1,234.50')).toEqual({ negative: false, tokens: ['$'], body: '1,234.50' });
    expect(takeApart('1.234,50 €').tokens).toEqual(['€']);
    expect(takeApart('USD 4').tokens).toEqual(['USD']);
    expect(takeApart('$-4')).toMatchObject({ negative: true, body: '4' });
    expect(takeApart('-$4')).toMatchObject({ negative: true, body: '4' });
    expect(takeApart('($4.00)')).toMatchObject({ negative: true, tokens: ['$'], body: '4.00' });
    expect(currenciesOf('€')).toEqual(new Set(['EUR']));
    expect(currenciesOf('eur')).toEqual(new Set(['EUR']));
    expect(currenciesOf('US$')).toEqual(new Set(['USD']));
    expect(currenciesOf('£')).toContain('GBP');
    for (const dollar of ['USD', 'CAD', 'AUD']) expect(currenciesOf('$')).toContain(dollar);
    expect(currenciesOf('kr')).toContain('SEK');
    expect(currenciesOf('kr.')).toContain('DKK');
    expect(currenciesOf('pcs')).toBeNull();
    expect(currenciesOf('q')).toBeNull();
  });
});
