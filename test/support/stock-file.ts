/** A table as a file: how its bytes are made from its cells. */
export interface FileStyle {
  encoding: Encoding;
  separator: string;
  newline: string;
  quoteAll: boolean;
}

export const ENCODINGS = [
  ...['utf-8', 'utf-8 with mark', 'utf-16le', 'utf-16le with mark', 'utf-16be'],
  ...['utf-16be with mark', 'windows-1252'],
] as const;
export type Encoding = (typeof ENCODINGS)[number] | string;

export function encode(text: string, encoding: Encoding): Uint8Array {
  const [name, marked] = [encoding.replace(' with mark', ''), encoding.endsWith('with mark')];
  const body = marked ? `\ufeff${text}` : text;
  if (name === 'utf-8') return Buffer.from(body, 'utf8');
  if (name === 'utf-16le') return Buffer.from(body, 'utf16le');
  if (name === 'utf-16be') return Buffer.from(body, 'utf16le').swap16();
  if (name === 'windows-1252') {
    // It has no narrow space; programs that write it put the wider one.
    const text = body.replaceAll('€', '\u0080').replaceAll('\u202f', '\u00a0');
    return Buffer.from(text, 'latin1');
  }
  throw new Error(`no encoder for ${encoding}`);
}

export function writeTable(rows: readonly (readonly string[])[], style: FileStyle): Uint8Array {
  const { separator, newline, quoteAll } = style;
  const cell = (text: string) =>
    quoteAll || text.includes(separator) || /["\r\n]/.test(text)
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  const lines = rows.map((row) => row.map(cell).join(separator));
  return encode(lines.join(newline) + newline, style.encoding);
}

/** Lines of comma-separated text as a file. */
export function csv(...lines: string[]): Uint8Array {
  return Buffer.from(`${lines.join('\n')}\n`);
}
