/** Ways to write a number: what groups the thousands, and the decimal mark. */
export interface NumberStyle {
  group: string;
  mark: '.' | ',';
}

export const STYLES: readonly NumberStyle[] = [
  { group: '', mark: '.' },
  { group: '', mark: ',' },
  { group: ',', mark: '.' },
  { group: '.', mark: ',' },
  { group: ' ', mark: ',' },
  { group: '\u202f', mark: ',' },
  { group: "'", mark: '.' },
];

/** `value` units of 10^-decimals in the style, for example 123450n with 2: `1.234,50`. */
export function write(value: bigint, decimals: number, { group, mark }: NumberStyle): string {
  const text = String(value).padStart(decimals + 1, '0');
  const whole = text.slice(0, text.length - decimals).replace(/\B(?=(\d{3})+$)/g, group);
  return decimals === 0 ? whole : `${whole}${mark}${text.slice(-decimals)}`;
}
