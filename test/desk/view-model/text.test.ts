import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manyLines, oneLine } from '../../../main/desk/view-model/text.ts';

const FORBIDDEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u200e\u200f]/u;

describe('text of others', () => {
  it('D4 one line has no control characters, no line ends and no reading-direction marks', () => {
    expect(oneLine('a\r\nb\tc\u0000d\u001b[31me\u202efdp.exe\u2066x\u2028y')).toBe(
      'a b c d [31mefdp.exex y',
    );
    expect(oneLine('\u200b\ufeff \n')).toBe('');
  });

  it('D4 markup stays the text it is', () => {
    expect(oneLine('<script>alert(1)</script> & "x"')).toBe('<script>alert(1)</script> & "x"');
  });

  it('D4 100 kB on one line are cut to 200 characters', () => {
    const line = oneLine('x'.repeat(100_000));
    expect(line).toBe(`${'x'.repeat(199)}…`);
  });

  it('D4 emoji and marks are never cut through', () => {
    const cook = '🧑‍🍳';
    expect(oneLine(cook.repeat(100), 12)).toBe(`${cook.repeat(2)}…`);
    expect(oneLine(`a${'\u0301'.repeat(500)}`, 20)).toHaveLength(20);
    expect(oneLine('\ud800x')).toBe('\ufffdx');
    expect(oneLine('مرحبا 👋🏽 שלום')).toBe('مرحبا 👋🏽 שלום');
  });

  it('D4 any text is short, well-formed and free of what may not be in it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 600 }),
        fc.integer({ min: 2, max: 300 }),
        (text, most) => {
          const line = oneLine(text, most);
          expect(line.length).toBeLessThanOrEqual(most);
          expect(line.isWellFormed()).toBe(true);
          expect(line).not.toMatch(FORBIDDEN);
          expect(oneLine(line, most)).toBe(line);
        },
      ),
    );
  });

  it('A5 several lines keep their line ends and tabs, and nothing that drives a terminal', () => {
    expect(manyLines('a\r\n\tb\rc\u001b[2J\u202e\u2029d', 100)).toBe('a\n\tb\nc[2J\nd');
  });

  it('A5 text that is too long says how long it was', () => {
    expect(manyLines('x'.repeat(50), 10)).toBe('xxxxxxxxx…\n(cut here: 50 characters in all)');
    expect(manyLines('x'.repeat(10), 10)).toBe('x'.repeat(10));
    expect(manyLines(`${'\u202e'.repeat(90)}abc`, 10)).toMatch(/93 characters in all/);
    expect(manyLines('\r\n'.repeat(6), 8)).toBe('\n'.repeat(6));
  });
});
