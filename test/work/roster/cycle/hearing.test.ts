import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hear } from '../../../../main/work/roster/cycle/hearing.ts';

function heard(chunks: readonly string[], markers: readonly string[] = []) {
  const lines: string[] = [];
  const found = new Set<string>();
  const stream = hear('stdout', (line) => lines.push(line), markers, found);
  for (const chunk of chunks) stream.take(chunk);
  stream.end();
  return { lines, found, kept: stream.kept() };
}

/** A text in pieces. */
const pieces = fc.tuple(
  fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', 'MARK'), maxLength: 200 }),
  fc.array(fc.nat(300), { maxLength: 8 }),
);

function split(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set([0, ...cuts, text.length])]
    .filter((cut) => cut <= text.length)
    .sort((a, b) => a - b);
  return at.map((cut, i) => text.slice(cut, at[i + 1] ?? text.length));
}

describe('a stream of a child', () => {
  it('T5 is shown in the same lines, and its markers are found, however it is cut', () => {
    fc.assert(
      fc.property(pieces, ([text, cuts]) => {
        const { lines, found, kept } = heard(split(text, cuts), ['MARK', 'aMb']);
        const whole = text.split('\n').map((line) => line.replace(/\r$/, ''));
        if (whole.at(-1) === '' && !text.endsWith('\r')) whole.pop();
        expect(lines.map((line) => line.replace(/\r$/, ''))).toEqual(whole);
        expect(found.has('MARK')).toBe(text.includes('MARK'));
        expect(kept).toBe(text);
      }),
    );
  });

  it('T5 is shown for 20,000 characters, then one mark, and still searched', () => {
    const { lines, found } = heard(
      [`${'x'.repeat(99)}\n`.repeat(199), `${'y'.repeat(500)}\nz\n`, 'more\n', 'MARK\n'],
      ['MARK'],
    );
    expect(lines).toHaveLength(201);
    expect(lines.at(-2)).toBe('y'.repeat(100));
    expect(lines.at(-1)).toBe('… [stdout goes on; only its first 20,000 characters are shown]');
    expect([...found]).toEqual(['MARK']);
    expect(heard([`${'x'.repeat(19_999)}\n`]).lines).toHaveLength(1);
  });
});
