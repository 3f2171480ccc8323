import { describe, expect, it } from 'vitest';
import { decode, LARGEST_IMPORT_BYTES } from '../../../../main/work/shop/import/decode.ts';
import { ENCODINGS, encode } from '../../../support/stock-file.ts';

describe('bytes of an import', () => {
  it('P4 a file is read in each encoding that a spreadsheet saves', () => {
    const text = 'SKU;Name;Qty\r\nA-1;Crème brûlée;12\r\n';
    for (const encoding of ENCODINGS) {
      expect(decode(encode(text, encoding)).text.replace('\ufeff', ''), encoding).toBe(text);
    }
  });

  it('P4 UTF-16 without a mark is found under any script', () => {
    const text = 'Артикул;Товар;Остаток\r\nА-1;Мороженое сливочное;12\r\n'.repeat(20);
    for (const encoding of ['utf-16le', 'utf-16be']) {
      expect(decode(encode(text, encoding)).text).toBe(text);
    }
  });

  it('P4 windows-1252 is said to be a guess, and UTF-8 is not', () => {
    expect(decode(encode('a,b\nCrème,1', 'windows-1252')).note).toMatch(/windows-1252/);
    expect(decode(encode('a,b\nCrème,1', 'utf-8')).note).toBeNull();
    expect(decode(encode('a,b\n5 €,1', 'windows-1252')).text).toBe('a,b\n5 €,1');
  });

  it('P4 a Ctrl-Z at the end is no part of the text', () => {
    expect(decode(Buffer.from('a,b\n1,2\n\u001a')).text).toBe('a,b\n1,2\n');
  });

  it('P4 other kinds of files are named, and what is binary is refused', () => {
    const refused: [Uint8Array, RegExp][] = [
      [Buffer.from('PK\u0003\u0004rest of a workbook'), /Excel workbook/],
      [Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1), /old Excel workbook/],
      [Buffer.from('%PDF-1.7'), /PDF/],
      [Uint8Array.of(0x1f, 0x8b, 8), /gzip/],
      [Uint8Array.of(1, 2, 3, 4, 5), /binary/],
      [Buffer.from('SKU,Qty\nA\u0000,1'), /binary/],
      [Buffer.from('SKU,Qty\nA\u001b[1m,1'), /binary/],
      [Uint8Array.of(0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00), /binary/],
      [new Uint8Array(0), /empty/],
      [Buffer.from(' \r\n\t\r\n'), /empty/],
      [encode('', 'utf-16le with mark'), /empty/],
    ];
    for (const [bytes, message] of refused) expect(() => decode(bytes)).toThrow(message);
  });

  it('P4 50 MB are refused in one line with the limit, and 10 MB are read', () => {
    expect(() => decode(new Uint8Array(50 * 1024 * 1024))).toThrow(
      /^the file has 50\.0 MB, and 10 MB is the most that is read$/,
    );
    expect(decode(Buffer.alloc(LARGEST_IMPORT_BYTES, 'a')).text.length).toBe(LARGEST_IMPORT_BYTES);
    expect(() => decode(Buffer.alloc(LARGEST_IMPORT_BYTES + 1, 'a'))).toThrow(/10 MB/);
  });
});
